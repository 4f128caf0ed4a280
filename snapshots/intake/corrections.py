"""The fast lane of intake: apply corrections and endings in the transaction that accepts their messages."""

from collections.abc import Sequence
from uuid import UUID

from profiles.models import CandidateKind, Subject
from profiles.values import Verdict
from snapshots.intake.note_endings import EndingsByText
from snapshots.models import Conversation, Message
from snapshots.notes.notes_of_ended_slots import end_outdated_notes
from snapshots.understanding.believing.immediate_corrections import APPLIED, apply_corrections, record_change_times
from snapshots.understanding.believing.lessons import CandidateResult, is_forgotten_message
from snapshots.understanding.changes.note_endings import apply_endings
from snapshots.understanding.changes.predicted_endings import NoteEnding
from snapshots.values import FastLaneResult

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
