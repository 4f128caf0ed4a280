"""End notes or make them doubtful, in the open scope, and undo that when the message is forgotten."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Exists, F, OuterRef

from memory_platform.kernel.ids import stable_id
from profiles.services.subject_lock import lock_subject
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.models import Message, Note, Snapshot, SnapshotKind, SnapshotSource
from snapshots.notes.end_and_doubt import doubt_note, end_note, load_current_notes
from snapshots.notes.slot_links import transfer_slots
from snapshots.notes.slots_of_ended_notes import end_slots_of_notes
from snapshots.understanding.changes.ending_classifier import EndingEffect
from snapshots.understanding.changes.predicted_endings import NoteEnding, is_said_before
from snapshots.understanding.statements.statements import STATEMENT_VERSION

# These effects also end slots.
SLOT_ENDING_EFFECTS = (EndingEffect.ENDS, EndingEffect.ENDS_PART)


class ChangedSpan(NamedTuple):
    """The note at characters ``start`` to ``end`` of its message."""

    start: int
    end: int
    note_id: UUID


class NoteSources:
    """When notes were said and repeated, by their sources; loaded once for all messages of a batch."""

    def __init__(self, sources: Iterable[tuple[UUID, UUID, int, datetime]]) -> None:
        self._sources = list(sources)

    @classmethod
    def load(cls, endings: Iterable[NoteEnding], subjects: Collection[UUID]) -> "NoteSources":
        notes = {one.note_id for one in endings}
        links = SnapshotSource.objects.filter(subject_id__in=subjects, memory_id__in=notes).order_by()
        at = ("message__conversation_id", "message__seq", "message__said_at")
        return cls(links.values_list("memory_id", *at) if notes else ())

    def list_said_after(self, message: Message) -> set[UUID]:
        return {
            note_id
            for note_id, conversation_id, seq, said_at in self._sources
            if (seq > message.seq if conversation_id == message.conversation_id else said_at > message.said_at)
        }


def write_endings(message_endings: Sequence[tuple[Message, Sequence[NoteEnding]]]) -> None:
    """End the notes that messages end, in the order in which they were said, in the open scope; new notes are stored
    before."""
    messages, endings = [one for one, _ in message_endings], [ending for _, own in message_endings for ending in own]
    made = load_note_spans(messages)
    tellings = NoteSources.load(endings, {one.subject_id for one in messages})
    for message, own in message_endings:
        apply_endings(message, own, tellings)
        record_successors(message, own, made.get(message.id, ()), tellings)


def apply_endings(
    message: Message, endings: Sequence[NoteEnding], tellings: NoteSources | None = None
) -> list[NoteEnding]:
    """End notes that a message ends, and mark those that it makes doubtful; return the endings that had an effect.

    A note keeps its words and gets ``invalid_at``, and ``superseded_by`` where the message has a newer note. Its
    statement ends with the last of its notes, and the slots that it filled end with the note. A note of which only a
    part ends becomes doubtful; of its slots, those end that the sentence names. Notes that were said after the message,
    or have ended since, stay as they are.
    """
    meant = [one for one in endings if one.effect is not EndingEffect.RETELLS]
    if not meant:
        return []
    lock_subject(message.subject)
    lock_memory(message.subject_id)
    rows = load_current_notes(message.subject_id, [one.note_id for one in meant])
    said_again = (tellings or NoteSources.load(meant, [message.subject_id])).list_said_after(message)
    changed, positions = [], []
    for one in meant:
        if one.note_id not in rows or one.note_id in said_again:
            continue
        snapshot, note = rows[one.note_id]
        if not is_said_before(snapshot, message):
            continue
        if one.is_sure:
            touched = end_note(snapshot, note, at=message.said_at, by=message.id)
        else:
            touched = doubt_note(snapshot, note, by=message.id)
        positions += touched
        changed += [one] if touched else []
    if positions:
        begin_memory_epoch(message.subject_id, changed=positions)
    # The words by which slots of a note are over; None for all of them.
    over = {
        one.note_id: (one.wrong or None) if one.is_sure else message.content[one.start : one.end]
        for one in changed
        if one.effect in SLOT_ENDING_EFFECTS
    }
    if over:
        end_slots_of_notes(message.subject, over, at=message.said_at, message=message)
    return changed


def load_note_spans(messages: Collection[Message]) -> dict[UUID, list[ChangedSpan]]:
    """Return the notes that messages made and their places, by message, in the open scope."""
    ids, subjects = [one.id for one in messages], {one.subject_id for one in messages}
    if not ids:
        return {}
    rows = SnapshotSource.objects.filter(subject_id__in=subjects, message_id__in=ids, memory__kind=SnapshotKind.NOTE)
    links = list(rows.order_by().values_list("message_id", "memory_id"))
    notes = Note.objects.filter(subject_id__in=subjects, snapshot_id__in={note_id for _, note_id in links})
    placed = notes.filter(span_start__isnull=False).values_list("snapshot_id", "span_start", "span_end")
    places = {note_id: ChangedSpan(start or 0, end or 0, note_id) for note_id, start, end in placed}
    made: dict[UUID, list[ChangedSpan]] = {}
    for message_id, note_id in links:
        if note_id in places:
            made.setdefault(message_id, []).append(places[note_id])
    return made


def record_successors(
    message: Message,
    endings: Sequence[NoteEnding],
    note_spans: Sequence[ChangedSpan],
    tellings: NoteSources | None = None,
) -> None:
    """Link each note that a message ended, doubted or retold to its newer note: the one of the same words in
    ``note_spans``, else the whole message. A note that was retold later than the message keeps its link."""
    own = {"subject_id": message.subject_id}
    said_again = (tellings or NoteSources.load(endings, [message.subject_id])).list_said_after(message)
    retold: dict[UUID, list[UUID]] = {}
    for one in endings:
        over = [place for place in note_spans if place.start < one.end and one.start < place.end]
        newer = min(over).note_id if over else stable_id(STATEMENT_VERSION, message.id)
        if newer == one.note_id:
            continue
        if one.is_sure and over:
            by_message = Note.objects.filter(snapshot_id=one.note_id, changed_by=message.id, **own)
            ended = Snapshot.objects.filter(id__in=by_message.values("snapshot_id"), superseded_by__isnull=True, **own)
            ended.filter(invalid_at__isnull=False).update(superseded_by=newer, version=F("version") + 1)
            if one.wrong:
                transfer_slots(message.subject_id, one.note_id, newer)
        elif one.effect in (EndingEffect.DOUBTS, EndingEffect.ENDS_PART):
            Note.objects.filter(snapshot_id=one.note_id, changed_by=message.id, **own).update(newer=newer)
        elif one.note_id not in said_again:
            retold.setdefault(newer, []).append(one.note_id)
    later = Snapshot.objects.filter(id=OuterRef("newer"), said_at__gt=message.said_at, **own)
    for newer, notes in retold.items():
        standing = Note.objects.filter(snapshot_id__in=notes, possibly_outdated=False, **own)
        standing.exclude(Exists(later)).update(newer=newer)


def undo_endings(subject_id: UUID, messages: Collection[UUID]) -> int:
    """Restore the notes that these messages ended or made doubtful, in the open scope, as if the messages had never
    been said; return how many."""
    own = {"subject_id": subject_id}
    notes = list(Note.objects.filter(changed_by__in=list(messages), **own))
    if not notes:
        return 0
    statements = [note.statement_id for note in notes if note.statement_id is not None]
    ended = Snapshot.objects.filter(id__in=[note.snapshot_id for note in notes], **own)
    told = Snapshot.objects.filter(
        id__in=statements, kind=SnapshotKind.STATEMENT, superseded_by__isnull=True, invalid_at__isnull=False, **own
    )
    begin_memory_epoch(
        subject_id, changed=[*ended.values_list("position", flat=True), *told.values_list("position", flat=True)]
    )
    again: dict[str, Any] = {"invalid_at": None, "superseded_by": None, "version": F("version") + 1}
    told.update(**again)
    ended.update(**again)
    Note.objects.filter(id__in=[note.id for note in notes], **own).update(changed_by=None, possibly_outdated=False)
    return len(notes)
