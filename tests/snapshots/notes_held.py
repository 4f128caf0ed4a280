"""Notes in the tables, as whoever reads messages leaves them: a snapshot of kind note and a row of its own each."""

from typing import Any
from uuid import UUID

from memory_platform.kernel.ids import stable_id
from snapshots.models import Note, NoteGrade
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
