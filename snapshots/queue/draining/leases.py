"""Rights of a lease's holder, inside the open ``tenant_tx`` and only while the token is still good."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import WORK_ENDED, WORK_SECONDS
from snapshots.models import WorkState
from snapshots.queue import sql
from snapshots.queue.config import QUEUE_POLICY, QueueConfig
from snapshots.queue.sql_execution import run_sql_for_items
from snapshots.queue.values import ClaimedWork, LeaseLost

CODE_CHARS = 100
NO_DELAY = timedelta(0)


def lock_leased(items: Iterable[ClaimedWork]) -> list[ClaimedWork]:
    """Return the items whose lease is still valid, by position, their rows locked until the transaction ends.

    Call it first in a transaction that writes, so that no item of another worker is written.
    """
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


def fail_items(items: Iterable[ClaimedWork], code: str, *, config: QueueConfig = QUEUE_POLICY) -> list[WorkState]:
    """Count an attempt and put items back with back-off, or give them up; return the states of those that were ours.

    ``code`` names the error's class or code, never content. All items are of one kind.
    """
    items = list(items)
    if not items:
        return []
    kind = items[0].kind
    limits = {"most": config.attempts_of(kind), "base": config.backoff, "cap": config.backoff_cap}
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
    """End the lease as if the worker had died, so that others take over now; return how many items were ours.

    Never waits for locks: items locked by a running statement expire by themselves.
    """
    return len(run_sql_for_items(sql.ABANDON, items))


def renew_leases(items: Sequence[ClaimedWork], *, config: QueueConfig = QUEUE_POLICY) -> int:
    return len(run_sql_for_items(sql.RENEW, items, lease=config.lease))
