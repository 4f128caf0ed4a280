"""A Celery app with the platform's settings, whose handlers leave one mark per item and whose leases are short.

``PAUSE`` seconds pass between reading a batch and writing it, ``BUDGET`` before a drain asks for another one; after
``TEST_LIMIT`` seconds, if that is set, Celery ends a job. An item
whose message says POISON kills the process.
SIGUSR2 makes the process write where its threads stand.
"""

import faulthandler
import os
import signal
import time
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import django
from celery import Celery

faulthandler.register(signal.SIGUSR2, all_threads=True)
django.setup()

from snapshots.models import Message, WorkKind  # noqa: E402 - after the set-up
from snapshots.queue.config import QueueConfig  # noqa: E402 - as above
from snapshots.queue.draining.tenant_turns import drain_for_one_turn  # noqa: E402 - as above
from snapshots.queue.metrics import find_tenants_with_due_work  # noqa: E402 - as above
from snapshots.queue.values import ClaimedWork  # noqa: E402 - as above
from snapshots.queue.worker_wake_ups import DRAIN_JOB, wake_workers  # noqa: E402 - as above
from tenants.config import RunConfig  # noqa: E402 - as above
from tenants.isolation import tenant_tx  # noqa: E402 - as above
from tenants.job_decorators import RepeatableTask, TenantTask  # noqa: E402 - as above
from tenants.services.job_runs import TenantTurn, run_round  # noqa: E402 - as above
from tests.flows.stage import POISON, ROUND, ROUND_JOB  # noqa: E402 - as above
from tests.snapshots.queue.world import leave_marks  # noqa: E402 - as above

PAUSE = float(os.environ.get("TEST_PAUSE", "0"))
BUDGET = float(os.environ.get("TEST_BUDGET", "2"))
POLICY = QueueConfig(
    lease=timedelta(seconds=3),  # a busy machine may hold up a renewal for a second or two
    renew_every=timedelta(seconds=0.4),
    batch=20,
    subject_batch=20,
    attempts=3,
    backoff=timedelta(milliseconds=20),
    drain_budget=timedelta(seconds=BUDGET),
)

RUN_POLICY = RunConfig(mark_every=timedelta(0))

if "TEST_LIMIT" in os.environ:
    RepeatableTask.soft_time_limit = float(os.environ["TEST_LIMIT"])

app = Celery("memory_platform_under_test", set_as_current=True)
app.config_from_object("memory_platform.celery_settings")
app.set_default()


def handle(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Read, compute for a while, write: as the platform's handlers do."""
    with tenant_tx(tenant_id):
        ids = [item.message_id for item in items if item.message_id]
        poisoned = Message.objects.filter(pk__in=ids, content=POISON).exists()
    if poisoned:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(PAUSE)
    leave_marks(tenant_id, items)


@app.task(name=DRAIN_JOB, base=TenantTask)  # type: ignore[untyped-decorator]  # Celery has no types
def drain_work_job(tenant_id: UUID) -> None:
    drain_for_one_turn(tenant_id, dict.fromkeys(WorkKind, handle), config=POLICY)


@app.task(name=ROUND_JOB)  # type: ignore[untyped-decorator]  # Celery has no types
def round_job() -> None:
    """Go round the tenants: two rows each, and a pause between them."""

    def visit(turn: TenantTurn) -> int:
        turn.mark_reached(turn.tenant_id, 1)
        time.sleep(PAUSE)
        return 1

    run_round(ROUND, timedelta(hours=1), visit, config=RUN_POLICY)


@app.task(name="snapshots.jobs.sweep_job")  # type: ignore[untyped-decorator]  # Celery has no types
def sweep_job() -> None:
    for tenant_id in find_tenants_with_due_work(100):
        wake_workers(tenant_id)
