"""Reading receipts: what was put into a prompt, why, and what came of it."""

import zlib
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.db.models import Exists, F, OuterRef, QuerySet

from memory_platform.kernel.errors import NotFound
from snapshots.models import Receipt, ReceiptMemory
from snapshots.receipts.values import Rendered


def receipt_by_id(receipt_id: UUID) -> Receipt:
    """Return one receipt of the tenant with its subject and conversation, in one query. Raises NotFound."""
    found = (
        Receipt.objects.filter(id=receipt_id, subject__erasing=False).select_related("subject", "conversation").first()
    )
    if found is None:
        raise NotFound("No receipt with this id.")
    return found


def receipts(
    *,
    subject_external_id: str | None = None,
    memory_id: UUID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Receipt]:
    """Return the tenant's receipts that match all that is given, without candidates and rendered words; in no order.

    ``memory_id``: those that put this memory into a prompt. ``since`` and ``until`` are both included.
    """
    found = Receipt.objects.select_related("subject", "conversation").defer("candidates", "rendered").order_by()
    found = found.filter(subject__erasing=False)
    if subject_external_id is not None:
        found = found.filter(subject__external_id=subject_external_id, subject__tenant_id=F("tenant_id"))
    if memory_id is not None:
        injected = ReceiptMemory.objects.filter(
            receipt_id=OuterRef("id"), subject_id=OuterRef("subject_id"), memory_ref=memory_id
        )
        found = found.filter(Exists(injected))
    if since is not None:
        found = found.filter(created_at__gte=since)
    return found if until is None else found.filter(created_at__lte=until)


def rendered_of(receipt: Receipt) -> Rendered | None:
    """Return what was asked and sent; None once it was purged."""
    if receipt.rendered is None:
        return None
    plain = orjson.loads(zlib.decompress(bytes(receipt.rendered)))
    return Rendered(plain["query"], plain["messages"], plain.get("text"))


def candidates_of(receipt: Receipt) -> list[dict[str, Any]]:
    """Return every candidate with the members of G1: those in the context by position, then the others, best first.

    ``utilized`` (bool or None) and ``user_feedback_signal`` stand in the narrow rows, where feedback puts them.
    """
    outcomes = {
        str(row.memory_ref): row
        for row in ReceiptMemory.objects.filter(receipt_id=receipt.id, subject_id=receipt.subject_id).order_by()
    }
    candidates = [
        {**candidate, "policy_version": receipt.policy_version, **_outcome(candidate, outcomes)}
        for candidate in receipt.candidates
    ]
    return sorted(candidates, key=_reading_order)


def _outcome(candidate: dict[str, Any], outcomes: dict[str, ReceiptMemory]) -> dict[str, Any]:
    row = outcomes.get(candidate["memory_id"]) if candidate["context_position"] is not None else None
    return {
        "utilized": row.utilised if row else None,
        "user_feedback_signal": (row.signal or None) if row else None,
    }


def _reading_order(candidate: dict[str, Any]) -> tuple[bool, float]:
    position = candidate["context_position"]
    return position is None, -candidate["candidate_score"] if position is None else position
