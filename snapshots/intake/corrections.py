"""The fast lane at the door: what new messages correct and end is applied in the transaction that accepts them (G4)."""

from collections.abc import Sequence
from uuid import UUID

from profiles.models import CandidateKind, Subject
from profiles.values import Verdict
from snapshots.intake.ended_notes import NOTHING_FORESEEN, Foreseen
from snapshots.intake.values import FastLaneResult
from snapshots.models import Conversation, Message
from snapshots.notes.slot_ends import end_outdated_notes
from snapshots.understanding.believing.fast_lane import APPLIED, apply_corrections, note_changes
from snapshots.understanding.believing.lessons import Learned
from snapshots.understanding.believing.message_lessons import is_forgotten_message
from snapshots.understanding.changes.ending import apply_endings
from snapshots.understanding.changes.foresee import Ending

NOTE = "note"
ENDED, DOUBTED = "ended", "possibly_outdated"


def correct_at_once(
    subject: Subject,
    conversation: Conversation,
    messages: Sequence[Message],
    foreseen: Foreseen = NOTHING_FORESEEN,
) -> tuple[FastLaneResult, ...]:
    """Apply what the subject's new messages correct and end; the same conversation's next call sees it."""
    results = apply_corrections(subject, conversation, messages)
    changed = [one.memory_id for one in results if one.verdict in APPLIED]
    outdated = end_outdated_notes(subject.id, [one.id for one in messages]) if changed else []
    endings = _end_notes(messages, foreseen)
    changed += [*outdated, *(one.note_id for one in endings if one.is_sure)]
    if changed:
        note_changes(subject.id, changed, accepted_at=messages[0].accepted_at)
    ended = [*((note_id, True) for note_id in outdated), *((one.note_id, one.is_sure) for one in endings)]
    return (*map(result_of, results), *(_result_of_note(*one) for one in ended))


def result_of(learned: Learned) -> FastLaneResult:
    """Return what became of a correction as it is answered."""
    if not learned.target:
        return FastLaneResult(None, None, None, learned.verdict, learned.reason or None, None)
    is_preference = learned.kind is CandidateKind.PREFERENCE
    category, _, key = learned.target.partition("/") if is_preference else ("", "", learned.target)
    return FastLaneResult(
        category or None, key, learned.kind, learned.verdict, learned.reason or None, learned.memory_id
    )


def _end_notes(messages: Sequence[Message], foreseen: Foreseen) -> list[Ending]:
    """End the notes that messages were foreseen to end; not by words that the subject had forgotten."""
    ended = []
    for message in messages:
        endings = foreseen.by_text.get(message.content, ()) if message.remember else ()
        if endings and not is_forgotten_message(message):
            ended += apply_endings(message, endings)
    return ended


def _result_of_note(note_id: UUID, is_over: bool) -> FastLaneResult:
    verdict, reason = (Verdict.SUPERSEDED, ENDED) if is_over else (Verdict.UNCHANGED, DOUBTED)
    return FastLaneResult(None, None, NOTE, verdict, reason, note_id)
