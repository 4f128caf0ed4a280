"""What the platform holds of somebody, written through the real verbs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connections

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from profiles.models import Candidate, Preference, ProfileFact, Tag
from profiles.services.preferences import record_preference
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.services.value_claims import make_stated_claim
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import SnapshotToStore, prepare_snapshots
from snapshots.embedding.snapshot_store import store_snapshots
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Message, PreferenceSource, Snapshot, SnapshotSource, SnapshotVector, SnapshotWords
from tenants.isolation import tenant_tx
from tests.conftest import House

MEMORY = (
    Snapshot,
    SnapshotWords,
    SnapshotVector,
    SnapshotSource,
    Preference,
    PreferenceSource,
    ProfileFact,
    Tag,
    Candidate,
)
"""The tables that hold what was remembered and learned."""


def say(house: House, *contents: str, conversation: str = "trip", role: str = "user") -> list[Message]:
    """Post messages to a conversation of the house's subject; ids are m1, m2 ... by order."""
    with tenant_tx(house.tenant.id):
        incoming = [IncomingMessage(role=role, content=content) for content in contents]
        accepted = accept_messages(house.subject, conversation, incoming)
        ids = [fate.message_id for fate in accepted.messages]
        rows = {
            message.external_id: message
            for message in Message.objects.filter(subject=house.subject, conversation=accepted.conversation)
        }
    return [rows[one] for one in ids]


def remember(house: House, *texts: str, messages: Sequence[Message] = (), **columns: Any) -> list[UUID]:
    """Store one snapshot per text, an hour old unless ``columns`` say otherwise; ``messages`` are their sources."""
    said_at: datetime = columns.pop("said_at", utc_now() - timedelta(hours=1))
    plain: dict[str, Any] = {"kind": "statement", "valid_at": said_at, "expires_at": None, **columns}
    drafts = [
        SnapshotToStore(
            id=new_id(),
            subject_id=house.subject.id,
            text=text,
            said_at=said_at,
            message_ids=(messages[number].id,) if messages else (),
            **plain,
        )
        for number, text in enumerate(texts)
    ]
    prepared = prepare_snapshots(drafts, active_embedders())
    with tenant_tx(house.tenant.id):
        return store_snapshots(prepared)


def prefer(house: House, category: str, key: str, value: Any, **said: Any) -> None:
    """Record a preference as the product states it."""
    with tenant_tx(house.tenant.id):
        record_preference(house.subject, category, key, make_stated_claim(value, **said))


def know(house: House, *, valid_at: datetime | None = None, **facts: Any) -> None:
    """Set fields of the profile as the product states them, true since ``valid_at``, by default now."""
    claims = {field: make_stated_claim(value, valid_at=valid_at) for field, value in facts.items()}
    with tenant_tx(house.tenant.id):
        patch_profile(house.subject, [FactChange(FactName(field), claim) for field, claim in claims.items()])


def label(house: House, name: str, **details: Any) -> None:
    """Make a tag."""
    with tenant_tx(house.tenant.id):
        upsert_tag(house.subject, TagDraft(name, {"kind": "place", **details}))


@contextmanager
def broken_pgvector() -> Iterator[None]:
    """Take the vectors' column away, as a failed upgrade of the extension would."""
    run_as_owner("ALTER TABLE snapshot_vector RENAME COLUMN dated TO dated_away")
    try:
        yield
    finally:
        run_as_owner("ALTER TABLE snapshot_vector RENAME COLUMN dated_away TO dated")


def run_as_owner(sql: str) -> None:
    """Run one statement as the role that migrates."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(sql)
