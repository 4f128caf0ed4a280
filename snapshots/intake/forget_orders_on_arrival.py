"""Orders to forget in new messages: carried out in the transaction that accepts them, and reported in the answer.

Orders are embedded before: embedding takes time and allows no open transaction. A message without one costs nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.text import content_hash
from profiles.models import Subject
from profiles.selectors import build_subject_key
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.fast_lane_result import FastLaneResult
from snapshots.feedback.next_turn_corrections import find_posted_turn
from snapshots.forgetting.hide_targets import hide_targets
from snapshots.forgetting.meant_turn_classifier import list_texts_to_embed
from snapshots.forgetting.nearby_turns import blank_orders, load_newest_turns, repeats_hidden
from snapshots.forgetting.order_meaning import NO_VECTORS, find_forget_targets, split_order_message
from snapshots.forgetting.order_targets import ASKS_FOR_EVERYTHING, NOTHING_TO_FORGET, ForgetTargets
from snapshots.intake.values import IncomingMessage
from snapshots.models import Conversation, ForgetOrder, Message, MessageRole
from snapshots.receipts.read import find_receipt
from snapshots.relevance.config import ENCODER_SPACE
from snapshots.understanding.heard.forget_order_classifier import acknowledges_forgetting
from snapshots.understanding.heard.forget_orders import find_forget_orders
from tenants.isolation import tenant_tx

# Unit vectors of the sentence encoder, by text.
OrderVectors = Mapping[str, Float32]


def embed_orders_of_messages(
    tenant_id: UUID, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]
) -> OrderVectors:
    """Return the vectors of the orders in messages for the product's own ids, and of the turns they may mean."""
    own = [one.text for one in incoming if one.role == MessageRole.USER and one.remember]
    ordering = [text for text in own if find_forget_orders(text, acknowledged=True)]
    answers = [one.text for one in incoming if one.role == MessageRole.ASSISTANT]
    if not ordering and not any(acknowledges_forgetting(text) for text in answers):
        return {}
    with tenant_tx(tenant_id):
        before = Message.objects.filter(
            subject_id=build_subject_key(subject_id), conversation__external_id=conversation_id, role=MessageRole.USER
        )
        asked = [row.content for row in add_archived_words(list(before.order_by("-seq")[:1]))]
        told = [row.content for row in load_newest_turns(subject_id=build_subject_key(subject_id))]
    return _embed_texts([*ordering, *asked], [*own, *told])


def embed_orders_of_outcome(tenant_id: UUID, receipt_id: UUID, next_turn: str | None) -> OrderVectors:
    if not next_turn or not find_forget_orders(next_turn):
        return {}
    with tenant_tx(tenant_id):
        receipt = find_receipt(receipt_id)
        told = [row.content for row in load_newest_turns(subject_id=receipt.subject_id)] if receipt else []
    return _embed_texts([next_turn], told)


def _embed_texts(ordering: Sequence[str], turn_texts: Sequence[str]) -> OrderVectors:
    """Return a vector for each text; none where the sentence encoder is not configured or does not answer."""
    encoder = next((one for one in active_embedders() if one.name == ENCODER_SPACE), None)
    meanings = [words for text in ordering for words in _list_order_texts(text)]
    if encoder is None or not meanings:
        return {}
    texts = list(dict.fromkeys([*meanings, *map(blank_orders, turn_texts)]))
    try:
        return dict(zip(texts, encoder.embed(texts), strict=True))
    except Unavailable:
        return {}


def _list_order_texts(text: str) -> Iterator[str]:
    """Yield the words of each order, both as it reads alone and with an answer that acknowledges it."""
    for acknowledged in (False, True):
        for order in find_forget_orders(text, acknowledged=acknowledged):
            yield from list_texts_to_embed(split_order_message(text, order, acknowledged=acknowledged))


WORD_COLUMNS = ("name", "content", "parts", "tool_calls", "metadata", "content_hash", "tokens")


def carry_out_forget_orders(
    subject: Subject, conversation: Conversation, messages: Sequence[Message], vectors: OrderVectors = NO_VECTORS
) -> tuple[FastLaneResult, ...]:
    """Hide the targets of orders in new messages; the conversation's next context omits them. ``vectors``
    (of :func:`embed_orders_of_messages`) find the targets."""
    results: list[FastLaneResult] = []
    for message in messages:
        if message.role == MessageRole.USER:
            results += _carry_out_orders(subject, message, vectors)
        elif message.role == MessageRole.ASSISTANT:
            results += _carry_out_acknowledged_orders(subject, message, vectors)
            if repeats_hidden(message):
                results += hide_targets(subject, message, 0, ForgetTargets({message.id: ()}))
                message.refresh_from_db(fields=WORD_COLUMNS)
    if any(one.forget_order_id for one in results):
        conversation.refresh_from_db(fields=["version", "summary", "summarised_seq"])
    return tuple(results)


def carry_out_quoted_orders(
    receipt_id: UUID, next_turn: str, vectors: OrderVectors = NO_VECTORS
) -> tuple[FastLaneResult, ...]:
    """Hide the targets of orders in an outcome's next message, in the open scope. Skips a message that the product also
    posted: it is carried out."""
    orders = find_forget_orders(next_turn)
    receipt = find_receipt(receipt_id) if orders else None
    if receipt is None or receipt.conversation is None or find_posted_turn(receipt, next_turn) is not None:
        return ()
    message = Message(
        id=stable_id("outcome", receipt.id, content_hash(next_turn).hex()),
        subject_id=receipt.subject_id,
        conversation=receipt.conversation,
        role=MessageRole.USER,
        content=next_turn,
        seq=receipt.conversation.next_seq,
        said_at=utc_now(),
    )
    results: list[FastLaneResult] = []
    for number, order in enumerate(orders):
        found = find_forget_targets(receipt.subject, message, order, vectors=vectors)
        held = replace(found, messages={key: cut for key, cut in found.messages.items() if key != message.id})
        if held:
            results += hide_targets(receipt.subject, message, number, held)
    return tuple(results)


def _carry_out_acknowledged_orders(subject: Subject, answer: Message, vectors: OrderVectors) -> list[FastLaneResult]:
    """Carry out orders of the turn before ``answer`` that are orders only because the assistant took them so."""
    if not acknowledges_forgetting(answer.content):
        return []
    before = Message.objects.filter(
        subject_id=answer.subject_id, conversation_id=answer.conversation_id, seq__lt=answer.seq
    )
    asked = before.order_by("-seq").select_related("conversation").first()
    if asked is None or asked.role != MessageRole.USER:
        return []
    add_archived_words([asked])
    if ForgetOrder.objects.filter(subject_id=subject.id, message_ref=asked.id).exists():
        return []  # it was carried out at the door
    return _carry_out_orders(subject, asked, vectors, acknowledged=True)


def _carry_out_orders(
    subject: Subject, message: Message, vectors: OrderVectors, *, acknowledged: bool = False
) -> list[FastLaneResult]:
    results: list[FastLaneResult] = []
    orders = find_forget_orders(message.content, acknowledged=acknowledged)
    for number, order in enumerate(orders):
        found = find_forget_targets(subject, message, order, acknowledged=acknowledged, vectors=vectors)
        if found:
            results += hide_targets(subject, message, number, found)
        if message.id in found.messages:
            message.refresh_from_db(fields=WORD_COLUMNS)
        if not message.content:
            break  # the message itself is gone, with its other orders
    if orders and not results:
        is_all = any(order.is_everything for order in orders)
        results.append(FastLaneResult(NOTHING_TO_FORGET, reason=ASKS_FOR_EVERYTHING if is_all else None))
    return results
