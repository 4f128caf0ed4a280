"""Results of answers, for lists of them: the reply, and how it was received. Two queries for any number."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef
from django.db.models.functions import JSONObject, Left
from django.utils.html import format_html

from memory_platform.console.shared.status_badges import BAD, GOOD, WARNING, StatusBadge, render_badge
from memory_platform.console.shared.value_rendering import render_line
from memory_platform.console.transcript.answers import read_question
from memory_platform.console.transcript.feedback_labels import label_signal
from memory_platform.kernel.text import to_comparable
from snapshots.feedback.config import LOOP
from snapshots.feedback.values import Signal
from snapshots.models import Message, MessageRole, Receipt, ReceiptMemory

# How an answer was received, the most serious first.
SIGNAL_TONES = {Signal.CORRECTED: BAD, Signal.NEGATIVE: WARNING, Signal.POSITIVE: GOOD}
# Messages after a question among which its reply is looked for, and characters of each.
MESSAGES_READ, CHARS_READ = 4, 300


@dataclass(frozen=True, slots=True)
class ReplyOutcome:
    """The beginning of the reply, "" if none was posted, and how the answer was received."""

    reply: str = ""
    badge: StatusBadge | None = None

    @property
    def reply_line(self) -> str:
        return render_line(self.reply) if self.reply else ""

    @property
    def badge_html(self) -> str:
        return render_badge(self.badge) if self.badge else ""


def load_answer_results(receipts: Sequence[Receipt]) -> dict[UUID, ReplyOutcome]:
    """Return the result of each answer, in the open scope."""
    ids = [receipt.pk for receipt in receipts]
    if not ids:
        return {}
    replies, badges = _load_replies(receipts), load_signal_badges(ids)
    return {one: ReplyOutcome(replies.get(one, ""), badges.get(one)) for one in ids}


def load_signal_badges(receipt_ids: Collection[UUID]) -> dict[UUID, StatusBadge]:
    """Return the most serious feedback on each answer that has any but neutral. One query."""
    rows = ReceiptMemory.objects.filter(receipt_id__in=receipt_ids, signal__in=list(SIGNAL_TONES)).order_by()
    heard: dict[UUID, set[str]] = {}
    for receipt_id, signal in rows.values_list("receipt_id", "signal").distinct():
        heard.setdefault(receipt_id, set()).add(signal)
    return {receipt_id: choose_badge(signals) for receipt_id, signals in heard.items()}


def choose_badge(signals: Collection[str]) -> StatusBadge:
    """Return the badge of the most serious of some signals, of which one is in :data:`SIGNAL_TONES`."""
    worst = next(signal for signal in SIGNAL_TONES if signal in signals)
    return StatusBadge(label_signal(worst), SIGNAL_TONES[worst])


def _load_replies(receipts: Sequence[Receipt]) -> dict[UUID, str]:
    """Return the reply to each question, as far as it stands among the next messages of its conversation. One query."""
    questions = {one.pk: to_comparable(read_question(one) or "") for one in receipts if one.conversation_id is not None}
    if not questions:
        return {}
    after = Message.objects.filter(
        subject_id=OuterRef("subject_id"),
        conversation_id=OuterRef("conversation_id"),
        accepted_at__gte=OuterRef("created_at"),
        accepted_at__lt=OuterRef("created_at") + LOOP.answer_within,
    ).order_by("accepted_at", "seq")
    told = JSONObject(role=F("role"), content=Left("content", CHARS_READ))
    rows = Receipt.objects.filter(pk__in=list(questions)).order_by()
    found = rows.annotate(after=ArraySubquery(after.values(told=told)[:MESSAGES_READ])).values_list("pk", "after")
    return {receipt_id: _choose_reply(messages, questions[receipt_id]) for receipt_id, messages in found}


def _choose_reply(messages: Iterable[Mapping[str, Any]], question: str) -> str:
    """Return the first words of the assistant before the person's next turn; the question itself may stand before."""
    for message in messages:
        if message["role"] == MessageRole.ASSISTANT and message["content"]:
            return str(message["content"])
        if message["role"] == MessageRole.USER and not _is_question(message["content"] or "", question):
            return ""
    return ""


def _is_question(words: str, question: str) -> bool:
    return bool(question) and question.startswith(to_comparable(words))


def render_reply(result: ReplyOutcome | None) -> str:
    """Return the reply as HTML, in grey, for lists."""
    return format_html('<span class="faint">{}</span>', result.reply_line) if result and result.reply else ""
