"""Make notes of messages: read and grade them, apply the tenant's policy, index them, and store or confirm them.

The worker's pipeline and ``manage.py make_notes`` share these steps.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.models import Subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.models import SnapshotKind, SnapshotSource
from snapshots.notes.policy_section import NotesPolicy
from snapshots.notes.slot_links import NoteSpan, link_notes_to_slots
from snapshots.notes.store_and_confirm import confirm_notes, store_notes
from snapshots.notes.values import NoteRepeat, PreparedNote
from snapshots.understanding.changes.notes_ended_by_messages import ReadMessage
from snapshots.understanding.drafting.note_drafts import (
    NoteDraft,
    apply_notes_policy,
    build_spoken_message,
    draft_message_notes,
)
from snapshots.understanding.drafting.repeated_habits import find_habit_repeat, weaken_unsure_habit
from snapshots.understanding.drafting.repeated_notes import KnownNote, find_repeat, load_known_notes, make_known_note
from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.grading.planted_instruction_filter import drop_instructions
from snapshots.understanding.statements.statements import HeardMessage


def grade_and_draft_messages(
    messages: Sequence[HeardMessage], names: Mapping[UUID, frozenset[str]]
) -> list[ReadMessage]:
    """Grade messages and return them with their notes, in order. No transaction may be open. Without the encoder's
    files the list is empty: ``manage.py make_notes`` makes the notes later."""
    try:
        spoken = drop_instructions([build_spoken_message(one, names[one.message.subject_id]) for one in messages])
        grades = grade_messages(spoken)
    except EmbeddingUnavailable as missing:
        log(Event.EXTRACTION_DEGRADED, messages=len(messages), error=type(missing).__name__)
        return []
    return [
        ReadMessage(one, said, graded, [weaken_unsure_habit(note) for note in draft_message_notes(one, said, graded)])
        for one, said, graded in zip(messages, spoken, grades, strict=True)
    ]


def drop_unwanted_notes(read: Sequence[ReadMessage], policy: NotesPolicy) -> list[ReadMessage]:
    return [replace(one, drafts=list(apply_notes_policy(one.drafts, policy))) for one in read]


def index_notes(drafts: Sequence[NoteDraft]) -> dict[UUID, list[PreparedNote]]:
    """Return drafted notes indexed and embedded, by the message that says them. No transaction may be open."""
    found: dict[UUID, list[PreparedNote]] = {}
    prepared = prepare_snapshots([draft.snapshot for draft in drafts], active_embedders())
    for draft, ready in zip(drafts, prepared, strict=True):
        found.setdefault(draft.snapshot.message_ids[-1], []).append(PreparedNote(ready, draft.details))
    return found


def write_notes(subjects: Mapping[UUID, Subject], notes: Sequence[PreparedNote]) -> int:
    """Store new notes and confirm repeated ones, in the order in which they were said, in the open scope. Return how
    many are new. A message that is delivered again makes no further note: its notes are stored, or have ended since."""
    messages = {message for one in notes for message in one.snapshot.draft.message_ids}
    links = SnapshotSource.objects.filter(message_id__in=messages, memory__kind=SnapshotKind.NOTE)
    delivered = frozenset(links.values_list("message_id", flat=True)) if messages else frozenset()
    new: list[PreparedNote] = []
    repeats: dict[UUID, list[NoteRepeat]] = {}
    parts: list[NoteSpan] = []
    held: dict[UUID, list[KnownNote]] = {}
    for one in notes:
        draft = NoteDraft(one.snapshot.draft, one.details)
        subject_id, message_id = draft.snapshot.subject_id, draft.snapshot.message_ids[-1]
        if subject_id not in held:
            held[subject_id] = load_known_notes(subject_id)
        known = held[subject_id]
        repeat = find_repeat(draft, known) or find_habit_repeat(draft, known)
        if repeat is not None:
            repeats.setdefault(subject_id, []).append(repeat)
        elif message_id not in delivered:
            new.append(one)
            known.append(make_known_note(draft))
        start, end = draft.details.span_start, draft.details.span_end
        if start is not None and end is not None:
            note_id = repeat.note_id if repeat else draft.snapshot.id
            parts.append(NoteSpan(subject_id, note_id, message_id, start, end))
    stored = store_notes(new)
    confirmed = {repeat.note_id for own in repeats.values() for repeat in own}
    link_notes_to_slots([part for part in parts if part.note_id in {*stored, *confirmed}])
    for subject_id, again in sorted(repeats.items(), key=lambda pair: str(pair[0])):
        confirm_notes(subjects[subject_id], again)
    return len(stored)
