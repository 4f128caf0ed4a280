"""Corrections in the user's next turn are applied at once, and only once if the product posts the turn as well."""

from datetime import datetime

from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.text import content_hash
from profiles.services.subject_lock import lock_subject
from snapshots.models import Message, MessageRole, Receipt
from snapshots.understanding.believing.immediate_corrections import (
    APPLIED,
    apply_corrections,
    apply_unposted_correction,
    record_change_times,
)
from snapshots.understanding.believing.lesson import CandidateResult
from snapshots.understanding.config import EXTRACTION
from snapshots.understanding.correcting.value_correction_detection import may_correct


def apply_turn_corrections(receipt: Receipt, next_turn: str, *, at: datetime) -> list[CandidateResult]:
    """Apply the corrections in ``next_turn``, told at ``at``; return the results of those that no call has applied yet.

    If the conversation holds these words as a message, intake has applied them. Nothing is learned from a conversation
    that must not be remembered.
    """
    if len(next_turn) > EXTRACTION.fast_lane_chars or not may_correct(next_turn):
        return []
    lock_subject(receipt.subject)  # before the receipt's rows, as everywhere: the subject comes first
    conversation = receipt.conversation
    if conversation is not None and not conversation.remember:
        return []
    posted = find_posted_turn(receipt, next_turn)
    if posted is not None and conversation is not None:
        results = apply_corrections(receipt.subject, conversation, [posted])
    else:
        results = apply_unposted_correction(receipt.subject, _build_unposted_message(receipt, next_turn, at))
    changed = [one.memory_id for one in results if one.verdict in APPLIED]
    record_change_times(receipt.subject_id, changed, accepted_at=at)
    return results


def find_posted_turn(receipt: Receipt, next_turn: str) -> Message | None:
    """Return the user's message after the receipt with exactly these words, if the product posted it."""
    if receipt.conversation_id is None:
        return None
    after = Message.objects.filter(
        subject_id=receipt.subject_id,
        conversation_id=receipt.conversation_id,
        role=MessageRole.USER,
        accepted_at__gte=receipt.created_at,
        content=next_turn,
    )
    return after.order_by("seq").first()


def _build_unposted_message(receipt: Receipt, next_turn: str, at: datetime) -> Message:
    return Message(
        id=stable_id("outcome", receipt.id, content_hash(next_turn).hex()),
        subject_id=receipt.subject_id,
        role=MessageRole.USER,
        content=next_turn,
        seq=0,
        said_at=at,
    )
