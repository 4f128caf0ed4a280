"""Ada's memory through the verbs of its life, and what recall finds in it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.lifecycle.edit_snapshot import Edit, EditResult, edit_snapshot
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers
from snapshots.lifecycle.write_types import NewSnapshot, SnapshotAddress, SnapshotResult
from snapshots.recall.pipeline import recall_in_scope
from snapshots.recall.question import prepare_question
from snapshots.recall.values import RecallQuery
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import House


def anything(snapshot_id: UUID, version: int) -> None:
    """Accept every version."""


def create(house: House, *posted: NewSnapshot | str) -> list[SnapshotResult]:
    """Post memories of the house's subject."""
    new = [NewSnapshot(one) if isinstance(one, str) else one for one in posted]
    offers = prepare_offers(new, active_embedders(), mask=mask_sensitive)
    with tenant_tx(house.tenant.id):
        return create_snapshots(house.subject, offers)


def create_one(house: House, text: str) -> SnapshotAddress:
    """Post one memory; return its address."""
    (fate,) = create(house, text)
    assert fate.id is not None
    return SnapshotAddress(house.subject.external_id, fate.id)


def edit(house: House, address: SnapshotAddress, **changes: Any) -> EditResult:
    """Edit one memory."""
    return edit_snapshot(house.tenant.id, address, Edit(changes, mask_sensitive, anything), active_embedders())


def recall_texts(
    house: House, text: str, *, known_at: datetime | None = None, subject: Subject | None = None
) -> list[str]:
    """Return what recall answers to ``text``, best first."""
    query = RecallQuery(text=text, asked_at=utc_now(), known_at=known_at)
    question = prepare_question(text)
    with tenant_tx(house.tenant.id):
        result = recall_in_scope((subject or house.subject).id, query, question)
    return [memory.text for memory in result.memories]
