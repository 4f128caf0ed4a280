"""The fast lane of intake: apply corrections and endings in the transaction that accepts their messages.

Endings ("I no longer work at Acme") are found before the messages are accepted: reading them embeds, which takes time
and allows no open transaction. Only short messages with a hint of a change are read, of a subject with notes; the
workers read the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.models import CandidateKind, Subject
from profiles.provenance_and_verdict import Verdict
from profiles.selectors import find_subject, load_own_names
from snapshots.fast_lane_result import FastLaneResult
from snapshots.intake.values import IncomingMessage
from snapshots.models import Conversation, Message, MessageRole
from snapshots.notes.notes_of_ended_slots import end_outdated_notes
from snapshots.understanding.believing.immediate_corrections import APPLIED, apply_corrections, record_change_times
from snapshots.understanding.believing.lesson import CandidateResult, is_forgotten_message
from snapshots.understanding.changes.apply_note_endings import apply_endings
from snapshots.understanding.changes.change_words import has_change_cue
from snapshots.understanding.changes.ending_classifier import EndingEffect
from snapshots.understanding.changes.note_ending_sentences import find_changing_sentences
from snapshots.understanding.changes.predicted_endings import (
    CurrentNote,
    NoteEnding,
    load_current_notes,
    predict_endings,
)
from snapshots.understanding.config import CHANGES, EXTRACTION
from snapshots.understanding.drafting.note_drafts import build_spoken_message
from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.grading.planted_instruction_filter import drop_instructions
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.statements.shown_memories import ShownBySubject, load_shown_prompts
from snapshots.understanding.statements.statements import HeardMessage
from tenants.isolation import tenant_tx

EndingsByText = Mapping[str, tuple[NoteEnding, ...]]


@dataclass(frozen=True, slots=True)
class _SubjectKnowledge:
    notes: Sequence[CurrentNote]
    names: frozenset[str]
    messages: Sequence[HeardMessage]


def find_endings_by_text(
    tenant_id: UUID, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]
) -> EndingsByText:
    """Return the endings of notes by the text that ends them; none without the encoder's files.

    Takes the product's own ids. Opens a scope of its own to read; costs nothing where no message holds a hint.
    """
    places = list(_find_places_to_read(incoming))
    if not places:
        return {}
    with tenant_tx(tenant_id):
        known = _load_subject_knowledge(subject_id, conversation_id, incoming, places)
    if known is None:
        return {}
    found: dict[str, tuple[NoteEnding, ...]] = {}
    try:
        spoken = drop_instructions([build_spoken_message(one, known.names) for one in known.messages])
        for one, said, grades in zip(known.messages, spoken, grade_messages(spoken), strict=True):
            endings = predict_endings(find_changing_sentences(said, grades), known.notes)
            if telling := tuple(ending for ending in endings if ending.effect is not EndingEffect.RETELLS):
                found[one.message.content] = telling
    except EmbeddingUnavailable:
        return {}
    return found


def _find_places_to_read(incoming: Sequence[IncomingMessage]) -> Iterator[int]:
    """Yield the places of the messages that may end something, within the characters that one request may read."""
    left = EXTRACTION.fast_lane_batch_chars
    for place, one in enumerate(incoming):
        text = one.text
        is_short = one.role == MessageRole.USER and one.remember and len(text) <= CHANGES.message_chars
        if not is_short or not has_change_cue(fold_for_matching(text)):
            continue
        left -= len(text)
        if left < 0:
            return
        yield place


def _load_subject_knowledge(
    subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage], places: Sequence[int]
) -> _SubjectKnowledge | None:
    """Return the subject's notes, names and utterances; None where no note is held that the messages could end."""
    subject = find_subject(subject_id)
    if subject is None:
        return None
    conversation = Conversation.objects.filter(subject_id=subject.id, external_id=conversation_id).first()
    held = load_current_notes(subject.id) if conversation is None or conversation.remember else ()
    if not held:
        return None
    messages = [_build_unsaved_message(subject, conversation, one) for one in incoming]
    last = None
    if conversation is not None and 0 in places:
        rows = Message.objects.filter(subject_id=subject.id, conversation_id=conversation.id)
        last = rows.order_by("-seq").first()
    shown: ShownBySubject = load_shown_prompts([messages[place] for place in places])
    heard = [HeardMessage(messages[place], messages[place - 1] if place else last, shown) for place in places]
    return _SubjectKnowledge(held, load_own_names([subject])[subject.id], heard)


def _build_unsaved_message(subject: Subject, conversation: Conversation | None, one: IncomingMessage) -> Message:
    now = utc_now()
    return Message(
        subject_id=subject.id,
        conversation=conversation,
        role=one.role,
        name=one.name,
        content=one.text,
        seq=0,
        said_at=one.said_at or now,
        accepted_at=now,
        remember=one.remember,
    )


NOTE_KIND = "note"
NOTE_ENDED, NOTE_DOUBTED = "ended", "possibly_outdated"


def apply_corrections_and_endings(
    subject: Subject, conversation: Conversation, messages: Sequence[Message], endings_by_text: EndingsByText
) -> tuple[FastLaneResult, ...]:
    results = apply_corrections(subject, conversation, messages)
    changed = [one.memory_id for one in results if one.verdict in APPLIED]
    outdated = end_outdated_notes(subject.id, [one.id for one in messages]) if changed else []
    endings = _end_notes(messages, endings_by_text)
    changed += [*outdated, *(one.note_id for one in endings if one.is_sure)]
    if changed:
        record_change_times(subject.id, changed, accepted_at=messages[0].accepted_at)
    ended = [*((note_id, True) for note_id in outdated), *((one.note_id, one.is_sure) for one in endings)]
    return (*map(build_correction_result, results), *(_build_note_result(*one) for one in ended))


def build_correction_result(learned: CandidateResult) -> FastLaneResult:
    reason = learned.reason or None
    if not learned.target:
        return FastLaneResult(learned.verdict, reason=reason)
    is_preference = learned.kind is CandidateKind.PREFERENCE
    category, _, key = learned.target.partition("/") if is_preference else ("", "", learned.target)
    return FastLaneResult(learned.verdict, learned.kind, learned.memory_id, category or None, key, reason)


def _end_notes(messages: Sequence[Message], endings_by_text: EndingsByText) -> list[NoteEnding]:
    ended = []
    for message in messages:
        endings = endings_by_text.get(message.content, ()) if message.remember else ()
        if endings and not is_forgotten_message(message):
            ended += apply_endings(message, endings)
    return ended


def _build_note_result(note_id: UUID, is_over: bool) -> FastLaneResult:
    verdict, reason = (Verdict.SUPERSEDED, NOTE_ENDED) if is_over else (Verdict.UNCHANGED, NOTE_DOUBTED)
    return FastLaneResult(verdict, NOTE_KIND, note_id, reason=reason)
