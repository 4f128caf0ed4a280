"""Notes in the tables, as whoever reads messages leaves them: a snapshot of kind note and a row of its own each."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id, stable_id
from snapshots.models import Note, NoteGrade, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.snapshots.held import remember

NOTE_FIELDS = frozenset(
    {
        "grade",
        "grade_probability",
        "about_kind",
        "about_label",
        "relation",
        "about_tag",
        "vital_class",
        "possibly_outdated",
        "review_by",
        "context",
    }
)


def note_down(house: House, *texts: str, **columns: Any) -> list[UUID]:
    """Store one note per text: ``columns`` go to the note's row or to its snapshot, see :func:`remember`."""
    details = {name: columns.pop(name) for name in NOTE_FIELDS & columns.keys()}
    details = {"grade": NoteGrade.FACT, "grade_probability": 0.9, **details}
    ids = remember(house, *texts, kind="note", **columns)
    with tenant_tx(house.tenant.id):
        Note.objects.bulk_create(
            Note(id=stable_id("note", snapshot_id), subject_id=house.subject.id, snapshot_id=snapshot_id, **details)
            for snapshot_id in ids
        )
    return ids


def fill_with_notes(house: House, number: int) -> None:
    """Store so many notes as rows alone: what a page shows needs no index for searches by meaning."""
    said_at = utc_now() - timedelta(hours=1)
    own: dict[str, Any] = {"subject_id": house.subject.id}
    dated = {"content_hash": b"", "said_at": said_at, "valid_at": said_at}
    with tenant_tx(house.tenant.id):
        stored = Snapshot.objects.bulk_create(
            Snapshot(id=new_id(), kind="note", text=f"Walks dog number {one} 遛狗", position=one, **own, **dated)
            for one in range(number)
        )
        Note.objects.bulk_create(
            Note(id=stable_id("note", one.id), snapshot_id=one.id, grade=NoteGrade.FACT, grade_probability=0.9, **own)
            for one in stored
        )
