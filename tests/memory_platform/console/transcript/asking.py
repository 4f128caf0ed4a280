"""Answers of Ada's conversations, made by the real pipeline."""

from typing import Any

from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.models import Receipt
from tests.conftest import House


def ask(house: House, query: str, conversation: str | None = "trip", **request: Any) -> Receipt:
    """Return the receipt of a context that a product requested within a conversation."""
    call = ContextCall(ContextRequest(query, **request), "1", conversation_id=conversation)
    return build_context(house.tenant.id, house.subject.external_id, call).receipt
