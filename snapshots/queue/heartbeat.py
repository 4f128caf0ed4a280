"""Keeping a lease while its handler computes."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.db import DatabaseError, connection

from memory_platform.observability.logs import Event, log
from snapshots.queue.leases import renew
from snapshots.queue.policy import QueuePolicy
from snapshots.queue.values import ClaimedWork
from tenants.isolation import tenant_tx


@contextmanager
def lease_kept(tenant_id: UUID, items: Sequence[ClaimedWork], policy: QueuePolicy) -> Iterator[None]:
    """Renew the lease of ``items`` every ``renew_every`` while the block runs, from a thread of its own.

    The thread shows that the process lives, not that the handler advances: the job's time limit ends a handler that
    hangs, and with it the renewals.
    """
    finished = threading.Event()
    beats = threading.Thread(target=_beat, args=(tenant_id, items, policy, finished), name="heartbeat", daemon=True)
    beats.start()
    try:
        yield
    finally:
        finished.set()
        beats.join()


def _beat(tenant_id: UUID, items: Sequence[ClaimedWork], policy: QueuePolicy, finished: threading.Event) -> None:
    try:
        while not finished.wait(policy.renew_every.total_seconds()):
            with tenant_tx(tenant_id):
                still_ours = renew(items, policy=policy)
            if not still_ours:
                return
    except DatabaseError as fault:  # without renewals the lease runs out, and somebody else does the work
        log(Event.LEASE_LOST, items=len(items), error=type(fault).__name__)
    finally:
        connection.close()  # this thread's own
