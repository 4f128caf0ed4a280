"""The outcome of a context: apply corrections -> what the reply used -> what the next turn implies -> verdicts."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, Refused
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import MEMORIES_TOLD, RECEIPTS_FEEDBACK
from snapshots.feedback.applied_corrections import put_right
from snapshots.feedback.injected import injected_texts
from snapshots.feedback.ledger import Ledger, locked_rows
from snapshots.feedback.reading.attribution import judgements
from snapshots.feedback.reading.reader import read_turns
from snapshots.feedback.reading.signals import sense_of
from snapshots.feedback.reading.utilisation import used_memories
from snapshots.feedback.values import (
    NAMED,
    SAID_AGAIN,
    Judged,
    Outcome,
    SaidVerdict,
    Sense,
    Told,
    Turn,
    Utilised,
)
from snapshots.models import VERDICT, Receipt
from snapshots.receipts.read import injected_in, receipt_by_id, rendered_of
from tenants.isolation import tenant_tx


class MemoryNotInReceipt(Refused):
    """A verdict names a memory that this context did not hold. HTTP 422."""

    code = "memory_not_in_receipt"


def sense_told(tenant_id: UUID, receipt_id: UUID, told: Told) -> Sense | None:
    """Return the sense of an outcome's next turn, outside any scope; None without one, or for an unknown receipt."""
    if not told.next:
        return None
    with tenant_tx(tenant_id):
        receipt = Receipt.objects.filter(id=receipt_id).first()
        query = query_of(receipt) if receipt else None
    return None if query is None else read_turns([Turn(query, told.reply, told.next)])[0]


def take_outcome(receipt_id: UUID, told: Told, *, sense: Sense | None = None) -> Outcome:
    """Record one part of a context's outcome, in the open scope, and return all that is known by now.

    Parts may come in any order, again, and at once; ``sense`` as for :func:`record_part`. Raises NotFound,
    MemoryNotInReceipt.
    """
    at = utc_now()
    receipt = receipt_by_id(receipt_id)
    refuse_strangers(receipt, told.verdicts)
    changes = put_right(receipt, told.next, at=at) if told.next else []
    ledger = note(receipt, told, sense=sense)
    utilised = [Utilised(row.memory_ref, row.how) for row in ledger.rows if row.utilised]
    signals = [Judged(row.memory_ref, row.signal, shown_reason(row.signal_reason)) for row in ledger.rows if row.signal]
    return Outcome(receipt.subject_id, utilised, signals, changes)


def note(receipt: Receipt, told: Told, *, sense: Sense | None = None) -> Ledger:
    """Record one part of a receipt's outcome, in the open scope; return all that is known of its memories.

    ``sense``: the sense of the next turn, as read before the scope was opened; rules read it where none is given.
    """
    ledger = Ledger(receipt, locked_rows(receipt))
    memories = injected_texts(receipt, ledger.rows) if told.reply is not None or told.next else []
    query = query_of(receipt) if memories else ""
    if told.reply is not None:
        signs = used_memories(query, told.reply, [(memory.lane, memory.text) for memory in memories])
        ledger.note_reply({memories[number].memory_id: sign for number, sign in signs.items()})
    if told.next:
        sense = sense or sense_of(Turn(query, told.reply, told.next))
        ledger.note_turn(judgements(sense, told.next, memories, ledger.used()))
    ledger.note_verdicts(told.verdicts)
    if changed := ledger.save():
        signals = Counter(row.signal for row in changed if row.signal)
        used = Counter("used" if row.utilised else "unused" for row in changed if row.utilised is not None)
        transaction.on_commit(partial(_report, receipt.id, signals, used), robust=True)
    return ledger


def refuse_strangers(receipt: Receipt, verdicts: Sequence[SaidVerdict]) -> None:
    """Raise MemoryNotInReceipt for verdicts on memories that the context did not hold."""
    if not verdicts:
        return
    held = {memory for memory, _ in injected_in(receipt)}
    faults = [
        FieldFault(f"verdicts.{number}.memory_id", "not_in_receipt", "This context did not hold the memory.")
        for number, verdict in enumerate(verdicts)
        if verdict.memory_id not in held
    ]
    if faults:
        raise MemoryNotInReceipt("A verdict names a memory that this context did not hold.", faults=faults)


def shown_reason(stored: str) -> str:
    read = {NAMED: Sense.CORRECT, SAID_AGAIN: Sense.CONFIRM}.get(stored)
    return str(read) if read else stored.removeprefix(f"{VERDICT}: ")


def _report(receipt_id: UUID, signals: Counter[str], used: Counter[str]) -> None:
    for signal, number in signals.items():
        RECEIPTS_FEEDBACK.labels(verdict=signal).inc(number)
    for outcome, number in used.items():
        MEMORIES_TOLD.labels(outcome=outcome).inc(number)
    log(Event.OUTCOME_NOTED, receipt=receipt_id, judged=signals.total(), used=used["used"])


def query_of(receipt: Receipt) -> str:
    """Return the question that a context was made for; empty once it was purged."""
    rendered = rendered_of(receipt)
    return rendered.query if rendered else ""
