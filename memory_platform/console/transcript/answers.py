"""Answers by their question: the question as text, the turn at which it was asked, and the reply."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.value_rendering import build_change_address, render_line
from memory_platform.console.transcript.message_links import build_turn_address
from memory_platform.kernel.text import to_comparable
from snapshots.conversation_queries import add_archived_words
from snapshots.feedback.config import LOOP
from snapshots.models import Message, MessageRole, Receipt, ReceiptMemory
from snapshots.receipts.read import unpack_rendered_prompt

# Columns of a receipt that no line about it needs; its question is in the one that is left out here.
LARGE_BESIDE_QUESTION = ("candidates", "packed", "due", "sections")
# The same, for lines that also count the memories.
LARGE_BESIDE_COUNTS = ("candidates", "packed", "sections")
# Names the answer from whose page an act on a memory was reached.
ANSWER_PARAMETER = "answer"


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One answer in a list: its question, as HTML, and how many of its memories the reply used, as a sentence."""

    address: str
    question: str
    asked: str
    outcome: str


@dataclass(frozen=True, slots=True)
class PostedReply:
    """The reply to a question, as the product posted it, and the address of its turn. ``next_turn``: the person's next
    words, "" if none."""

    text: str
    said: str
    address: str
    next_turn: str = ""


@dataclass(frozen=True, slots=True)
class UseCount:
    """Of an answer's memories: how many are in its prompt, of how many the use is known, and how many were used."""

    held: int
    judged: int
    used: int


def read_question(receipt: Receipt) -> str | None:
    """Return the question of an answer; None once its text was deleted."""
    rendered = unpack_rendered_prompt(receipt)
    return rendered.query if rendered else None


def render_question(receipt: Receipt) -> str:
    """Return the beginning of the question as HTML; once it was deleted, a sentence that says so."""
    question = read_question(receipt)
    if question is None:
        return format_html('<span class="faint">{}</span>', _("Question no longer kept"))
    return render_line(question) if question.strip() else format_html('<span class="faint">{}</span>', _("No text"))


def describe_answer(receipt: Receipt, counts: Mapping[UUID, UseCount]) -> AnswerLine:
    return AnswerLine(
        build_change_address(Receipt, receipt.pk),
        render_question(receipt),
        render_time_ago(receipt.created_at),
        describe_use(counts.get(receipt.pk)),
    )


def describe_use(count: UseCount | None) -> str:
    """Return in a sentence how many memories the reply used; "" as long as nothing is known of them."""
    if count is None or not count.held:
        return ""
    if not count.judged:
        return ngettext("%(count)d memory in the prompt", "%(count)d memories in the prompt", count.held) % {
            "count": count.held
        }
    return ngettext("%(used)d of %(count)d memory used", "%(used)d of %(count)d memories used", count.held) % {
        "used": count.used,
        "count": count.held,
    }


def count_used_memories(receipts: Sequence[Receipt], subject_id: UUID) -> dict[UUID, UseCount]:
    """Return the counts of each answer that put a memory into its prompt. At most one query."""
    waiting = {receipt.pk: UseCount(len(receipt.due), 0, 0) for receipt in receipts if receipt.due is not None}
    ids = [receipt.pk for receipt in receipts if receipt.pk not in waiting]
    if not ids:
        return waiting
    rows = ReceiptMemory.objects.filter(receipt_id__in=ids, subject_id=subject_id).order_by()
    counted = rows.values_list("receipt_id").annotate(
        held=Count("id"), judged=Count("utilised"), used=Count("id", filter=Q(utilised=True))
    )
    return waiting | {receipt_id: UseCount(held, judged, used) for receipt_id, held, judged, used in counted}


