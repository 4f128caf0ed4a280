"""Claims and leases, in the open ``tenant_tx``: a claim commits before its work begins.

``statement`` and ``conversation`` items have no order. ``extract`` items go by position within a subject: a claim takes
the earliest open items of subjects of which no worker holds any. Dead items step aside.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import WORK_ENDED, WORK_SECONDS
from snapshots.models import WorkKind, WorkState
from snapshots.queue import sql
from snapshots.queue.config import QUEUE_CONFIG, QueueConfig
from snapshots.queue.sql import run_sql, run_sql_for_items
from snapshots.queue.values import ClaimedWork, LeaseLost

ORDERED_KINDS = frozenset({WorkKind.EXTRACT})
FIRST_SUBJECT = UUID(int=0)


@dataclass(frozen=True, slots=True)
class DueKind:
    """One kind with something to do. ``subject_id``: whose item waits longest, None when all of it is abandoned."""

    kind: WorkKind
    subject_id: UUID | None
    abandoned: bool


def find_due_kinds(kinds: Iterable[WorkKind]) -> list[DueKind]:
    found = run_sql(sql.DUE, kinds=[kind.value for kind in kinds])
    return [DueKind(WorkKind(kind), subject_id, lost) for kind, subject_id, lost in found if subject_id or lost]


def claim_items(
    kind: WorkKind, *, begin_at: UUID = FIRST_SUBJECT, config: QueueConfig = QUEUE_CONFIG
) -> list[ClaimedWork]:
    """Lease a batch of due items, ordered by position; empty if no item is due or other workers have them.

    A batch ends with the item whose text makes it ``batch_bytes``, however few these are. For an ordered kind the
    search begins at the subject ``begin_at``, and starts over at the first subject if it finds nothing.
    """
    if kind not in ORDERED_KINDS:
        return _build_claimed_items(
            run_sql(sql.CLAIM_ANY_ORDER, **_build_lease_parameters(kind, config), limit=config.get_batch_size(kind))
        )
    return _claim_in_order(kind, begin_at, config) or (
        _claim_in_order(kind, FIRST_SUBJECT, config) if begin_at != FIRST_SUBJECT else []
    )


def take_over_items(kind: WorkKind, *, config: QueueConfig = QUEUE_CONFIG) -> list[ClaimedWork]:
    """Lease items whose lease has run out; empty if every lease still runs.

    The lost lease counts as an attempt. Items that lost one for the first time go in a batch: most were with a worker
    that died. Items that lost it again go one at a time: an item that kills its worker must not take harmless ones with
    it until all of them are dead.
    """
    return _take_over_batch(kind, config, alone=False) or _take_over_batch(kind, config, alone=True)


def _take_over_batch(kind: WorkKind, config: QueueConfig, *, alone: bool) -> list[ClaimedWork]:
    terms = {"most": config.get_attempt_limit(kind), "in_order": kind in ORDERED_KINDS}
    size = {"alone": alone, "limit": 1 if alone else config.get_batch_size(kind)}
    while found := run_sql(sql.TAKE_OVER, **_build_lease_parameters(kind, config), **terms, **size):
        if items := _build_claimed_items(found):
            return items
        log(Event.WORK_DIED, work=found[0][0], kind=kind, code="lease_expired")
    return []


def _claim_in_order(kind: WorkKind, begin_at: UUID, config: QueueConfig) -> list[ClaimedWork]:
    sizes = {"limit": config.batch, "per_subject": config.subject_batch, "subjects": config.subjects_visited}
    return _build_claimed_items(
        run_sql(sql.CLAIM_IN_ORDER, **_build_lease_parameters(kind, config), begin_at=begin_at, **sizes)
    )


def _build_lease_parameters(kind: WorkKind, config: QueueConfig) -> dict[str, object]:
    return {"kind": kind.value, "token": uuid4(), "lease": config.lease, "bytes": config.batch_bytes}


def _build_claimed_items(rows: Sequence[tuple[Any, ...]]) -> list[ClaimedWork]:
    items = [ClaimedWork(row[0], WorkKind(row[1]), *row[2:]) for row in rows if row[-1] is not None]
    return sorted(items, key=lambda item: item.position)


CODE_CHARS = 100
NO_DELAY = timedelta(0)


def lock_leased(items: Iterable[ClaimedWork]) -> list[ClaimedWork]:
    """Return the items whose lease is still valid, by position, their rows locked until the transaction ends. Call it
    first in a transaction that writes, so that no item of another worker is written."""
    items = list(items)
    ours = {row[0] for row in run_sql_for_items(sql.HOLD, items)}
    if lost := len(items) - len(ours):
        log(Event.LEASE_LOST, items=lost)
    return sorted((item for item in items if item.id in ours), key=lambda item: item.position)


def complete_items(items: Iterable[ClaimedWork]) -> None:
    """Mark items as done, in the transaction of their effects. Raises LeaseLost when one of them is not ours."""
    items = list(items)
    done = run_sql_for_items(sql.COMPLETE, items)
    if len(done) != len(items):
        raise LeaseLost
    for kind, seconds in done:
        WORK_SECONDS.labels(kind=kind).observe(seconds)
        WORK_ENDED.labels(kind=kind, outcome="done").inc()


def fail_items(items: Iterable[ClaimedWork], code: str, *, config: QueueConfig = QUEUE_CONFIG) -> list[WorkState]:
    """Count an attempt and put items back with back-off, or give them up; return the states of those that were ours.

    ``code`` names the error's class or code, never content. All items are of one kind.
    """
    items = list(items)
    if not items:
        return []
    kind = items[0].kind
    limits = {"most": config.get_attempt_limit(kind), "base": config.backoff, "cap": config.backoff_cap}
    failed = run_sql_for_items(sql.FAIL, items, code=code[:CODE_CHARS], **limits)
    for work_id, state in failed:
        dead = state == WorkState.DEAD
        log(Event.WORK_DIED if dead else Event.WORK_RETRIED, work=work_id, kind=kind, code=code[:CODE_CHARS])
        WORK_ENDED.labels(kind=kind, outcome="dead" if dead else "retried").inc()
    return [WorkState(state) for _, state in failed]


def release_items(items: Iterable[ClaimedWork], *, delay: timedelta = NO_DELAY, code: str = "") -> int:
    """Put items back without counting an attempt, due after ``delay``; return how many were still ours."""
    return len(run_sql_for_items(sql.RELEASE, items, delay=delay, code=code[:CODE_CHARS]))


def abandon_items(items: Iterable[ClaimedWork]) -> int:
    """End the lease as if the worker had died, so that others take over now; return how many items were ours. Never
    waits for locks: items locked by a running statement expire by themselves."""
    return len(run_sql_for_items(sql.ABANDON, items))


def renew_leases(items: Sequence[ClaimedWork], *, config: QueueConfig = QUEUE_CONFIG) -> int:
    return len(run_sql_for_items(sql.RENEW, items, lease=config.lease))
