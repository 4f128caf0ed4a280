"""Ending notes, and making them doubtful, in the open scope; and taking it back when the message is forgotten."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.store import lock_memory, touch_memory
from snapshots.embedding.versions import keep_image
from snapshots.lifecycle.selectors import current
from snapshots.models import Message, Note, Snapshot, SnapshotKind, SnapshotSource
from snapshots.notes.store import change_note
from snapshots.understanding.changes.foresee import Ending


def apply_endings(message: Message, endings: Sequence[Ending]) -> list[Ending]:
    """End notes that a message ends, mark those that it makes doubtful; return what was changed.

    A note keeps its words and gets ``invalid_at``, and ``superseded_by`` where the message says what holds instead. Its
    statement ends with the last of its notes. What was said after the message, or has ended since, stays as it is.
    """
    if not endings:
        return []
    lock_memory(message.subject_id)
    rows = _notes(message.subject_id, [one.note_id for one in endings])
    changed, positions = [], []
    for one in endings:
        if one.note_id not in rows:
            continue
        snapshot, note = rows[one.note_id]
        if not _is_before(snapshot, message):
            continue
        if one.is_sure:
            _end(snapshot, note, message)
            positions += [snapshot.position, *_end_statement(note, message)]
        elif not note.possibly_outdated:
            change_note(snapshot, note, {}, {"possibly_outdated": True, "changed_by": message.id})
            positions.append(snapshot.position)
        else:
            continue
        changed.append(one)
    if positions:
        touch_memory(message.subject_id, changed=positions)
    return changed


def name_successors(message: Message, endings: Sequence[Ending]) -> None:
    """Say what holds in place of the notes that a message ended: the note of the same words, once it is stored."""
    own = {"subject_id": message.subject_id}
    made = SnapshotSource.objects.filter(message_id=message.id, memory__kind=SnapshotKind.NOTE, **own)
    new = Note.objects.filter(snapshot_id__in=made.order_by().values("memory_id"), span_start__isnull=False, **own)
    spans = [(row.span_start or 0, row.span_end or 0, row.snapshot_id) for row in new]
    for one in endings:
        over = [(start, row_id) for start, end, row_id in spans if start < one.end and one.start < end]
        ended = Snapshot.objects.filter(id=one.note_id, invalid_at__isnull=False, superseded_by__isnull=True, **own)
        if over and one.is_sure and min(over)[1] != one.note_id:
            ended.update(superseded_by=min(over)[1], version=F("version") + 1)


def revive_changed(subject_id: UUID, messages: Collection[UUID]) -> int:
    """Have the notes hold again that these messages ended, and doubt no longer those that they made doubtful, in the
    open scope, as if the messages had never been said; return how many."""
    own = {"subject_id": subject_id}
    notes = list(Note.objects.filter(changed_by__in=list(messages), **own))
    if not notes:
        return 0
    statements = [note.statement_id for note in notes if note.statement_id is not None]
    ended = Snapshot.objects.filter(id__in=[note.snapshot_id for note in notes], **own)
    told = Snapshot.objects.filter(
        id__in=statements, kind=SnapshotKind.STATEMENT, superseded_by__isnull=True, invalid_at__isnull=False, **own
    )
    touch_memory(
        subject_id, changed=[*ended.values_list("position", flat=True), *told.values_list("position", flat=True)]
    )
    again: dict[str, Any] = {"invalid_at": None, "superseded_by": None, "version": F("version") + 1}
    told.update(**again)
    ended.update(**again)
    Note.objects.filter(id__in=[note.id for note in notes], **own).update(changed_by=None, possibly_outdated=False)
    return len(notes)


def _is_before(snapshot: Snapshot, message: Message) -> bool:
    """Return whether a note was said before a message: what was said later wins."""
    if snapshot.conversation_id == message.conversation_id and snapshot.seq is not None:
        return snapshot.seq < message.seq
    return snapshot.said_at <= message.said_at


def _end(snapshot: Snapshot, note: Note, message: Message) -> None:
    """End a note when the message was said."""
    at = max(snapshot.valid_at, min(message.said_at, utc_now()))
    ended = {"invalid_at": at, "superseded_by_id": None}
    change_note(snapshot, note, ended, {"possibly_outdated": False, "changed_by": message.id})


def _end_statement(note: Note, message: Message) -> list[int]:
    """End the statement of a note that ended, where none of its notes holds any more; return the positions changed."""
    own = {"subject_id": note.subject_id}
    statement = Snapshot.objects.filter(current(), id=note.statement_id, **own).first() if note.statement_id else None
    if statement is None:
        return []
    others = Note.objects.filter(statement_id=statement.id, **own).order_by().values("snapshot_id")
    if Snapshot.objects.filter(current(), id__in=others, **own).exists():
        return []
    keep_image(statement, ("invalid_at",), until=utc_now())
    at = max(statement.valid_at, min(message.said_at, utc_now()))
    Snapshot.objects.filter(id=statement.id, **own).update(invalid_at=at, version=F("version") + 1)
    return [statement.position]


def _notes(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, tuple[Snapshot, Note]]:
    """Return those of these notes that hold now."""
    own = {"subject_id": subject_id}
    rows = {row.id: row for row in Snapshot.objects.filter(current(), id__in=ids, kind=SnapshotKind.NOTE, **own)}
    notes = Note.objects.filter(snapshot_id__in=list(rows), **own)
    return {note.snapshot_id: (rows[note.snapshot_id], note) for note in notes}