def place_answers(messages: Sequence[Message], receipts: Iterable[Receipt]) -> dict[UUID, list[Receipt]]:
    """Return the answers by the message at which each was made, the earliest first. ``messages`` in their order.

    Products post a turn before or after they request its context: the user's message with the words of the question is
    the turn; without such words the last message before the answer, if that is the user's, else the next one. An
    answer that names no conversation has only the words of its question.
    """
    placed: dict[UUID, list[Receipt]] = {}
    spoken = [(message, to_comparable(message.content)) for message in messages if message.role == MessageRole.USER]
    for receipt in receipts:
        question = to_comparable(read_question(receipt) or "")
        same = [message for message, words in spoken if words and words == question]
        turn = min(same, key=lambda one: abs(one.accepted_at - receipt.created_at), default=None)
        if turn is None and receipt.conversation_id is not None:
            turn = _find_turn_by_time(messages, receipt)
        if turn is not None:
            placed.setdefault(turn.id, []).append(receipt)
    return placed


def _find_turn_by_time(messages: Sequence[Message], receipt: Receipt) -> Message | None:
    before = [message for message in messages if message.accepted_at <= receipt.created_at]
    if before and before[-1].role == MessageRole.USER:
        return before[-1]
    after = (message for message in messages[len(before) :] if message.role == MessageRole.USER)
    return next(after, before[-1] if before else None)


def load_reply(receipt: Receipt) -> PostedReply | None:
    """Return the reply to a question as far as the product posted it to the conversation. At most five queries."""
    own = Message.objects.filter(subject_id=receipt.subject_id)
    conversation_id = receipt.conversation_id or _find_conversation_by_words(receipt, own)
    if conversation_id is None:
        return None
    own = own.filter(conversation_id=conversation_id)
    later = list(_filter_by_answer_time(own, receipt).order_by("seq")[: LOOP.replies_read])
    spoken = _choose_reply(later, is_asked=_is_turn_posted(own, receipt, later))
    if not spoken:
        return None
    after = next((one for one in later if one.role == MessageRole.USER and one.seq > spoken[-1].seq), None)
    told = add_archived_words([*spoken, *([after] if after else [])])
    words = [message.content for message in told[: len(spoken)] if message.content]
    first = spoken[0]
    return PostedReply(
        "\n".join(words),
        render_time_ago(first.said_at),
        build_turn_address(first.conversation_id, first.id),
        told[-1].content or "" if after else "",
    )


def _filter_by_answer_time(own: QuerySet[Message], receipt: Receipt) -> QuerySet[Message]:
    return own.filter(accepted_at__gte=receipt.created_at, accepted_at__lt=receipt.created_at + LOOP.answer_within)


def _find_conversation_by_words(receipt: Receipt, own: QuerySet[Message]) -> UUID | None:
    """Return the conversation in which the user said the question, next to the time of the answer: a request may name
    none, or one that does not exist yet."""
    question = to_comparable(read_question(receipt) or "")
    if not question:
        return None
    said = own.filter(role=MessageRole.USER).only("content", "conversation_id", "accepted_at")
    begin = receipt.created_at - LOOP.answer_within
    before = said.filter(accepted_at__gt=begin, accepted_at__lt=receipt.created_at).order_by("-accepted_at")
    after = _filter_by_answer_time(said, receipt).order_by("accepted_at")
    near = [*before[: LOOP.replies_read], *after[: LOOP.replies_read]]
    same = [one for one in near if to_comparable(one.content) == question]
    turn = min(same, key=lambda one: abs(one.accepted_at - receipt.created_at), default=None)
    return turn.conversation_id if turn else None


def _is_turn_posted(own: QuerySet[Message], receipt: Receipt, later: Sequence[Message]) -> bool:
    """Return whether the turn stood in the conversation before its context was requested."""
    question = to_comparable(read_question(receipt) or "")
    first = next((one for one in later if one.role == MessageRole.USER), None)
    if question and first is not None and to_comparable(first.content) == question:
        return False
    last = own.filter(accepted_at__lt=receipt.created_at).order_by("-seq").only("role").first()
    return last is not None and last.role in (MessageRole.USER, MessageRole.TOOL)


def _choose_reply(later: Sequence[Message], *, is_asked: bool) -> list[Message]:
    """Return the assistant's messages up to the user's next turn."""
    spoken: list[Message] = []
    for message in later:
        if message.role == MessageRole.USER:
            if is_asked or spoken:
                break
            is_asked = True
        elif message.role == MessageRole.ASSISTANT:
            spoken.append(message)
    return spoken
