"""What has outlived its time leaves: in small transactions with a rest after each, tenant by tenant (row E6).

One list says what leaves and how; the preview counts the same rows that the purge removes. Snapshots leave subject by
subject: each one's memory begins a new epoch once, not once for every batch that happens to hold some of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Count

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import ROWS_PURGED
from snapshots.embedding.store import touch_memory
from snapshots.lifecycle.policy import PURGE_POLICY, PurgePolicy
from snapshots.lifecycle.retention.expired_rows import WHAT_LEAVES, Leaving, counted, delete_rows, expired_snapshots
from snapshots.lifecycle.retention.pace import Pace
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx

SNAPSHOTS = "snapshots"
MayGoOn = Callable[[], bool]


def preview_purge(policy: PurgePolicy = PURGE_POLICY) -> dict[str, int]:
    """Return how many rows of each kind the next purge removes from the tenant of the open scope."""
    return counted({SNAPSHOTS: expired_snapshots(), **{leaving.kind: leaving.rows(policy) for leaving in WHAT_LEAVES}})


def purge_tenant(tenant_id: UUID, *, may_go_on: MayGoOn = lambda: True, policy: PurgePolicy = PURGE_POLICY) -> int:
    """Remove what has outlived its time, while it may go on; return the rows removed.

    Runs outside any ``tenant_tx``. Safe to run twice, also at once, and to kill: what is left leaves next time.
    """
    removed = {SNAPSHOTS: _purge_snapshots(tenant_id, may_go_on, policy)}
    for leaving in WHAT_LEAVES:
        removed[leaving.kind] = _purge(tenant_id, leaving, may_go_on, policy)
    for kind, count in removed.items():
        ROWS_PURGED.labels(kind=kind).inc(count)
    if any(removed.values()):
        log(Event.ROWS_PURGED, tenant=tenant_id, **removed)
    return sum(removed.values())


def remove_snapshots(subject_id: UUID, ids: Sequence[UUID], positions: Sequence[int]) -> int:
    """Delete snapshots of one subject with their words, vectors and sources; its memory begins a new epoch."""
    touch_memory(subject_id, changed=positions)  # the memory's lock comes before its snapshots, as for every writer
    return delete_rows(Snapshot.objects.filter(subject_id=subject_id, pk__in=ids))


def _purge_snapshots(tenant_id: UUID, may_go_on: MayGoOn, policy: PurgePolicy) -> int:
    with tenant_tx(tenant_id):
        counted = expired_snapshots().order_by("subject_id").values_list("subject_id").annotate(Count("id"))
        expired: dict[UUID, int] = dict(counted)
    total, pace, left = 0, Pace(policy), list(expired.items())
    while left and may_go_on():
        taken = dict(_next_subjects(left, pace.rows))
        with pace.batch(), tenant_tx(tenant_id):
            total += sum(_remove_expired(subject_id, most) for subject_id, most in taken.items())
        cut = [(one, count - taken[one]) for one, count in left[: len(taken)] if count > taken[one]]
        left = cut + left[len(taken) :]
    return total


def _next_subjects(left: Sequence[tuple[UUID, int]], rows: int) -> Iterator[tuple[UUID, int]]:
    """Yield subjects, in order, and how many rows of each leave next: together at most ``rows``."""
    for subject_id, count in left:
        if rows <= 0:
            return
        yield subject_id, min(count, rows)
        rows -= count


def _remove_expired(subject_id: UUID, most: int) -> int:
    rows = expired_snapshots().filter(subject_id=subject_id).order_by("position")
    found: Mapping[UUID, int] = dict(rows.values_list("id", "position")[:most])
    return remove_snapshots(subject_id, list(found), list(found.values())) if found else 0


def _purge(tenant_id: UUID, leaving: Leaving, may_go_on: MayGoOn, policy: PurgePolicy) -> int:
    total, pace = 0, Pace(policy)
    while may_go_on():
        asked = pace.rows
        with pace.batch(), tenant_tx(tenant_id):
            ids: list[Any] = list(leaving.rows(policy).order_by().values_list("pk", flat=True)[:asked])
            total += leaving.remove(ids) if ids else 0
        if len(ids) < asked:
            break
    return total
