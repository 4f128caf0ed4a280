"""Tallies by memory: each injection is counted once, and anew when its feedback changes. Ranking reads them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from uuid import UUID

import orjson
from django.db import connection

from memory_platform.kernel.ids import new_id
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.feedback.config import LOOP
from snapshots.feedback.values import Signal, concerns_one_memory
from snapshots.job_preview import CarePreview
from snapshots.models import Receipt, ReceiptMemory, Snapshot
from snapshots.receipts.injected_memory_rows import count_missing_rows, write_memory_rows_of_tenant
from tenants.isolation import current_tenant_id, tenant_tx

# A change of topic says nothing of a memory: it is no judgement, or shares would fall wherever users change it.
JUDGING_SIGNALS = frozenset({Signal.POSITIVE, Signal.NEGATIVE, Signal.CORRECTED})

# The section of a context whose memories stand in its prefix.
PREFIX_SECTION = "profile"

# A memory: lane, subject, id.
MemoryKey = tuple[str, UUID, UUID]


COUNTS = ("injected", "utilised", "judged", "positive", "negative", "corrected")
_NAMES = ", ".join(COUNTS)
_VALUES = ", ".join(f"u.{name}" for name in COUNTS)
# A batch goes as one JSON value. Rows are taken in one order, so that batches never wait for each other in a circle.
_ROWS = f"""jsonb_to_recordset(%(rows)s::jsonb) AS u (
    id uuid, lane text, subject_id uuid, memory_ref uuid, {", ".join(f"{name} integer" for name in COUNTS)}
)"""


def _build_sums_sql(table: str) -> str:
    return ", ".join(f"{name} = {table}.{name} + excluded.{name}" for name in COUNTS)


_DIFFERENCES = ", ".join(f"{name} = greatest(t.{name} - u.{name}, 0)" for name in COUNTS)
# A snapshot that is gone has no tally; the lock keeps one that is here until the batch is written.
ADD_SNAPSHOTS = f"""
INSERT INTO snapshot_counter (tenant_id, id, subject_id, snapshot_id, {_NAMES})
SELECT s.tenant_id, u.id, u.subject_id, u.memory_ref, {_VALUES}
FROM {_ROWS} JOIN snapshot s ON s.tenant_id = %(tenant)s AND s.subject_id = u.subject_id AND s.id = u.memory_ref
ORDER BY u.memory_ref
FOR KEY SHARE OF s
ON CONFLICT (tenant_id, snapshot_id) DO UPDATE SET {_build_sums_sql("snapshot_counter")}
"""  # noqa: S608 - constants
ADD_BELIEFS = f"""
INSERT INTO belief_counter (tenant_id, id, subject_id, lane, memory_ref, {_NAMES})
SELECT %(tenant)s, u.id, u.subject_id, u.lane, u.memory_ref, {_VALUES} FROM {_ROWS}
ORDER BY u.lane, u.memory_ref
ON CONFLICT (tenant_id, lane, memory_ref) DO UPDATE SET {_build_sums_sql("belief_counter")}
"""  # noqa: S608 - constants
TAKE_SNAPSHOTS = f"""
UPDATE snapshot_counter t SET {_DIFFERENCES} FROM {_ROWS}
WHERE t.tenant_id = %(tenant)s AND t.subject_id = u.subject_id AND t.snapshot_id = u.memory_ref
"""  # noqa: S608 - constants
TAKE_BELIEFS = f"""
UPDATE belief_counter t SET {_DIFFERENCES} FROM {_ROWS}
WHERE t.tenant_id = %(tenant)s AND t.subject_id = u.subject_id AND t.lane = u.lane AND t.memory_ref = u.memory_ref
"""  # noqa: S608 - constants
MARK_COUNTED = """
UPDATE receipt_memory m SET counted = u.counted FROM jsonb_to_recordset(%(rows)s::jsonb) AS u (id uuid, counted jsonb)
WHERE m.tenant_id = %(tenant)s AND m.id = u.id
"""


def roll_up_tallies(tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Count new injections in small transactions; return how many. Runs outside any ``tenant_tx``. Safe to run twice,
    also concurrently, and to kill: each row stores its own counts, in the transaction that counts it."""
    write_memory_rows_of_tenant(tenant_id, may_go_on=may_go_on)
    total = 0
    while may_go_on():
        with tenant_tx(tenant_id):
            counted = count_injections(LOOP.tally_batch)
        total += counted
        if counted < LOOP.tally_batch:
            break
    return total


