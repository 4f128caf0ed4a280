"""Embed orders to forget, to find their targets, before messages are accepted: embedding takes time and allows no open
transaction. A message without an order costs nothing."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.linear_model import Float32
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.forgetting.meant_turn_classifier import list_texts_to_embed
from snapshots.forgetting.nearby_turns import blank_orders, load_newest_turns
from snapshots.forgetting.order_meaning import split_order_message
from snapshots.intake.values import IncomingMessage
from snapshots.models import Message, MessageRole
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
            subject__external_id=subject_id, conversation__external_id=conversation_id, role=MessageRole.USER
        )
        asked = [row.content for row in add_archived_words(list(before.order_by("-seq")[:1]))]
        told = [row.content for row in load_newest_turns(subject__external_id=subject_id)]
    return _embed_texts([*ordering, *asked], [*own, *told])


def embed_orders_of_outcome(tenant_id: UUID, receipt_id: UUID, said: str | None) -> OrderVectors:
    if not said or not find_forget_orders(said):
        return {}
    with tenant_tx(tenant_id):
        receipt = find_receipt(receipt_id)
        told = [row.content for row in load_newest_turns(subject_id=receipt.subject_id)] if receipt else []
    return _embed_texts([said], told)


def _embed_texts(ordering: Sequence[str], told: Sequence[str]) -> OrderVectors:
    """Return a vector for each text; none where the sentence encoder is not configured or does not answer."""
    encoder = next((one for one in active_embedders() if one.name == ENCODER_SPACE), None)
    meanings = [words for text in ordering for words in _list_order_texts(text)]
    if encoder is None or not meanings:
        return {}
    texts = list(dict.fromkeys([*meanings, *map(blank_orders, told)]))
    try:
        return dict(zip(texts, encoder.embed(texts), strict=True))
    except Unavailable:
        return {}


def _list_order_texts(text: str) -> Iterator[str]:
    """Yield the words of each order, both as it reads alone and with an answer that acknowledges it."""
    for acknowledged in (False, True):
        for order in find_forget_orders(text, acknowledged=acknowledged):
            yield from list_texts_to_embed(split_order_message(text, order, acknowledged=acknowledged))
