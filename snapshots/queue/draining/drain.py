"""Draining a tenant's queue: claim and run batches until nothing is due or the time is up."""

import time
from collections.abc import Callable, Iterator
from uuid import UUID

from memory_platform.observability.logs import Event, log
from snapshots.models import WorkKind
from snapshots.queue.config import QUEUE_POLICY, QueueConfig
from snapshots.queue.draining.batches import run_batch
from snapshots.queue.draining.claim import DueKind, claim_items, find_due_kinds, take_over_items
from snapshots.queue.values import ClaimedWork, DrainReport, Handlers
from tenants.isolation import tenant_tx


def drain_work(
    tenant_id: UUID,
    handlers: Handlers,
    *,
    config: QueueConfig = QUEUE_POLICY,
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

        Ends with a round that found nothing to take.
        """
        took = True
        while took:
            took = False
            for due in self._find_due_kinds():
                for take in (self._take_over_batch, self._claim_batch):
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

    def _take_over_batch(self, due: DueKind) -> bool:
        if not due.abandoned:
            return False
        with tenant_tx(self._tenant_id):
            items = take_over_items(due.kind, config=self._policy)
        return self._run_batch(due.kind, items)

    def _claim_batch(self, due: DueKind) -> bool:
        if due.subject_id is None or due.kind in self._paused:
            return False
        with tenant_tx(self._tenant_id):
            items = claim_items(due.kind, begin_at=due.subject_id, config=self._policy)
        return self._run_batch(due.kind, items)

    def _run_batch(self, kind: WorkKind, items: list[ClaimedWork]) -> bool:
        """Run the handler on a batch; return False when it is empty."""
        if items:
            settled = run_batch(self._tenant_id, self._handlers[kind], items, self._policy)
            self._done += settled.done
            self._failed += settled.failed
            if settled.outage:
                self._paused.add(kind)
        return bool(items)
