"""Notes of the test people, stored as the maker of notes stores them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id, stable_id
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import SnapshotToStore, prepare_snapshots
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Message, Note, Snapshot
from snapshots.notes.selectors import NoteFilter, attach_details, list_notes
from snapshots.notes.store_and_confirm import store_notes
from snapshots.notes.values import NoteDetails, PreparedNote
from tenants.isolation import tenant_tx
from tests.conftest import House

ALLERGY, ALLERGY_ZH = "I'm allergic to peanuts", "我对花生过敏"


def prepared_note(
    house: House,
    text: str,
    messages: Sequence[Message] = (),
    *,
    said_at: datetime | None = None,
    confidence: float = 0.6,
    provenance: str = "observation",
    **details: Any,
) -> PreparedNote:
    """Return a note ready to be stored; its id depends on its text and first message."""
    at = said_at or utc_now() - timedelta(hours=1)
    draft = SnapshotToStore(
        id=stable_id("note", text, messages[0].id) if messages else new_id(),
        subject_id=house.subject.id,
        kind="note",
        text=text,
        said_at=at,
        valid_at=at,
        expires_at=None,
        confidence=confidence,
        provenance=provenance,
        message_ids=tuple(message.id for message in messages),
        by_kind=True,
    )
    (prepared,) = prepare_snapshots([draft], active_embedders())
    return PreparedNote(prepared, NoteDetails(**details))


def note(house: House, text: str, messages: Sequence[Message] = (), **more: Any) -> UUID:
    """Store one note of the house's subject; return its id."""
    prepared = prepared_note(house, text, messages, **more)
    with tenant_tx(house.tenant.id):
        (note_id,) = store_notes([prepared])
    return note_id


def address_of(house: House, note_id: UUID) -> SnapshotAddress:
    """Return how outside programs name a note."""
    return SnapshotAddress(house.subject.external_id, note_id)


def rows(house: House, note_id: UUID) -> tuple[Snapshot, Note]:
    """Return both rows of a note."""
    with tenant_tx(house.tenant.id):
        return Snapshot.objects.get(id=note_id), Note.objects.get(snapshot_id=note_id)


def texts(house: House, **wanted: Any) -> list[str]:
    """Return what the notes say that a list shows."""
    asked = NoteFilter(**wanted)
    with tenant_tx(house.tenant.id):
        found = list_notes(house.subject, asked).order_by("recorded_at", "id")
        return [one.snapshot.text for one in attach_details(house.subject, found, known_at=asked.known_at)]
