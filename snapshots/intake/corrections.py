"""The fast lane at the door: corrections in new messages are applied in the transaction that accepts them (row G4)."""

from collections.abc import Sequence

from profiles.models import CandidateKind, Subject
from snapshots.extraction.fast_lane import apply_corrections, note_changes
from snapshots.extraction.learn import Learned
from snapshots.intake.values import FastLaneResult
from snapshots.models import Conversation, Message


def correct_at_once(
    subject: Subject, conversation: Conversation, messages: Sequence[Message]
) -> tuple[FastLaneResult, ...]:
    """Apply what the subject's new messages correct; the same conversation's next call sees it."""
    results = apply_corrections(subject, conversation, messages)
    if results:
        note_changes(subject.id, results, accepted_at=messages[0].accepted_at)
    return tuple(result_of(result) for result in results)


def result_of(learned: Learned) -> FastLaneResult:
    """Return what became of a correction as it is answered."""
    if not learned.target:
        return FastLaneResult(None, None, None, learned.verdict, learned.reason or None, None)
    is_preference = learned.kind is CandidateKind.PREFERENCE
    category, _, key = learned.target.partition("/") if is_preference else ("", "", learned.target)
    return FastLaneResult(
        category or None, key, learned.kind, learned.verdict, learned.reason or None, learned.memory_id
    )
