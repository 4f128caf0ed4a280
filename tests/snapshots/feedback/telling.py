"""Receipts to give feedback on, made through the real verbs."""

from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import Outcome, OutcomePart
from snapshots.models import BeliefCounter, Receipt, ReceiptMemory, SnapshotCounter
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_tenant
from tenants.isolation import tenant_tx
from tests.conftest import House


def ask(house: House, query: str, *, conversation: str | None = None, policy_version: str = "1") -> Receipt:
    """Assemble a context of all that the house's subject holds; return its receipt."""
    asked = ContextCall(ContextRequest(query, min_relevance=0.0), policy_version, conversation)
    return build_context(house.tenant.id, house.subject.external_id, asked).receipt


def tell(house: House, receipt: Receipt, **told: Any) -> Outcome:
    """Tell one part of what came of a context."""
    with tenant_tx(house.tenant.id):
        return record_outcome(receipt.id, OutcomePart(**told))


def rows(house: House, receipt: Receipt) -> list[ReceiptMemory]:
    """Return the receipt's injected memories by position."""
    write_memory_rows_of_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        return list(ReceiptMemory.objects.filter(receipt=receipt).order_by("context_position"))


def signals(house: House, receipt: Receipt) -> set[str]:
    """Return what was heard of the receipt's memories."""
    return {row.signal for row in rows(house, receipt)}


def known_parts(house: House, receipt: Receipt) -> tuple[bool, bool]:
    """Return whether reply and next turn of a receipt are known."""
    with tenant_tx(house.tenant.id):
        now = Receipt.objects.get(id=receipt.id)
    return now.replied_at is not None, now.answered_at is not None


def tally(house: House, memory_id: UUID, *, lane: str = "snapshots") -> dict[str, int] | None:
    """Return the tally of a memory without its zeros; None when it has none."""
    names = ("injected", "utilised", "judged", "positive", "negative", "corrected")
    with tenant_tx(house.tenant.id):
        found: Any = (
            SnapshotCounter.objects.filter(snapshot_id=memory_id)
            if lane == "snapshots"
            else BeliefCounter.objects.filter(lane=lane, memory_ref=memory_id)
        )
        row = found.values(*names).first()
    return None if row is None else {name: count for name, count in row.items() if count}


def today() -> Any:
    """Return the present UTC day."""
    return utc_now().date()
