"""Running one claimed batch, and deciding about items whose handler raised.

A batch that raises is repeated item by item, so that only the poison item pays for it. An outage is not poison: the
items go back without an attempt counted. A worker whose time is up gives its items away as its death would.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from celery.exceptions import SoftTimeLimitExceeded
from psycopg_pool import PoolTimeout

from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import WORK_ENDED
from snapshots.models import WorkState
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.claim import ORDERED_KINDS
from snapshots.queue.draining.heartbeat import keep_lease
from snapshots.queue.draining.leases import NO_DELAY, abandon_items, fail_items, release_items
from snapshots.queue.values import ClaimedWork, Handler, LeaseLost
from tenants.isolation import tenant_tx

NOT_COMPLETED = "not_completed"
# SQLSTATEs: no connection, no room for one, and Postgres stopping, restarting, or not up yet.
DATABASE_AWAY = ("08", "53300", "57P01", "57P02", "57P03")


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result of a batch. ``waits``: an item failed and will be tried again; ``outage``: nothing could be tried."""

    done: int = 0
    failed: int = 0
    waits: bool = False
    outage: bool = False


def run_batch(tenant_id: UUID, handler: Handler, items: Sequence[ClaimedWork], config: QueueConfig) -> BatchResult:
    """Run the handler over a leased batch of one kind, and keep the lease meanwhile. Runs outside any ``tenant_tx``.

    Raises database errors: then the lease runs out and the work is taken over; and SoftTimeLimitExceeded: then it may
    be taken over at once.
    """
    try:
        with keep_lease(tenant_id, items, config):
            return _try_items(tenant_id, handler, items, config)
    except SoftTimeLimitExceeded:
        with tenant_tx(tenant_id):  # after the last renewal
            abandon_items(items)
        raise


def is_outage(fault: Exception) -> bool:
    """Return whether no worker could have done this now. A connection that just broke may be the item's own doing."""
    if isinstance(fault, MemoryPlatformError):
        return fault.retryable
    state = getattr(fault.__cause__, "sqlstate", None) or ""
    return isinstance(fault.__cause__, PoolTimeout) or state.startswith(DATABASE_AWAY)


def name_error(fault: Exception) -> str:
    """Return the name of an error without its message, which may hold content."""
    if isinstance(fault, MemoryPlatformError):
        return fault.code
    sqlstate = getattr(fault.__cause__, "sqlstate", None)
    return f"{type(fault).__name__}:{sqlstate}" if sqlstate else type(fault).__name__


def _try_items(tenant_id: UUID, handler: Handler, items: Sequence[ClaimedWork], config: QueueConfig) -> BatchResult:
    try:
        handler(tenant_id, items)
    except SoftTimeLimitExceeded:
        raise  # the worker's time is up: whose fault it is shows when the items are taken over
    except Exception as fault:  # noqa: BLE001 - whatever a handler raises, its item decides about itself alone
        return _handle_failure(fault, tenant_id, handler, items, config)
    left = _fail_items(tenant_id, items, NOT_COMPLETED, config)  # a handler that forgets items must not look done
    return BatchResult(len(items) - left.failed, left.failed, left.waits)


def _handle_failure(
    fault: Exception, tenant_id: UUID, handler: Handler, items: Sequence[ClaimedWork], config: QueueConfig
) -> BatchResult:
    if is_outage(fault):
        _put_items_back(tenant_id, items, config, code=name_error(fault))
        return BatchResult(outage=True)
    if len(items) > 1:
        return _run_one_by_one(tenant_id, handler, items, config)
    if isinstance(fault, LeaseLost):
        log(Event.LEASE_LOST, items=1)
        return BatchResult()
    return _fail_items(tenant_id, items, name_error(fault), config)


def _run_one_by_one(
    tenant_id: UUID, handler: Handler, items: Sequence[ClaimedWork], config: QueueConfig
) -> BatchResult:
    done = failed = 0
    blocked: set[UUID] = set()
    waiting: list[ClaimedWork] = []
    for place, item in enumerate(items):
        if item.subject_id in blocked:
            waiting.append(item)  # what was said later must not be learned first
            continue
        settled = _try_items(tenant_id, handler, [item], config)
        if settled.outage:
            _put_items_back(tenant_id, [*waiting, *items[place + 1 :]], config)
            return BatchResult(done, failed, outage=True)
        done, failed = done + settled.done, failed + settled.failed
        if settled.waits and item.kind in ORDERED_KINDS:
            blocked.add(item.subject_id)
    with tenant_tx(tenant_id):
        release_items(waiting, delay=NO_DELAY)
    return BatchResult(done, failed, waits=bool(failed))


def _fail_items(tenant_id: UUID, items: Sequence[ClaimedWork], code: str, config: QueueConfig) -> BatchResult:
    with tenant_tx(tenant_id):
        states = fail_items(items, code, config=config)
    return BatchResult(failed=len(states), waits=WorkState.READY in states)


def _put_items_back(tenant_id: UUID, items: Sequence[ClaimedWork], config: QueueConfig, *, code: str = "") -> None:
    with tenant_tx(tenant_id):
        released = release_items(items, delay=config.outage_pause, code=code)
    if items:
        WORK_ENDED.labels(kind=items[0].kind, outcome="outage").inc(released)
