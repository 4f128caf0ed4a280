"""Heartbeat while a handler computes: a thread renews a batch's lease or a tenant's seat before it expires."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID

from django.db import DatabaseError, connection

from memory_platform.observability.logs import Event, log
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.leases import renew_leases
from snapshots.queue.values import ClaimedWork
from tenants.isolation import tenant_tx


@contextmanager
def keep_lease(tenant_id: UUID, items: Sequence[ClaimedWork], config: QueueConfig) -> Iterator[None]:
    """Renew the lease of ``items`` every ``renew_every`` while the block runs."""

    def renew_lease() -> bool:
        try:
            with tenant_tx(tenant_id):
                return bool(renew_leases(items, config=config))
        except DatabaseError as fault:  # without renewals the lease runs out, and somebody else does the work
            log(Event.LEASE_LOST, items=len(items), error=type(fault).__name__)
            return False

    with repeat_in_background(renew_lease, config.renew_every):
        yield


@contextmanager
def repeat_in_background(renew_it: Callable[[], bool], every: timedelta) -> Iterator[None]:
    """Call ``renew_it`` every so often while the block runs, from a thread of its own, until it returns False.

    The thread shows that the process lives, not that the handler advances: the job's time limit ends a handler that
    hangs, and with it the renewals.
    """
    finished = threading.Event()
    beats = threading.Thread(
        target=_repeat_until_finished, args=(renew_it, every, finished), name="heartbeat", daemon=True
    )
    beats.start()
    try:
        yield
    finally:
        finished.set()
        beats.join()


def _repeat_until_finished(renew_it: Callable[[], bool], every: timedelta, finished: threading.Event) -> None:
    try:
        while not finished.wait(every.total_seconds()):
            if not renew_it():
                return
    finally:
        connection.close()  # this thread's own
