"""Closing the loop without the endpoint: a posted turn of the user answers the context before it."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from django.db.models import Q, QuerySet

from memory_platform.kernel.text import to_comparable
from profiles.models import Subject
from profiles.selectors import load_own_names
from snapshots.feedback.config import JUDGING, LOOP
from snapshots.feedback.reading.model_judge import is_unclear, judge_turns
from snapshots.feedback.reading.sense_classifier import classify_turns
from snapshots.feedback.record_outcome import load_query, record_outcome_part
from snapshots.feedback.values import AnsweredTurn, OutcomePart, TurnSense
from snapshots.models import Message, MessageRole, Receipt
from snapshots.queue.draining.leases import lock_leased
from snapshots.queue.values import ClaimedWork
from snapshots.receipts.read import unpack_rendered_prompt
from tenants.isolation import tenant_tx
from tenants.services.usage.metered_chat import find_metered_chat

# A context and the turn that answers it.
AnswerKey = tuple[UUID, UUID]
SenseByAnswer = Mapping[AnswerKey, TurnSense]
NO_SENSES: SenseByAnswer = {}
# Receipts looked at for one turn: its own context may have been requested several times before it came.
RECEIPTS_LOOKED_AT = 5


def record_next_turns(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Let the claimed turns answer the contexts before them, in the order in which they were accepted.

    Runs before the turns are learned from, in a transaction of its own, and again when that fails: a context that has
    its answer gets no second one. The turns are read before, with no transaction open.
    """
    with tenant_tx(tenant_id):
        turns = dict(_find_answers(items))
    if not turns:
        return
    senses = classify_senses(tenant_id, turns)
    with tenant_tx(tenant_id):
        for message in _load_user_turns(lock_leased(items)):
            record_next_turn(message, senses)


def classify_senses(tenant_id: UUID, turns: Mapping[AnswerKey, AnsweredTurn]) -> SenseByAnswer:
    senses = dict(zip(turns, classify_turns(list(turns.values())), strict=True))
    judge = find_metered_chat(tenant_id, "judge")
    if judge is not None:
        unclear = [place for place, turn in turns.items() if is_unclear(turn, senses[place])][: JUDGING.turns]
        said = judge_turns(judge, [turns[place] for place in unclear])
        senses.update((unclear[number], sense) for number, sense in said.items())
    return senses


def record_next_turn(message: Message, senses: SenseByAnswer = NO_SENSES) -> Receipt | None:
    """Record ``message`` as the next turn of the newest context before it in its conversation; return that receipt.
    None if no context precedes it, or that context has its next turn already. The assistant's messages since then are
    the reply."""
    receipt = find_answered_context(message)
    if receipt is None or receipt.answered_at is not None:
        return None
    reply = load_reply_between(receipt, message)
    record_outcome_part(
        receipt, OutcomePart(reply=reply, next=message.content), sense=senses.get((receipt.id, message.id))
    )
    return receipt


def find_answered_context(message: Message) -> Receipt | None:
    """Return the newest context that was requested before ``message``, and for another turn than this one.

    Products post a turn before or after requesting its context. The context is another turn's when its question is
    among the earlier messages, or when the assistant has spoken since.
    """
    recent = (
        Receipt.objects.filter(
            Q(conversation_id=message.conversation_id) | Q(conversation__isnull=True),
            subject_id=message.subject_id,
            created_at__gt=message.accepted_at - LOOP.answer_within,
            created_at__lt=message.accepted_at,
        )
        .defer("candidates", "packed", "sections")
        .order_by("-created_at", "-id")[:RECEIPTS_LOOKED_AT]
    )
    for receipt in recent:
        if _is_of_another_turn(receipt, message):
            return receipt
    return None


def load_reply_between(receipt: Receipt, message: Message) -> str | None:
    """Return the assistant's words between the context and ``message``; None when nothing was posted."""
    said = _find_earlier_messages(message).filter(
        role=MessageRole.ASSISTANT, accepted_at__gte=receipt.created_at, remember=True
    )
    contents = list(said.order_by("-seq").values_list("content", flat=True)[: LOOP.replies_read])
    return "\n".join(reversed(contents)) if contents else None


def _is_of_another_turn(receipt: Receipt, message: Message) -> bool:
    known = receipt.conversation_id is not None
    if known and load_reply_between(receipt, message) is not None:
        return True
    rendered = unpack_rendered_prompt(receipt)
    query = to_comparable(rendered.query) if rendered else ""
    if query == to_comparable(message.content):
        return False
    users = _find_earlier_messages(message).filter(role=MessageRole.USER).order_by("-seq")
    return bool(query) and query in map(to_comparable, users.values_list("content", flat=True)[: LOOP.replies_read])


def _find_answers(items: Sequence[ClaimedWork]) -> Iterator[tuple[AnswerKey, AnsweredTurn]]:
    """Yield the turns that answer a context without an answer; of one context the first alone."""
    seen: set[UUID] = set()
    for message in _load_user_turns(items):
        receipt = find_answered_context(message)
        if receipt is None or receipt.answered_at is not None or receipt.id in seen:
            continue
        seen.add(receipt.id)
        yield (
            (receipt.id, message.id),
            AnsweredTurn(load_query(receipt), load_reply_between(receipt, message), message.content),
        )


def _find_earlier_messages(message: Message) -> QuerySet[Message]:
    return Message.objects.filter(
        subject_id=message.subject_id, conversation_id=message.conversation_id, seq__lt=message.seq
    )


def _load_user_turns(items: Sequence[ClaimedWork]) -> list[Message]:
    ids = [item.message_id for item in items if item.message_id]
    subjects = {item.subject_id for item in items}
    rows = Message.objects.filter(subject_id__in=subjects, id__in=ids, remember=True, role=MessageRole.USER)
    found = {row.id: row for row in rows if row.content.strip()}
    if not found or not _has_unanswered_receipt_near(list(found.values())):
        return []
    speakers = {row.subject_id for row in found.values() if row.name}
    names = load_own_names(list(Subject.objects.filter(id__in=speakers))) if speakers else {}
    turns = [found[message_id] for message_id in ids if message_id in found]
    return [turn for turn in turns if not turn.name or turn.name in names.get(turn.subject_id, ())]


def _has_unanswered_receipt_near(messages: Sequence[Message]) -> bool:
    times = [message.accepted_at for message in messages]
    return Receipt.objects.filter(
        subject_id__in={message.subject_id for message in messages},
        created_at__gt=min(times) - LOOP.answer_within,
        created_at__lt=max(times),
        answered_at__isnull=True,
    ).exists()
