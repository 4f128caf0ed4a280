"""Tell workers that there is work, best effort; no caller waits for it.

A thread of the process publishes. The caller only leaves the tenant's id, which takes microseconds, so a broker that
refuses, hangs or drops everything cannot slow a request. Ids that arrive while the thread is busy, or within the quiet
time after it published, become one wake-up: a hundred commits a second do not flood the broker. If the process or the
broker loses one, the sweep finds the work two seconds later.
"""

import atexit
import os
import threading
import time
from collections.abc import Callable
from uuid import UUID

from celery import current_app

from memory_platform.observability.logs import Event, log
from snapshots.queue.config import WAKE_UP_CONFIG, WakeUpConfig

DRAIN_JOB = "snapshots.jobs.drain_work_job"


def wake_workers(tenant_id: UUID) -> None:
    """Have a worker look at the tenant's due work soon. Call it after the commit; it never waits and never raises."""
    _wake_ups.add(tenant_id)


def publish_wake_up(tenant_id: UUID, job: str = DRAIN_JOB) -> None:
    current_app.send_task(
        job,  # by name: the jobs stand above this room
        kwargs={"tenant_id": str(tenant_id)},
        expires=WAKE_UP_CONFIG.life.total_seconds(),
        retry=False,
        ignore_result=True,
    )


class WakeUps:
    """Tenants to be announced, and the thread that announces them. The thread starts with the first tenant."""

    def __init__(self, announce: Callable[[UUID], None], config: WakeUpConfig = WAKE_UP_CONFIG) -> None:
        self._announce = announce
        self._policy = config
        self._failing = False
        self.reset()

    def reset(self) -> None:
        """Begin anew. A forked child does: the thread stayed in its parent."""
        self._changed = threading.Condition()
        self._waiting: set[UUID] = set()
        self._busy = False
        self._thread: threading.Thread | None = None

    def add(self, tenant_id: UUID) -> None:
        with self._changed:
            self._waiting.add(tenant_id)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="wake-ups", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def flush(self) -> bool:
        """Wait until all is announced, at most ``farewell``; return whether it was."""
        with self._changed:
            farewell = self._policy.farewell.total_seconds()
            return self._changed.wait_for(lambda: not self._waiting and not self._busy, farewell)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                tenants, self._waiting, self._busy = self._waiting, set(), True
            for tenant_id in tenants:
                self._try_to_announce(tenant_id)
            with self._changed:
                self._busy = False
                self._changed.notify_all()
            time.sleep(self._policy.quiet.total_seconds())

    def _try_to_announce(self, tenant_id: UUID) -> None:
        try:
            self._announce(tenant_id)
        except Exception as fault:  # noqa: BLE001 - the sweep finds the work; the thread has to live
            if not self._failing:  # once per outage, not once per message
                log(Event.WAKE_UP_FAILED, error=type(fault).__name__)
            self._failing = True
        else:
            self._failing = False


_wake_ups = WakeUps(publish_wake_up)
os.register_at_fork(after_in_child=_wake_ups.reset)
atexit.register(_wake_ups.flush)
