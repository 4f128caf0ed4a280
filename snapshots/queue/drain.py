"""Draining a tenant's queue: claim, have it done, until nothing is due or the time is up."""

import time
from collections.abc import Callable
from uuid import UUID

from memory_platform.observability.logs import Event, log
from snapshots.models import WorkKind
from snapshots.queue.claim import Due, claim, due_work, take_over
from snapshots.queue.policy import QUEUE_POLICY, QueuePolicy
from snapshots.queue.settle import settle
from snapshots.queue.values import ClaimedWork, DrainReport, Handlers
from tenants.isolation import tenant_tx


def nobody() -> bool:
    """Tell that no other tenant waits."""
    return False


def drain_work(
    tenant_id: UUID,
    handlers: Handlers,
    *,
    policy: QueuePolicy = QUEUE_POLICY,
    others_wait: Callable[[], bool] = nobody,
) -> DrainReport:
    """Do the tenant's due work of the kinds that have a handler. Runs outside any ``tenant_tx``; safe to run anywhere,
    any number of times at once.

    Stops claiming after ``drain_budget``, so that a worker that is asked to end can, and after each ``turn`` if
    ``others_wait``: ``more`` then asks for another wake-up. Raises only database errors; the work comes back when its
    lease runs out.
    """
    drain = Drain(tenant_id, handlers, policy)
    now = time.monotonic()
    ends_at, turn_ends_at = now + policy.drain_budget.total_seconds(), now + policy.turn.total_seconds()
    while drain.round():
        now = time.monotonic()
        if now >= ends_at or (now >= turn_ends_at and others_wait()):
            return drain.report(more=True)
        if now >= turn_ends_at:
            turn_ends_at = now + policy.turn.total_seconds()
    return drain.report(more=False)


class Drain:
    """One run through a tenant's queue. The kinds take turns; a kind whose outside parts are down is left alone."""

    def __init__(self, tenant_id: UUID, handlers: Handlers, policy: QueuePolicy) -> None:
        self._tenant_id = tenant_id
        self._handlers = handlers
        self._policy = policy
        self._paused: set[WorkKind] = set()
        self._done = self._failed = 0

    def round(self) -> bool:
        """Take abandoned items and a batch of each kind that is due; False when there was nothing to take."""
        kinds = [kind for kind in self._handlers if kind not in self._paused]
        with tenant_tx(self._tenant_id):
            due = due_work(kinds)
        turns = [self._turn(kind) for kind in due]
        return any(turns)

    def report(self, *, more: bool) -> DrainReport:
        """Return what was done so far."""
        if self._done or self._failed:
            log(Event.WORK_DONE, tenant=self._tenant_id, items=self._done, failed=self._failed, more=more)
        return DrainReport(self._done, self._failed, more)

    def _turn(self, due: Due) -> bool:
        abandoned = self._take_over(due.kind) if due.abandoned else []
        fresh = self._claim(due.kind, due.subject_id) if due.subject_id and due.kind not in self._paused else []
        return bool(abandoned or fresh)

    def _take_over(self, kind: WorkKind) -> list[ClaimedWork]:
        with tenant_tx(self._tenant_id):
            items = take_over(kind, policy=self._policy)
        return self._settled(kind, items)

    def _claim(self, kind: WorkKind, begin_at: UUID) -> list[ClaimedWork]:
        with tenant_tx(self._tenant_id):
            items = claim(kind, begin_at=begin_at, policy=self._policy)
        return self._settled(kind, items)

    def _settled(self, kind: WorkKind, items: list[ClaimedWork]) -> list[ClaimedWork]:
        if items:
            settled = settle(self._tenant_id, self._handlers[kind], items, self._policy)
            self._done += settled.done
            self._failed += settled.failed
            if settled.outage:
                self._paused.add(kind)
        return items
