"""The fast lane's seam: corrections in new messages are applied in the transaction that accepts them (row G4)."""

from collections.abc import Sequence

from profiles.models import Subject
from snapshots.intake.values import FastLaneResult
from snapshots.models import Conversation, Message


def correct_at_once(
    subject: Subject, conversation: Conversation, messages: Sequence[Message]
) -> tuple[FastLaneResult, ...]:
    """Apply what the subject's new messages correct; the same conversation's next call sees it."""
    return ()
