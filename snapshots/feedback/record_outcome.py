"""Record a context's outcome: corrections, then used memories, then signals of the next turn, then verdicts.

Parts may come in any order and any number of times. A memory once used stays used, and of several implied signals the
most serious counts, so that no order matters. The product's own word (a verdict) wins over signals that turns imply; of
two verdicts the later.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from uuid import UUID

import orjson
from django.db import connection, transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, Refused
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import MEMORIES_TOLD, RECEIPTS_FEEDBACK
from snapshots.feedback.injected_texts import load_injected_texts
from snapshots.feedback.next_turn_corrections import apply_turn_corrections
from snapshots.feedback.reading.attribution import attribute_signals
from snapshots.feedback.reading.sense_classifier import classify_turns
from snapshots.feedback.reading.sense_rules import classify_turn_by_rules
from snapshots.feedback.reading.utilisation import find_used_memories
from snapshots.feedback.tallies.memory_tallies import subtract_from_tallies
from snapshots.feedback.values import (
    GRAVITY,
    NAMED_REASON,
    SAID_AGAIN_REASON,
    AnsweredTurn,
    MemorySignal,
    Outcome,
    OutcomePart,
    ProductVerdict,
    Signal,
    SignalWithReason,
    TurnSense,
    UtilisationSign,
    UtilisedMemory,
    concerns_one_memory,
    is_verdict,
)
from snapshots.models import VERDICT, Receipt, ReceiptMemory
from snapshots.receipts.injected_memory_rows import write_memory_rows
from snapshots.receipts.read import find_receipt, list_injected_with_lanes, unpack_rendered_prompt
from tenants.isolation import tenant_tx

REASON_CHARS = 64
# One statement, the rows as one JSON value: through the ORM sixty rows cost 300 ms.
UPDATE_ROWS = """
UPDATE receipt_memory m SET utilised = u.utilised, how = u.how, signal = u.signal, signal_reason = u.signal_reason,
    told_at = u.told_at, counted = NULL
FROM jsonb_to_recordset(%(rows)s::jsonb) AS u (
    id uuid, utilised boolean, how text, signal text, signal_reason text, told_at timestamptz
)
WHERE m.tenant_id = %(tenant)s AND m.subject_id = %(subject)s AND m.receipt_id = %(receipt)s AND m.id = u.id
"""
_UPDATED_COLUMNS = ("id", "utilised", "how", "signal", "signal_reason", "told_at")


class OutcomeLedger:
    """The rows of one receipt, and which of them have changed."""

    def __init__(self, receipt: Receipt, rows: Sequence[ReceiptMemory]) -> None:
        self.receipt = receipt
        self.rows = rows
        self._changed: dict[UUID, ReceiptMemory] = {}

    def list_used_memories(self) -> list[UUID] | None:
        """Return the memories that the reply used; None while no reply is known."""
        if self.receipt.replied_at is None:
            return None
        return [row.memory_ref for row in self.rows if row.utilised]

    def record_reply(self, used: Mapping[UUID, UtilisationSign]) -> None:
        """Record memories that a reply used. The others lose their implied signals."""
        self.receipt.replied_at = self.receipt.replied_at or utc_now()
        for row in self.rows:
            if row.memory_ref in used and not row.utilised:
                self._change_row(row, utilised=True, how=used[row.memory_ref])
            elif row.utilised is None:
                self._change_row(row, utilised=False)
        for row in self.rows:
            if row.signal and not row.utilised and not concerns_one_memory(row.signal_reason):
                self._change_row(row, signal="", signal_reason="")

    def record_turn(self, judgements: Mapping[UUID, SignalWithReason]) -> None:
        self.receipt.answered_at = self.receipt.answered_at or utc_now()
        for row in self.rows:
            said = judgements.get(row.memory_ref)
            if not said or is_verdict(row.signal_reason):
                continue
            if not row.signal or GRAVITY[said.signal] < GRAVITY[Signal(row.signal)]:
                self._change_row(row, signal=str(said.signal), signal_reason=said.reason)

    def record_verdicts(self, verdicts: Iterable[ProductVerdict]) -> None:
        by_memory = {row.memory_ref: row for row in self.rows}
        for verdict in verdicts:
            reason = f"{VERDICT}: {verdict.reason}"[:REASON_CHARS] if verdict.reason else VERDICT
            row = by_memory[verdict.memory_id]
            if (row.signal, row.signal_reason) != (verdict.signal, reason):
                self._change_row(row, signal=str(verdict.signal), signal_reason=reason)

    def save(self) -> list[ReceiptMemory]:
        """Write and return the changed rows, in the open scope; they leave the tallies, to be counted anew."""
        Receipt.objects.filter(id=self.receipt.id, subject_id=self.receipt.subject_id).update(
            replied_at=self.receipt.replied_at, answered_at=self.receipt.answered_at
        )
        changed = list(self._changed.values())
        if changed:
            subtract_from_tallies(changed)
            self._write_rows(changed)
        return changed

    def _write_rows(self, changed: Sequence[ReceiptMemory]) -> None:
        rows = orjson.dumps([{name: getattr(row, name) for name in _UPDATED_COLUMNS} for row in changed]).decode()
        receipt = self.receipt
        with connection.cursor() as cursor:
            own = {"tenant": receipt.tenant_id, "subject": receipt.subject_id, "receipt": receipt.id}
            cursor.execute(UPDATE_ROWS, {**own, "rows": rows})

    def _change_row(self, row: ReceiptMemory, **values: object) -> None:
        for name, value in values.items():
            setattr(row, name, value)
        row.told_at = utc_now()
        self._changed[row.id] = row


class MemoryNotInReceipt(Refused):
    """A verdict names a memory that is not in this context. HTTP 422."""

    code = "memory_not_in_receipt"


def classify_sense_of_part(tenant_id: UUID, receipt_id: UUID, part: OutcomePart) -> TurnSense | None:
    """Return the sense of an outcome's next turn, outside any scope; None without one, or for an unknown receipt."""
    if not part.next:
        return None
    with tenant_tx(tenant_id):
        receipt = Receipt.objects.filter(id=receipt_id).first()
        query = load_query(receipt) if receipt else None
    return None if query is None else classify_turns([AnsweredTurn(query, part.reply, part.next)])[0]


