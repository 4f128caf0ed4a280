"""The fast lane at the door: corrections in new messages are applied in the transaction that accepts them (row G4)."""

from collections.abc import Sequence

from profiles.models import Subject
from snapshots.extraction.fast_lane import apply_corrections
from snapshots.intake.values import FastLaneResult
from snapshots.models import Conversation, Message


def correct_at_once(
    subject: Subject, conversation: Conversation, messages: Sequence[Message]
) -> tuple[FastLaneResult, ...]:
    """Apply what the subject's new messages correct; the same conversation's next call sees it."""
    applied = apply_corrections(subject, conversation, messages)
    return tuple(
        FastLaneResult(*result.target.split("/", 1), result.verdict, result.memory_id)  # type: ignore[misc]  # two parts
        for result in applied
        if "/" in result.target
    )
