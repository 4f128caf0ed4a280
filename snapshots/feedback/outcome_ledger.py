"""The known outcome of one receipt, row by row. Parts may come in any order and any number of times.

A memory once used stays used, and of several implied signals the gravest stands, so that no order matters. The
product's own word (a verdict) wins over signals that turns imply; of two verdicts the later.
"""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

import orjson
from django.db import connection

from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.memory_tallies import subtract_from_tallies
from snapshots.feedback.values import (
    GRAVITY,
    ProductVerdict,
    Signal,
    SignalWithReason,
    UtilisationSign,
    concerns_one_memory,
    is_verdict,
)
from snapshots.models import VERDICT, Receipt, ReceiptMemory
from snapshots.receipts.memory_rows import write_memory_rows

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


def lock_receipt_rows(receipt: Receipt) -> list[ReceiptMemory]:
    """Return the receipt's rows by position, with the receipt locked until the transaction ends, so that parts
    queue."""
    write_memory_rows(receipt)
    told = Receipt.objects.filter(id=receipt.id, subject_id=receipt.subject_id).select_for_update(no_key=True)
    times = told.values_list("replied_at", "answered_at").first()
    receipt.replied_at, receipt.answered_at = times or (receipt.replied_at, receipt.answered_at)
    rows = ReceiptMemory.objects.filter(receipt_id=receipt.id, subject_id=receipt.subject_id)
    return list(rows.select_for_update(no_key=True).order_by("context_position"))


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
