"""The turns around an order to forget: earlier ones that it may mean, and the answers that repeat them. In the open
scope."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from memory_platform.kernel.keyword_terms import split_terms
from snapshots.conversation_queries import add_archived_words
from snapshots.forgetting.config import FORGETTING
from snapshots.forgetting.hidden_rows import decompress_rows
from snapshots.forgetting.topic_words import repeats_secret
from snapshots.models import (
    SOURCES,
    ForgetOrder,
    ForgetOrderState,
    Message,
    MessageRole,
    Snapshot,
    SnapshotKind,
    SnapshotSource,
)
from snapshots.understanding.heard.forget_orders import SpokenForgetOrder as HeardOrder
from snapshots.understanding.heard.forget_orders import find_forget_orders
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.statements.statements import is_statement

# An answer that only shares such a little with what was said does not repeat it.
_SHARED_TERMS = 1
_NEWEST = ("-accepted_at", "-seq")


def load_turns_before(message: Message) -> Sequence[Message]:
    """Return the turns before a message that its order can reach, newest first."""
    rows = Message.objects.filter(
        subject_id=message.subject_id, conversation_id=message.conversation_id, seq__lt=message.seq
    ).order_by("-seq")
    found: list[Message] = []
    users = 0
    for row in add_archived_words(list(rows[: 8 * FORGETTING.turns])):
        users += row.role == MessageRole.USER
        if users > FORGETTING.turns:
            break
        found.append(row)
    return found


def load_remembered_turns(order: Message) -> list[Message]:
    """Return the user's earlier turns that are still remembered: first of this conversation, then of others; newest
    first."""
    own = Message.objects.filter(subject_id=order.subject_id, role=MessageRole.USER, remember=True)
    here = own.filter(conversation_id=order.conversation_id, seq__lt=order.seq).order_by("-seq")
    there = own.filter(accepted_at__lte=order.accepted_at).exclude(conversation_id=order.conversation_id)
    rows = [*here[: FORGETTING.turns_searched], *there.order_by(*_NEWEST)[: FORGETTING.told_elsewhere]]
    return [row for row in add_archived_words(rows) if row.content and is_statement(row)]


def load_newest_turns(**filters: Any) -> list[Message]:
    """Return a user's newest turns of any conversation, which an order that comes now may mean."""
    rows = Message.objects.filter(**filters, role=MessageRole.USER, remember=True).order_by(*_NEWEST)
    return [
        row
        for row in add_archived_words(list(rows[: FORGETTING.turns_searched + FORGETTING.told_elsewhere]))
        if row.content
    ]


def blank_orders(text: str, *, acknowledged: bool = False) -> str:
    for order in find_forget_orders(text, acknowledged=acknowledged):
        text = blank_order(text, order)
    return text


def blank_order(text: str, order: HeardOrder) -> str:
    return text[: order.start] + " " * (order.end - order.start) + text[order.end :]


def load_answers_after(message: Message) -> list[Message]:
    if message.role != MessageRole.USER:
        return []
    rows = Message.objects.filter(
        subject_id=message.subject_id, conversation_id=message.conversation_id, seq__gt=message.seq
    ).order_by("seq")[:4]
    answers: list[Message] = []
    for row in add_archived_words(list(rows)):
        if row.role == MessageRole.USER:
            break
        answers.append(row)
    return answers


def tells_anything_new(message: Message) -> bool:
    if not message.content or not message.remember or not is_statement(message):
        return False
    return tells_something(blank_orders(message.content)) or _has_taught(message)


def list_messages_with_answers(messages: Iterable[Message]) -> list[UUID]:
    """Return messages, each with the assistant's turns right after it that use its words."""
    found: list[UUID] = []
    for message in messages:
        words = set(split_terms(message.content))
        answers = [
            one.id for one in load_answers_after(message) if len(words & set(split_terms(one.content))) >= _SHARED_TERMS
        ]
        found += [message.id, *answers]
    return found


def _has_taught(message: Message) -> bool:
    notes = SnapshotSource.objects.filter(
        subject_id=message.subject_id, message_id=message.id, memory__kind=SnapshotKind.NOTE
    )
    slots = [links for model, links in SOURCES.items() if model is not Snapshot]
    own = {"subject_id": message.subject_id, "message_id": message.id}
    return notes.exists() or any(links._default_manager.filter(**own).exists() for links in slots)


def repeats_hidden(answer: Message) -> bool:
    """Return whether an assistant's turn repeats text that a recent order hid, in the open scope."""
    before = Message.objects.filter(
        subject_id=answer.subject_id,
        conversation_id=answer.conversation_id,
        seq__lt=answer.seq,
        seq__gte=answer.seq - 2 * FORGETTING.answers_after,
    )
    recent = dict(before.order_by().values_list("id", "content"))
    orders = ForgetOrder.objects.filter(
        subject_id=answer.subject_id, message_ref__in=list(recent), state=ForgetOrderState.WITHHELD
    ).order_by()
    return any(repeats_secret(answer.content, *_load_hidden_words(order)) for order in orders)


def _load_hidden_words(order: ForgetOrder) -> tuple[str, str]:
    if order.kept is None:
        return "", ""
    messages = {str(one["id"]): blank_orders(one["content"]) for one in decompress_rows(order.kept)["messages"]}
    rows = Message.objects.filter(subject_id=order.subject_id, id__in=list(messages)).order_by()
    return "\n".join(messages.values()), "\n".join(rows.values_list("content", flat=True))
