"""Record a context's outcome: corrections, then used memories, then signals of the next turn, then verdicts."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, Refused
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import MEMORIES_TOLD, RECEIPTS_FEEDBACK
from snapshots.feedback.injected_texts import load_injected_texts
from snapshots.feedback.outcome_ledger import OutcomeLedger, lock_receipt_rows
from snapshots.feedback.reading.attribution import attribute_signals
from snapshots.feedback.reading.sense_classifier import classify_turns
from snapshots.feedback.reading.sense_rules import classify_turn_by_rules
from snapshots.feedback.reading.utilisation import find_used_memories
from snapshots.feedback.turn_corrections import apply_turn_corrections
from snapshots.feedback.values import (
    NAMED_REASON,
    SAID_AGAIN_REASON,
    AnsweredTurn,
    MemorySignal,
    Outcome,
    OutcomePart,
    ProductVerdict,
    TurnSense,
    UtilisedMemory,
)
from snapshots.models import VERDICT, Receipt
from snapshots.receipts.read import find_receipt, list_injected_with_lanes, unpack_rendered_prompt
from tenants.isolation import tenant_tx


class MemoryNotInReceipt(Refused):
    """A verdict names a memory that this context did not hold. HTTP 422."""

    code = "memory_not_in_receipt"


def classify_sense_of_part(tenant_id: UUID, receipt_id: UUID, told: OutcomePart) -> TurnSense | None:
    """Return the sense of an outcome's next turn, outside any scope; None without one, or for an unknown receipt."""
    if not told.next:
        return None
    with tenant_tx(tenant_id):
        receipt = Receipt.objects.filter(id=receipt_id).first()
        query = load_query(receipt) if receipt else None
    return None if query is None else classify_turns([AnsweredTurn(query, told.reply, told.next)])[0]


def record_outcome(receipt_id: UUID, told: OutcomePart, *, sense: TurnSense | None = None) -> Outcome:
    """Record one part of a context's outcome, in the open scope, and return all that is known by now. Parts may come in
    any order, again, and at once; ``sense`` as for :func:`record_part`. Raises NotFound, MemoryNotInReceipt."""
    at = utc_now()
    receipt = find_receipt(receipt_id)
    check_verdicts(receipt, told.verdicts)
    changes = apply_turn_corrections(receipt, told.next, at=at) if told.next else []
    ledger = record_outcome_part(receipt, told, sense=sense)
    utilised = [UtilisedMemory(row.memory_ref, row.how) for row in ledger.rows if row.utilised]
    signals = [
        MemorySignal(row.memory_ref, row.signal, render_reason(row.signal_reason)) for row in ledger.rows if row.signal
    ]
    return Outcome(receipt.subject_id, utilised, signals, changes)


def record_outcome_part(receipt: Receipt, told: OutcomePart, *, sense: TurnSense | None = None) -> OutcomeLedger:
    """Record one part of a receipt's outcome, in the open scope; return all that is known of its memories. ``sense``:
    the sense of the next turn, as read before the scope was opened; rules read it where none is given."""
    ledger = OutcomeLedger(receipt, lock_receipt_rows(receipt))
    memories = load_injected_texts(receipt, ledger.rows) if told.reply is not None or told.next else []
    query = load_query(receipt) if memories else ""
    if told.reply is not None:
        signs = find_used_memories(query, told.reply, [(memory.lane, memory.text) for memory in memories])
        ledger.record_reply({memories[number].memory_id: sign for number, sign in signs.items()})
    if told.next:
        sense = sense or classify_turn_by_rules(AnsweredTurn(query, told.reply, told.next))
        ledger.record_turn(attribute_signals(sense, told.next, memories, ledger.list_used_memories()))
    ledger.record_verdicts(told.verdicts)
    if changed := ledger.save():
        signals = Counter(row.signal for row in changed if row.signal)
        used = Counter("used" if row.utilised else "unused" for row in changed if row.utilised is not None)
        transaction.on_commit(partial(_report_signals, receipt.id, signals, used), robust=True)
    return ledger


def check_verdicts(receipt: Receipt, verdicts: Sequence[ProductVerdict]) -> None:
    """Raise MemoryNotInReceipt for verdicts on memories that the context did not hold."""
    if not verdicts:
        return
    held = {memory for memory, _ in list_injected_with_lanes(receipt)}
    faults = [
        FieldFault(f"verdicts.{number}.memory_id", "not_in_receipt", "This context did not hold the memory.")
        for number, verdict in enumerate(verdicts)
        if verdict.memory_id not in held
    ]
    if faults:
        raise MemoryNotInReceipt("A verdict names a memory that this context did not hold.", faults=faults)


def render_reason(stored: str) -> str:
    read = {NAMED_REASON: TurnSense.CORRECT, SAID_AGAIN_REASON: TurnSense.CONFIRM}.get(stored)
    return str(read) if read else stored.removeprefix(f"{VERDICT}: ")


def _report_signals(receipt_id: UUID, signals: Counter[str], used: Counter[str]) -> None:
    for signal, number in signals.items():
        RECEIPTS_FEEDBACK.labels(verdict=signal).inc(number)
    for outcome, number in used.items():
        MEMORIES_TOLD.labels(outcome=outcome).inc(number)
    log(Event.OUTCOME_NOTED, receipt=receipt_id, judged=signals.total(), used=used["used"])


def load_query(receipt: Receipt) -> str:
    """Return the question that a context was made for; empty once it was purged."""
    rendered = unpack_rendered_prompt(receipt)
    return rendered.query if rendered else ""
