"""The fast lane at the door: corrections in new messages are applied in the transaction that accepts them (row G4)."""

from collections.abc import Sequence

from profiles.models import Subject
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
    return tuple(_shown(result) for result in results if result.target)


def _shown(result: Learned) -> FastLaneResult:
    category, _, key = result.target.partition("/")
    return FastLaneResult(category, key, result.verdict, result.memory_id)
