"""The replies to several answers at once, for lists: the first words that the assistant said after each question."""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q

from memory_platform.console.transcript.answers import read_question
from memory_platform.kernel.text import to_comparable
from snapshots.feedback.config import LOOP
from snapshots.models import Message, MessageRole, Receipt


def load_replies(receipts: Iterable[Receipt]) -> dict[UUID, str]:
    """Return the reply to each answer that names its conversation, as far as the product posted it and its text is not
    in the archive. One query."""
    named = [receipt for receipt in receipts if receipt.conversation_id is not None]
    if not named:
        return {}
    later = Message.objects.filter(reduce(or_, map(_select_later, named)), role__in=_SPEAKERS)
    rows = list(later.order_by("conversation_id", "seq")[: len(named) * LOOP.replies_read])
    found = {receipt.pk: _find_reply(receipt, rows) for receipt in named}
    return {receipt_id: reply for receipt_id, reply in found.items() if reply}


_SPEAKERS = (MessageRole.USER, MessageRole.ASSISTANT)


def _select_later(receipt: Receipt) -> Q:
    begin = receipt.created_at
    return Q(
        conversation_id=receipt.conversation_id, accepted_at__gte=begin, accepted_at__lt=begin + LOOP.answer_within
    )


def _find_reply(receipt: Receipt, rows: Sequence[Message]) -> str:
    """Return the assistant's first words after the question, unless the person spoke before them; "" for none."""
    end = receipt.created_at + LOOP.answer_within
    for message in rows:
        is_later = receipt.created_at <= message.accepted_at < end
        if message.conversation_id != receipt.conversation_id or not is_later:
            continue
        if message.role == MessageRole.ASSISTANT:
            return message.content or ""
        # A product may post the question itself after it has requested the context.
        if to_comparable(message.content or "") != to_comparable(read_question(receipt) or ""):
            return ""
    return ""
