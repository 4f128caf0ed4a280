"""Ends notes, in the open scope: an ended note keeps its words, and its statement ends with the last of its notes.

The caller holds the memory's lock (``lock_memory``).
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.snapshot_history import store_version
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import Note, Snapshot, SnapshotKind
from snapshots.notes.store_and_confirm import change_note


def end_note(snapshot: Snapshot, note: Note, *, at: datetime, by: UUID | None) -> list[int]:
    """End a note at ``at`` (never before it began) because of message ``by`` (None: no message); return the changed
    positions."""
    ended = {"invalid_at": max(snapshot.valid_at, min(at, utc_now())), "superseded_by_id": None}
    change_note(snapshot, note, ended, {"possibly_outdated": False, "changed_by": by})
    return [snapshot.position, *_end_statement(note, at)]


def doubt_note(snapshot: Snapshot, note: Note, *, by: UUID | None) -> list[int]:
    if note.possibly_outdated:
        return []
    change_note(snapshot, note, {}, {"possibly_outdated": True, "changed_by": by})
    return [snapshot.position]


def load_current_notes(subject_id: UUID, ids: Collection[UUID]) -> dict[UUID, tuple[Snapshot, Note]]:
    own = {"subject_id": subject_id}
    rows = {
        row.id: row
        for row in Snapshot.objects.filter(
            build_current_snapshot_condition(), id__in=ids, kind=SnapshotKind.NOTE, **own
        )
    }
    notes = Note.objects.filter(snapshot_id__in=list(rows), **own)
    return {note.snapshot_id: (rows[note.snapshot_id], note) for note in notes}


def _end_statement(note: Note, at: datetime) -> list[int]:
    """Mark the end of a note's statement if none of its notes is current; return the changed positions."""
    own = {"subject_id": note.subject_id}
    statement = (
        Snapshot.objects.filter(build_current_snapshot_condition(), id=note.statement_id, **own).first()
        if note.statement_id
        else None
    )
    if statement is None:
        return []
    others = Note.objects.filter(statement_id=statement.id, **own).order_by().values("snapshot_id")
    if Snapshot.objects.filter(build_current_snapshot_condition(), id__in=others, **own).exists():
        return []
    store_version(statement, ("invalid_at",), until=utc_now())
    end = max(statement.valid_at, min(at, utc_now()))
    Snapshot.objects.filter(id=statement.id, **own).update(invalid_at=end, version=F("version") + 1)
    return [statement.position]