def record_outcome(receipt_id: UUID, part: OutcomePart, *, sense: TurnSense | None = None) -> Outcome:
    """Record one part of a context's outcome, in the open scope, and return all that is known by now. Parts may come in
    any order, again, and at once; ``sense`` as for :func:`record_outcome_part`. Raises NotFound, MemoryNotInReceipt."""
    at = utc_now()
    receipt = find_receipt(receipt_id)
    check_verdicts(receipt, part.verdicts)
    changes = apply_turn_corrections(receipt, part.next, at=at) if part.next else []
    ledger = record_outcome_part(receipt, part, sense=sense)
    utilised = [UtilisedMemory(row.memory_ref, row.how) for row in ledger.rows if row.utilised]
    signals = [
        MemorySignal(row.memory_ref, row.signal, render_reason(row.signal_reason)) for row in ledger.rows if row.signal
    ]
    return Outcome(receipt.subject_id, utilised, signals, changes)


def record_outcome_part(receipt: Receipt, part: OutcomePart, *, sense: TurnSense | None = None) -> OutcomeLedger:
    """Record one part of a receipt's outcome, in the open scope; return all that is known of its memories. ``sense``:
    the sense of the next turn, as read before the scope was opened; None lets rules read it."""
    ledger = OutcomeLedger(receipt, lock_receipt_rows(receipt))
    memories = load_injected_texts(receipt, ledger.rows) if part.reply is not None or part.next else []
    query = load_query(receipt) if memories else ""
    if part.reply is not None:
        signs = find_used_memories(query, part.reply, [(memory.lane, memory.text) for memory in memories])
        ledger.record_reply({memories[number].memory_id: sign for number, sign in signs.items()})
    if part.next:
        sense = sense or classify_turn_by_rules(AnsweredTurn(query, part.reply, part.next))
        ledger.record_turn(attribute_signals(sense, part.next, memories, ledger.list_used_memories()))
    ledger.record_verdicts(part.verdicts)
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
        FieldFault(
            f"verdicts.{number}.memory_id",
            "not_in_receipt",
            "Must be a memory of this context: one that has a `context_position` in the receipt.",
        )
        for number, verdict in enumerate(verdicts)
        if verdict.memory_id not in held
    ]
    if faults:
        raise MemoryNotInReceipt(
            "Verdicts may only name memories of this context: those that have a `context_position` in the receipt.",
            faults=faults,
        )


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


def lock_receipt_rows(receipt: Receipt) -> list[ReceiptMemory]:
    """Return the receipt's rows by position, with the receipt locked until the transaction ends, so that parts
    queue."""
    write_memory_rows(receipt)
    told = Receipt.objects.filter(id=receipt.id, subject_id=receipt.subject_id).select_for_update(no_key=True)
    times = told.values_list("replied_at", "answered_at").first()
    receipt.replied_at, receipt.answered_at = times or (receipt.replied_at, receipt.answered_at)
    rows = ReceiptMemory.objects.filter(receipt_id=receipt.id, subject_id=receipt.subject_id)
    return list(rows.select_for_update(no_key=True).order_by("context_position"))
