"""Ending notes, in the open scope: a note that ends keeps its words, and its statement ends with the last of its notes.

The memory is locked by whoever ends something (``lock_memory``).
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.snapshot_versions import store_version
from snapshots.lifecycle.selectors import current_snapshot_condition
from snapshots.models import Note, Snapshot, SnapshotKind
from snapshots.notes.store import change_note


def end_note(snapshot: Snapshot, note: Note, *, at: datetime, by: UUID | None) -> list[int]:
    """End a note at ``at`` (never before it began) by a message, None for nobody's; return the positions changed."""
    ended = {"invalid_at": max(snapshot.valid_at, min(at, utc_now())), "superseded_by_id": None}
    change_note(snapshot, note, ended, {"possibly_outdated": False, "changed_by": by})
    return [snapshot.position, *_end_statement(note, at)]


def doubt_note(snapshot: Snapshot, note: Note, *, by: UUID | None) -> list[int]:
    """Make a note possibly outdated; return the positions changed, none where it is so already."""
    if note.possibly_outdated:
        return []
    change_note(snapshot, note, {}, {"possibly_outdated": True, "changed_by": by})
    return [snapshot.position]


def current_notes(subject_id: UUID, ids: Collection[UUID]) -> dict[UUID, tuple[Snapshot, Note]]:
    """Return those of these notes that hold now, by the ids of their snapshots."""
    own = {"subject_id": subject_id}
    rows = {
        row.id: row
        for row in Snapshot.objects.filter(current_snapshot_condition(), id__in=ids, kind=SnapshotKind.NOTE, **own)
    }
    notes = Note.objects.filter(snapshot_id__in=list(rows), **own)
    return {note.snapshot_id: (rows[note.snapshot_id], note) for note in notes}


def _end_statement(note: Note, at: datetime) -> list[int]:
    """End the statement of a note that ended, where none of its notes holds any more; return the positions changed."""
    own = {"subject_id": note.subject_id}
    statement = (
        Snapshot.objects.filter(current_snapshot_condition(), id=note.statement_id, **own).first()
        if note.statement_id
        else None
    )
    if statement is None:
        return []
    others = Note.objects.filter(statement_id=statement.id, **own).order_by().values("snapshot_id")
    if Snapshot.objects.filter(current_snapshot_condition(), id__in=others, **own).exists():
        return []
    store_version(statement, ("invalid_at",), until=utc_now())
    end = max(statement.valid_at, min(at, utc_now()))
    Snapshot.objects.filter(id=statement.id, **own).update(invalid_at=end, version=F("version") + 1)
    return [statement.position]
