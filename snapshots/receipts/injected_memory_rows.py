"""Writes a row for each memory in a receipt: which answers used this memory, and the outcome.

A receipt is first written with its memories as one value (``due``), so that a context waits for one row. A job writes
the rows within a minute, and feedback at once. Until then readers look at both:
:func:`snapshots.receipts.read.build_memory_condition`, :data:`INJECTED`.
"""

from collections.abc import Callable
from uuid import UUID

from django.db import connection
from django.db.models import Func, IntegerField, Sum

from profiles.models import Subject
from snapshots.job_preview import CarePreview
from snapshots.models import Receipt
from snapshots.receipts.config import RECEIPTS
from tenants.isolation import current_tenant_id, tenant_tx

# Every injected memory, whether it has its row yet or not: for statements that only read.
INJECTED = """(
    SELECT tenant_id, subject_id, receipt_id, memory_ref, lane, utilised, signal FROM receipt_memory
    UNION ALL
    SELECT r.tenant_id, r.subject_id, r.id, (m ->> 0)::uuid, m ->> 1, NULL::boolean, ''
    FROM receipt r CROSS JOIN LATERAL jsonb_array_elements(r.due) m WHERE r.due IS NOT NULL
)"""

_SPREAD = """
WITH found AS (
  SELECT r.id, r.subject_id, r.due FROM receipt r {table}
  WHERE r.tenant_id = %(tenant)s AND r.due IS NOT NULL AND {which}
  {lock}
), written AS (
  INSERT INTO receipt_memory (tenant_id, subject_id, receipt_id, signal, id, memory_ref, lane, context_position)
  SELECT %(tenant)s, found.subject_id, found.id, '', gen_random_uuid(), (m ->> 0)::uuid, m ->> 1, (m ->> 2)::int
  FROM found CROSS JOIN LATERAL jsonb_array_elements(found.due) m
)
UPDATE receipt r SET due = NULL FROM found WHERE r.tenant_id = %(tenant)s AND r.id = found.id
"""
_OF_SUBJECT = _SPREAD.format(table="", which="r.subject_id = %(subject)s", lock="ORDER BY r.id FOR NO KEY UPDATE")
_OF_RECEIPT = _SPREAD.format(table="", which="r.id = %(receipt)s", lock="FOR NO KEY UPDATE")
_SOME = _SPREAD.format(
    table="JOIN subject s ON s.tenant_id = r.tenant_id AND s.id = r.subject_id",
    which="true",
    lock="LIMIT %(most)s FOR KEY SHARE OF s SKIP LOCKED FOR NO KEY UPDATE OF r SKIP LOCKED",
)


def write_memory_rows(receipt: Receipt) -> None:
    if receipt.due is not None:
        _lock_subject_shared(receipt.subject_id)
        _insert_rows(_OF_RECEIPT, receipt=receipt.id)
        receipt.due = None


def write_memory_rows_of_subject(subject_id: UUID) -> int:
    """Write the missing rows of all receipts of a subject, in the open scope; return their number."""
    _lock_subject_shared(subject_id)
    return _insert_rows(_OF_SUBJECT, subject=subject_id)


def write_memory_rows_of_tenant(tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Write missing rows of receipts, in small transactions; return the number of receipts.

    Runs outside any ``tenant_tx``. Safe to run twice, also at once, and to kill. A receipt that is locked, or whose
    subject is being erased, is left to the next run: nothing waits for a lock here.
    """
    total = 0
    while may_go_on():
        with tenant_tx(tenant_id):
            spread = _insert_rows(_SOME, most=RECEIPTS.spread_batch)
        total += spread
        if spread < RECEIPTS.spread_batch:
            break
    return total


def preview_memory_rows() -> CarePreview:
    """Return the receipts that would get rows now, and the number of rows, in the open scope."""
    ids = Receipt.objects.filter(due__isnull=False).order_by("id").values_list("id", flat=True)
    receipts = [str(found) for found in ids]
    return CarePreview({"receipts": len(receipts), "memories": count_missing_rows()}, receipts)


def count_missing_rows() -> int:
    length = Func("due", function="jsonb_array_length", output_field=IntegerField())
    due = Receipt.objects.filter(due__isnull=False).aggregate(memories=Sum(length))
    return due["memories"] or 0


def _lock_subject_shared(subject_id: UUID) -> None:
    """Lock the subject as its rows' keys will: before the receipt, as everywhere, so that erasures cannot deadlock."""
    with connection.cursor() as cursor:
        sql = f"SELECT 1 FROM {Subject._meta.db_table} WHERE tenant_id = %s AND id = %s FOR KEY SHARE"  # noqa: S608
        cursor.execute(sql, [current_tenant_id(), subject_id])


def _insert_rows(sql: str, **values: UUID | int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"tenant": current_tenant_id(), **values})
        return int(cursor.rowcount)
