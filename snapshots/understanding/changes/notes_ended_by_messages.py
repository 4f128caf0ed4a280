"""Find the notes that messages end: notes known before each message, and notes of messages that arrive late.

Computed with no transaction open, except short ones that read; the result is written later, in one transaction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from profiles.models import Subject
from profiles.selectors import load_own_names
from snapshots.models import Message, MessageRole
from snapshots.understanding.changes.note_ending_sentences import ChangingSentence, find_changing_sentences
from snapshots.understanding.changes.predicted_endings import (
    CurrentNote,
    NoteComparison,
    NoteEnding,
    classify_comparison,
    is_said_before,
    load_current_notes,
    pair_sentences_with_notes,
    predict_endings,
)
from snapshots.understanding.config import CHANGES, ChangeConfig
from snapshots.understanding.drafting.note_drafts import NoteDraft, build_spoken_message
from snapshots.understanding.grading.clause_classifier import ClauseGrade, grade_messages
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.grading.planted_instruction_filter import drop_instructions
from snapshots.understanding.grading.sentence_vectors import embed_sentences
from snapshots.understanding.statements.statements import HeardMessage, load_heard_messages
from tenants.isolation import tenant_tx


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message with its graded clauses, its notes, and the ends of the notes that it corrects."""

    heard: HeardMessage
    spoken: SpokenMessage
    grades: Sequence[ClauseGrade]
    drafts: Sequence[NoteDraft]
    put_right: tuple[NoteEnding, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageEndings:
    message: Message
    endings: tuple[NoteEnding, ...]


def find_message_endings(tenant_id: UUID, read: Sequence[ReadMessage]) -> list[MessageEndings]:
    """Return the endings of each message, in the order in which they were said. Opens scopes of its own to read. Notes
    of a message that arrives late are also compared with messages that were said after it and read before it."""
    ordered = sorted(read, key=lambda one: (one.heard.message.said_at, one.heard.message.seq))
    changing = {
        one.heard.message.id: find_changing_sentences(one.spoken, one.grades, lasting=bool(one.drafts))
        for one in ordered
    }
    for one in ordered:  # a sentence that puts a note right means that note alone
        put = {(ending.start, ending.end) for ending in one.put_right}
        said = changing[one.heard.message.id]
        changing[one.heard.message.id] = [each for each in said if (each.start, each.end) not in put]
    found = [MessageEndings(one.heard.message, one.put_right) for one in ordered if one.put_right]
    if any(changing.values()):
        found += _find_endings_of_known_notes(tenant_id, ordered, changing)
    return [*found, *_find_endings_of_late_notes(tenant_id, ordered)]


def _find_endings_of_known_notes(
    tenant_id: UUID, ordered: Sequence[ReadMessage], changing: Mapping[UUID, Sequence[ChangingSentence]]
) -> list[MessageEndings]:
    telling = [one.heard.message for one in ordered if changing[one.heard.message.id]]
    since = min(map(compute_ending_time, telling))
    with tenant_tx(tenant_id):
        held = {one: load_current_notes(one, since=since) for one in {message.subject_id for message in telling}}
    compared: list[tuple[Message, NoteComparison]] = []
    for one in ordered:
        message = one.heard.message
        if message.subject_id not in held:
            continue
        known = held[message.subject_id]
        if changing[message.id]:
            before = [note for note in known if holds_before(note, message)]
            compared.append((message, pair_sentences_with_notes(changing[message.id], before)))
        there = {note.id for note in known}
        known += [CurrentNote.from_draft(draft) for draft in one.drafts if draft.snapshot.id not in there]
    vectors = embed_sentences(
        list(dict.fromkeys(text for _, one in compared for text in one.texts_to_embed))
    )  # all in one batch
    found = [MessageEndings(message, tuple(classify_comparison(one, vectors))) for message, one in compared]
    return [one for one in found if one.endings]


def _find_endings_of_late_notes(tenant_id: UUID, ordered: Sequence[ReadMessage]) -> list[MessageEndings]:
    late = [one for one in ordered if one.drafts]
    if not late:
        return []
    with tenant_tx(tenant_id):
        after = _load_said_after([one.heard.message for one in late])
        if not after:
            return []
        wanted = {message_id for ids in after.values() for message_id in ids}
        subjects = {one.heard.message.subject_id for one in late if one.heard.message.id in after}
        later = {one.message.id: one for one in load_heard_messages(subjects, list(wanted))}
        names = load_own_names(Subject.objects.filter(id__in=subjects))
    told = [build_spoken_message(one, names[one.message.subject_id]) for one in later.values()]
    spoken = dict(zip(later, drop_instructions(told), strict=True))
    grades = dict(zip(spoken, grade_messages(list(spoken.values())), strict=True))
    found = []
    for one in late:
        drafts = [CurrentNote.from_draft(draft) for draft in one.drafts]
        for row_id in after.get(one.heard.message.id, ()):
            if row_id not in spoken:
                continue
            endings = predict_endings(find_changing_sentences(spoken[row_id], grades[row_id], lasting=True), drafts)
            if endings:
                found.append(MessageEndings(later[row_id].message, tuple(endings)))
    return found


def _load_said_after(messages: Sequence[Message], config: ChangeConfig = CHANGES) -> dict[UUID, list[UUID]]:
    """Return, by late message, the messages that were accepted before it and said after it, in their order. One
    query."""
    may = Q()
    for one in messages:
        may |= Q(subject_id=one.subject_id, said_at__gt=one.said_at, accepted_at__lt=one.accepted_at)
    rows = Message.objects.filter(may, role=MessageRole.USER, remember=True).order_by("said_at", "seq")
    told = list(rows.values_list("id", "subject_id", "said_at", "accepted_at")[: config.later_compared * len(messages)])
    after = {
        one.id: [
            row_id
            for row_id, subject_id, at, by in told
            if subject_id == one.subject_id and at > one.said_at and by < one.accepted_at
        ][: config.later_compared]
        for one in messages
    }
    return {message_id: rows for message_id, rows in after.items() if rows}


def holds_before(note: CurrentNote, message: Message) -> bool:
    holds = note.ended_at is None or note.ended_at >= compute_ending_time(message)
    return holds and is_said_before(note, message)


def compute_ending_time(message: Message) -> datetime:
    """Return the time at which a message ends something: never in the future."""
    return min(message.said_at, message.accepted_at)
