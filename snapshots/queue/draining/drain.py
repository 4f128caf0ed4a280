"""Draining a tenant's queue: claim and run batches until nothing is due or the time is up.

A batch that raises is repeated item by item, so that only the poison item pays for it. An outage is not poison: the
items go back without an attempt counted. A worker whose time is up gives its items away as its death would.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from uuid import UUID

from celery.exceptions import SoftTimeLimitExceeded
from psycopg_pool import PoolTimeout

from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import WORK_ENDED
from memory_platform.observability.open_span import OpenSpan
from memory_platform.observability.tracing import TENANT, open_work_span
from snapshots.models import WorkKind, WorkState
from snapshots.queue.config import QUEUE_CONFIG, QueueConfig
from snapshots.queue.draining.heartbeat import keep_lease
from snapshots.queue.draining.leases import (
    NO_DELAY,
    ORDERED_KINDS,
    DueKind,
    abandon_items,
    claim_items,
    fail_items,
    find_due_kinds,
    release_items,
    take_over_items,
)
from snapshots.queue.values import ClaimedWork, DrainReport, Handler, Handlers, LeaseLost
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
        with keep_lease(tenant_id, items, config), trace_batch(tenant_id, items) as span:
            result = _try_items(tenant_id, handler, items, config)
            if result.failed or result.outage:
                span.fail("outage" if result.outage else "failed")
            return result
    except SoftTimeLimitExceeded:
        with tenant_tx(tenant_id):  # after the last renewal
            abandon_items(items)
        raise


def trace_batch(tenant_id: UUID, items: Sequence[ClaimedWork]) -> AbstractContextManager[OpenSpan]:
    """Trace a batch as a part of the requests that left it, by OpenTelemetry's conventions for messaging."""
    told = {
        "messaging.operation.type": "process",
        "messaging.destination.name": items[0].kind,
        "messaging.batch.message_count": len(items),
        TENANT: tenant_id,
    }
    return open_work_span(f"process {items[0].kind}", (item.trace_parent for item in items), told)


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


def drain_work(
    tenant_id: UUID,
    handlers: Handlers,
    *,
    config: QueueConfig = QUEUE_CONFIG,
    others_wait: Callable[[], bool] = lambda: False,
) -> DrainReport:
    """Do the tenant's due work of the kinds that have a handler. Runs outside any ``tenant_tx``; safe to run anywhere,
    any number of times at once.

    Stops claiming after ``drain_budget``, so that a worker that is asked to end can, and after the batch that ends the
    ``turn`` if ``others_wait``: ``more`` then asks for another wake-up. Raises only database errors; the work comes
    back when its lease runs out.
    """
    drain = Drain(tenant_id, handlers, config)
    now = time.monotonic()
    ends_at, turn_ends_at = now + config.drain_budget.total_seconds(), now + config.turn.total_seconds()
    for _ in drain.batches():
        now = time.monotonic()
        if now >= ends_at or (now >= turn_ends_at and others_wait()):
            return drain.report(more=True)
        if now >= turn_ends_at:
            turn_ends_at = now + config.look_every.total_seconds()
    return drain.report(more=False)


class Drain:
    """One run through a tenant's queue. The kinds take turns; a kind whose outside services are down is left alone."""

    def __init__(self, tenant_id: UUID, handlers: Handlers, config: QueueConfig) -> None:
        self._tenant_id = tenant_id
        self._handlers = handlers
        self._policy = config
        self._paused: set[WorkKind] = set()
        self._done = self._failed = 0

    def batches(self) -> Iterator[None]:
        """Do one batch after the other and yield after each: abandoned items and due ones of each kind that has some.
        Ends with a round that found nothing to take."""
        took = True
        while took:
            took = False
            for due in self._find_due_kinds():
                for take in (self._run_abandoned_batch, self._run_due_batch):
                    if take(due):
                        took = True
                        yield

    def report(self, *, more: bool) -> DrainReport:
        if self._done or self._failed:
            log(Event.WORK_DONE, tenant=self._tenant_id, items=self._done, failed=self._failed, more=more)
        return DrainReport(self._done, self._failed, more)

    def _find_due_kinds(self) -> list[DueKind]:
        kinds = [kind for kind in self._handlers if kind not in self._paused]
        with tenant_tx(self._tenant_id):
            return find_due_kinds(kinds)

    def _run_abandoned_batch(self, due: DueKind) -> bool:
        if not due.abandoned:
            return False
        with tenant_tx(self._tenant_id):
            items = take_over_items(due.kind, config=self._policy)
        return self._run_batch(due.kind, items)

    def _run_due_batch(self, due: DueKind) -> bool:
        if due.subject_id is None or due.kind in self._paused:
            return False
        with tenant_tx(self._tenant_id):
            items = claim_items(due.kind, begin_at=due.subject_id, config=self._policy)
        return self._run_batch(due.kind, items)

    def _run_batch(self, kind: WorkKind, items: list[ClaimedWork]) -> bool:
        if items:
            settled = run_batch(self._tenant_id, self._handlers[kind], items, self._policy)
            self._done += settled.done
            self._failed += settled.failed
            if settled.outage:
                self._paused.add(kind)
        return bool(items)