def count_untallied() -> CarePreview:
    """Return how many injections are not counted yet, and how many of these have feedback, in the open scope."""
    waiting = ReceiptMemory.objects.filter(counted__isnull=True)
    heard = waiting.exclude(signal="", utilised__isnull=True)
    return CarePreview({"injections": waiting.count() + count_missing_rows(), "of them heard of": heard.count()})


def count_injections(most: int) -> int:
    """Count up to ``most`` injections in the open scope; memories whose reception changed begin a new epoch."""
    waiting = ReceiptMemory.objects.filter(counted__isnull=True).order_by("subject_id")
    rows = list(waiting.select_for_update(skip_locked=True, no_key=True)[:most])
    if rows:
        begin_memory_epochs([row for row in rows if row.told_at and row.lane == "snapshots"])
        prefixes = _count_prefix_memories(rows)
        for row in rows:
            row.counted = count_injection(row, in_prefix=row.context_position <= prefixes[row.receipt_id])
        _apply_sums(_sum_by_memory(rows), ADD_SNAPSHOTS, ADD_BELIEFS)
        counted = orjson.dumps([{"id": row.id, "counted": row.counted} for row in rows]).decode()
        with connection.cursor() as cursor:
            cursor.execute(MARK_COUNTED, {"tenant": current_tenant_id(), "rows": counted})
    return len(rows)


def count_injection(row: ReceiptMemory, *, in_prefix: bool = False) -> dict[str, int]:
    """Return the counts that one injection adds to its memory's tally.

    A memory in the prefix stands there whatever is asked. So it counts only where the reply used it, or where the
    feedback is about this memory: otherwise every turn that went badly would be held against all that is always shown.
    """
    counts = int(not in_prefix or bool(row.utilised) or concerns_one_memory(row.signal_reason))
    judged = counts and row.signal in JUDGING_SIGNALS
    return {
        "injected": counts,
        "utilised": int(bool(row.utilised)),
        "judged": int(judged),
        **{
            str(signal): counts and int(row.signal == signal)
            for signal in (Signal.POSITIVE, Signal.NEGATIVE, Signal.CORRECTED)
        },
    }


def subtract_from_tallies(rows: Iterable[ReceiptMemory]) -> None:
    """Subtract the counts of ``rows`` from the tallies, for a recount; the caller saves the rows."""
    counted = [row for row in rows if row.counted is not None]
    if not counted:
        return
    _apply_sums(_sum_by_memory(counted), TAKE_SNAPSHOTS, TAKE_BELIEFS)
    for row in counted:
        row.counted = None


def begin_memory_epochs(rows: Sequence[ReceiptMemory]) -> None:
    """Begin a new epoch for each subject of ``rows``, which are sorted by it, so that ranking sees the new tallies."""
    for subject_id, group in groupby(rows, key=attrgetter("subject_id")):
        ids = {row.memory_ref for row in group}
        changed = Snapshot.objects.filter(subject_id=subject_id, id__in=ids).order_by()
        begin_memory_epoch(subject_id, changed=list(changed.values_list("position", flat=True)))


def _count_prefix_memories(rows: Sequence[ReceiptMemory]) -> dict[UUID, int]:
    receipts = Receipt.objects.filter(id__in={row.receipt_id for row in rows}).order_by()
    return {
        receipt_id: sum(one["items"] for one in sections if one["name"] == PREFIX_SECTION)
        for receipt_id, sections in receipts.values_list("id", "sections")
    }


def _sum_by_memory(rows: Iterable[ReceiptMemory]) -> dict[MemoryKey, Counter[str]]:
    sums: dict[MemoryKey, Counter[str]] = {}
    for row in rows:
        sums.setdefault((row.lane, row.subject_id, row.memory_ref), Counter()).update(row.counted or {})
    return sums


def _apply_sums(sums: Mapping[MemoryKey, Counter[str]], snapshots: str, beliefs: str) -> None:
    for sql, is_snapshots in ((snapshots, True), (beliefs, False)):
        # In one order, so that two transactions cannot wait for each other.
        places = sorted(place for place in sums if (place[0] == "snapshots") is is_snapshots)
        if not places:
            continue
        rows = [
            {"id": new_id(), "lane": lane, "subject_id": subject_id, "memory_ref": memory_ref, **sums[place]}
            for place in places
            for lane, subject_id, memory_ref in [place]
        ]
        with connection.cursor() as cursor:
            cursor.execute(sql, {"tenant": current_tenant_id(), "rows": orjson.dumps(rows).decode()})
