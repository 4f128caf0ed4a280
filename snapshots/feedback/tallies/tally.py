"""Tallies by memory (G3, E4): each injection is counted once, and anew when more is heard of it. Row R3 reads them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from uuid import UUID

import orjson
from django.db import connection

from memory_platform.kernel.ids import new_id
from snapshots.embedding.store import touch_memory
from snapshots.feedback.policy import LOOP
from snapshots.feedback.tallies.tally_sql import ADD_BELIEFS, ADD_SNAPSHOTS, MARK_COUNTED, TAKE_BELIEFS, TAKE_SNAPSHOTS
from snapshots.feedback.values import Signal, is_firm
from snapshots.models import Receipt, ReceiptMemory, Snapshot
from snapshots.receipts.spread import spread_tenant, without_rows
from snapshots.values import CarePreview
from tenants.isolation import current_tenant_id, tenant_tx

JUDGING = frozenset({Signal.POSITIVE, Signal.NEGATIVE, Signal.CORRECTED})
"""A change of topic says nothing of a memory: it is no judgement, or shares would fall wherever users hop."""

PREFIX = "profile"
"""The section of a context whose memories stand in its prefix."""

Place = tuple[str, UUID, UUID]
"""A memory: lane, subject, id."""


def roll_up_tallies(tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Count what is not counted yet, in small transactions; return the injections counted.

    Runs outside any ``tenant_tx``. Safe to run twice, also at once, and to kill: what a row was counted as stands in
    the row, written by the transaction that counts it.
    """
    spread_tenant(tenant_id, may_go_on=may_go_on)
    total = 0
    while may_go_on():
        with tenant_tx(tenant_id):
            counted = count_some(LOOP.tally_batch)
        total += counted
        if counted < LOOP.tally_batch:
            break
    return total


def preview_tallies() -> CarePreview:
    """Return how many injections are not counted yet, and of those how many that something was heard of, in the open
    scope."""
    waiting = ReceiptMemory.objects.filter(counted__isnull=True)
    heard = waiting.exclude(signal="", utilised__isnull=True)
    return CarePreview({"injections": waiting.count() + without_rows(), "of them heard of": heard.count()})


def count_some(most: int) -> int:
    """Count up to ``most`` injections in the open scope; the memories whose reception changed begin a new epoch."""
    waiting = ReceiptMemory.objects.filter(counted__isnull=True).order_by("subject_id")
    rows = list(waiting.select_for_update(skip_locked=True, no_key=True)[:most])
    if rows:
        renew_images([row for row in rows if row.told_at and row.lane == "snapshots"])
        prefixes = _prefixes_of(rows)
        for row in rows:
            row.counted = counts_of(row, in_prefix=row.context_position <= prefixes[row.receipt_id])
        add(_summed(rows))
        _mark(rows)
    return len(rows)


def counts_of(row: ReceiptMemory, *, in_prefix: bool = False) -> dict[str, int]:
    """Return what one injection adds to its memory's tally.

    What stands in the prefix stands there whatever is asked. So it counts only where the reply used it, or where what
    was heard speaks of this memory: else every turn that went badly would be held against all that is always shown.
    """
    counts = int(not in_prefix or bool(row.utilised) or is_firm(row.signal_reason))
    judged = counts and row.signal in JUDGING
    return {
        "injected": counts,
        "utilised": int(bool(row.utilised)),
        "judged": int(judged),
        **{
            str(signal): counts and int(row.signal == signal)
            for signal in (Signal.POSITIVE, Signal.NEGATIVE, Signal.CORRECTED)
        },
    }


def take_back(rows: Iterable[ReceiptMemory]) -> None:
    """Take what ``rows`` were counted as out of the tallies, and have them counted anew; the caller saves the rows."""
    counted = [row for row in rows if row.counted is not None]
    if not counted:
        return
    _apply(_summed(counted), TAKE_SNAPSHOTS, TAKE_BELIEFS)
    for row in counted:
        row.counted = None


def renew_images(rows: Sequence[ReceiptMemory]) -> None:
    """Begin a new epoch for each subject of ``rows``, which are sorted by it, so that ranking sees the new tallies."""
    for subject_id, group in groupby(rows, key=attrgetter("subject_id")):
        ids = {row.memory_ref for row in group}
        changed = Snapshot.objects.filter(subject_id=subject_id, id__in=ids).order_by()
        touch_memory(subject_id, changed=list(changed.values_list("position", flat=True)))


def add(sums: Mapping[Place, Counter[str]]) -> None:
    """Add to the tallies; those of a snapshot that is gone are left out."""
    _apply(sums, ADD_SNAPSHOTS, ADD_BELIEFS)


def _prefixes_of(rows: Sequence[ReceiptMemory]) -> dict[UUID, int]:
    """Return how many memories stand in the prefix of each receipt of ``rows``: they are its first."""
    receipts = Receipt.objects.filter(id__in={row.receipt_id for row in rows}).order_by()
    return {
        receipt_id: sum(one["items"] for one in sections if one["name"] == PREFIX)
        for receipt_id, sections in receipts.values_list("id", "sections")
    }


def _mark(rows: Sequence[ReceiptMemory]) -> None:
    counted = orjson.dumps([{"id": row.id, "counted": row.counted} for row in rows]).decode()
    with connection.cursor() as cursor:
        cursor.execute(MARK_COUNTED, {"tenant": current_tenant_id(), "rows": counted})


def _summed(rows: Iterable[ReceiptMemory]) -> dict[Place, Counter[str]]:
    sums: dict[Place, Counter[str]] = {}
    for row in rows:
        sums.setdefault((row.lane, row.subject_id, row.memory_ref), Counter()).update(row.counted or {})
    return sums


def _apply(sums: Mapping[Place, Counter[str]], snapshots: str, beliefs: str) -> None:
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
