"""Make notes of messages: read and grade them, apply the tenant's policy, index them, and store or confirm them.

The worker's pipeline and ``manage.py make_notes`` share these steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.models import Subject
from snapshots.embedding.drafts import prepare_snapshots
from snapshots.embedding.spaces import active_embedders
from snapshots.models import SnapshotKind, SnapshotSource
from snapshots.notes.section import NotesPolicy
from snapshots.notes.slots import SaidPart, link_slots
from snapshots.notes.store import confirm_notes, store_notes
from snapshots.notes.values import NoteRepeat, PreparedNote
from snapshots.understanding.changes.following import Read
from snapshots.understanding.drafting.draft import NoteDraft, note_drafts, spoken_of, wanted_notes
from snapshots.understanding.drafting.repeats import HeldNote, as_held, held_notes, repeat_of
from snapshots.understanding.grading.orders import without_orders
from snapshots.understanding.grading.reader import grade_messages
from snapshots.understanding.heard.repetition import as_guessed, habit_repeat_of
from snapshots.understanding.statements.statements import Heard


def read_messages(heard: Sequence[Heard], names: Mapping[UUID, frozenset[str]]) -> list[Read]:
    """Grade messages and return them with their notes, in order. No transaction may be open.

    Without the encoder's files the list is empty: ``manage.py make_notes`` makes the notes later.
    """
    try:
        spoken = without_orders([spoken_of(one, names[one.message.subject_id]) for one in heard])
        grades = grade_messages(spoken)
    except EmbeddingUnavailable as missing:
        log(Event.EXTRACTION_DEGRADED, messages=len(heard), error=type(missing).__name__)
        return []
    return [
        Read(one, said, graded, [as_guessed(note) for note in note_drafts(one, said, graded)])
        for one, said, graded in zip(heard, spoken, grades, strict=True)
    ]


def keep_wanted(read: Sequence[Read], policy: NotesPolicy) -> list[Read]:
    """Return the messages with the notes that the tenant's policy allows."""
    return [replace(one, drafts=list(wanted_notes(one.drafts, policy))) for one in read]


def index_notes(drafts: Sequence[NoteDraft]) -> dict[UUID, list[PreparedNote]]:
    """Return drafted notes indexed and embedded, by the message that says them. No transaction may be open."""
    found: dict[UUID, list[PreparedNote]] = {}
    prepared = prepare_snapshots([draft.snapshot for draft in drafts], active_embedders())
    for draft, ready in zip(drafts, prepared, strict=True):
        found.setdefault(draft.snapshot.message_ids[-1], []).append(PreparedNote(ready, draft.details))
    return found


def write_notes(subjects: Mapping[UUID, Subject], prepared: Sequence[PreparedNote]) -> int:
    """Store new notes and confirm repeated ones, in the order in which they were said, in the open scope.

    Return how many are new. A message that is delivered again makes no further note: its notes are stored, or have
    ended since.
    """
    messages = {message for one in prepared for message in one.prepared.draft.message_ids}
    links = SnapshotSource.objects.filter(message_id__in=messages, memory__kind=SnapshotKind.NOTE)
    delivered = frozenset(links.values_list("message_id", flat=True)) if messages else frozenset()
    new: list[PreparedNote] = []
    repeats: dict[UUID, list[NoteRepeat]] = {}
    parts: list[SaidPart] = []
    held: dict[UUID, list[HeldNote]] = {}
    for one in prepared:
        draft = NoteDraft(one.prepared.draft, one.details)
        subject_id, message_id = draft.snapshot.subject_id, draft.snapshot.message_ids[-1]
        if subject_id not in held:
            held[subject_id] = held_notes(subject_id)
        known = held[subject_id]
        repeat = repeat_of(draft, known) or habit_repeat_of(draft, known)
        if repeat is not None:
            repeats.setdefault(subject_id, []).append(repeat)
        elif message_id not in delivered:
            new.append(one)
            known.append(as_held(draft))
        start, end = draft.details.span_start, draft.details.span_end
        if start is not None and end is not None:
            note_id = repeat.note_id if repeat else draft.snapshot.id
            parts.append(SaidPart(subject_id, note_id, message_id, start, end))
    stored = store_notes(new)
    confirmed = {repeat.note_id for own in repeats.values() for repeat in own}
    link_slots([part for part in parts if part.note_id in {*stored, *confirmed}])
    for subject_id, again in sorted(repeats.items(), key=lambda pair: str(pair[0])):
        confirm_notes(subjects[subject_id], again)
    return len(stored)
