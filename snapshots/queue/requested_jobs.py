"""Jobs that a product requested: claimed with a lease, run in short transactions, taken over when a worker dies.

Times are the database's clock. Every write to a running job requires the token of its lease.
"""

import atexit
import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID, uuid4

from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from memory_platform.kernel.errors import Conflict, NotFound
from memory_platform.observability.logs import Event, log
from memory_platform.observability.tracing import TENANT, find_trace_parent, open_work_span
from snapshots.config import JOB_CONFIG, JobConfig
from snapshots.models import Job, JobKind, JobStatus
from snapshots.queue.values import LeaseLost
from snapshots.queue.worker_wake_ups import WakeUps, publish_wake_up
from tenants.isolation import current_tenant_id, tenant_tx

JOBS_JOB = "snapshots.jobs.run_asked_jobs_job"
OPEN_STATUSES = (JobStatus.QUEUED, JobStatus.FAILED)
# The parameter that names the request's span; absent while traces are off.
TRACE_PARENT = "trace_parent"

# Runs a claimed job of a tenant to its end, in transactions of its own. Raises LeaseLost when another worker has it.
JobHandler = Callable[[UUID, Job], None]


class JobUnknown(NotFound):
    """No job with this id."""

    code = "job_unknown"


class JobNotDead(Conflict):
    """Only a job that was given up can be retried. HTTP 409."""

    code = "job_not_dead"


def add_job(kind: JobKind, params: Mapping[str, Any], *, total: int = 0, ours: bool = False) -> Job:
    """Add a job in the open transaction. ``ours``: the caller runs it at once; others may only after its lease."""
    parent = find_trace_parent()
    job = Job(kind=kind, params={**params, TRACE_PARENT: parent} if parent else dict(params), total=total)
    job.save(force_insert=True)
    if ours:
        return _lease_job(job)
    transaction.on_commit(partial(wake_job_workers, current_tenant_id()), robust=True)
    return job


def add_finished_job(kind: JobKind, params: Mapping[str, Any]) -> Job:
    """Add a job with nothing left to do, for a caller who is promised one. In the open transaction."""
    job = Job(kind=kind, params=dict(params), status=JobStatus.SUCCEEDED, ended_at=Now())
    job.save(force_insert=True)
    return load_job(job.id)


def load_job(job_id: UUID) -> Job:
    """Return one job of the open tenant. Raises JobUnknown."""
    found = Job.objects.filter(id=job_id).first()
    if found is None:
        raise JobUnknown
    return found


def find_due_jobs() -> QuerySet[Job]:
    """Return the open tenant's jobs that are due or abandoned, those due longest first."""
    due = Q(status__in=OPEN_STATUSES, due_at__lte=Now()) | Q(status=JobStatus.RUNNING, lease_until__lte=Now())
    return Job.objects.filter(due).order_by("due_at")


def waits_for_worker() -> bool:
    """Return whether jobs of the open tenant are due and no worker runs any of its jobs."""
    running = Job.objects.filter(status=JobStatus.RUNNING, lease_until__gt=Now())
    return find_due_jobs().exists() and not running.exists()


def claim_job(config: JobConfig = JOB_CONFIG) -> Job | None:
    """Lease the job that is due longest, in the open scope. One whose lease ran out too often is given up instead."""
    while True:
        found = find_due_jobs().select_for_update(skip_locked=True).first()
        if found is None or found.attempts < config.attempts:
            return _lease_job(found, config) if found else None
        _give_up_jobs(Job.objects.filter(id=found.id), "lease_expired")


def lock_job(job: Job) -> None:
    """Lock a job that is still ours until the transaction ends: first thing in every transaction that works at it.
    Raises LeaseLost when another worker has it, or it is gone."""
    if not _find_own_job(job).select_for_update().values_list("id"):
        raise LeaseLost


def advance_job(job: Job, *, done: int, config: JobConfig = JOB_CONFIG) -> None:
    """Count ``done`` more steps and begin the lease anew, in the transaction of the steps. Raises LeaseLost."""
    if not _find_own_job(job).update(done=F("done") + done, lease_until=Now() + config.lease):
        raise LeaseLost


def finish_job(job: Job, result: Mapping[str, Any]) -> None:
    """Mark a job as done, in the transaction of its last effect. Raises LeaseLost."""
    ended = {"status": JobStatus.SUCCEEDED, "result": dict(result), "ended_at": Now(), "error_code": ""}
    if not _find_own_job(job).update(**ended, done=F("total"), lease_token=None, lease_until=None):
        raise LeaseLost


def give_up_job(job: Job, code: str) -> None:
    """Give up a job that no further attempt can help, in the transaction that says why. Raises LeaseLost."""
    lock_job(job)
    _give_up_jobs(_find_own_job(job), code)


def set_job_total(job: Job, *, done: int, total: int) -> None:
    """Say how many steps a job has and how many are done, and begin the lease anew. Raises LeaseLost."""
    if not _find_own_job(job).update(done=done, total=total, lease_until=Now() + JOB_CONFIG.lease):
        raise LeaseLost


def retry_job(job: Job) -> Job:
    """Give a dead job all its attempts again. Raises JobNotDead."""
    dead = Job.objects.filter(id=job.id, status=JobStatus.DEAD)
    if not dead.update(status=JobStatus.QUEUED, attempts=0, due_at=Now(), error_code="", ended_at=None):
        raise JobNotDead("Only a dead job can be retried.")
    transaction.on_commit(partial(wake_job_workers, current_tenant_id()), robust=True)
    return load_job(job.id)


def run_due_jobs(tenant_id: UUID, handlers: Mapping[str, JobHandler], *, may_go_on: Callable[[], bool]) -> int:
    """Run the tenant's due jobs one after another; return how many. Runs outside any ``tenant_tx``."""
    worked = 0
    while may_go_on():
        with tenant_tx(tenant_id):
            job = claim_job()
        if job is None:
            break
        run_job(tenant_id, job, handlers[job.kind])
        worked += 1
    return worked


def run_job(tenant_id: UUID, job: Job, handler: JobHandler) -> None:
    """Run a claimed job. A failure puts it back for later, or gives it up after the last attempt.

    Raises SoftTimeLimitExceeded when the worker's time is up, with the job put back.
    """
    try:
        with open_work_span(f"process {job.kind}", [job.params.get(TRACE_PARENT)], {TENANT: tenant_id}):
            handler(tenant_id, job)
    except LeaseLost:
        log(Event.LEASE_LOST, items=1)
    except SoftTimeLimitExceeded:
        with tenant_tx(tenant_id):
            put_back_interrupted_job(job, JOB_CONFIG)
        raise
    except Exception as fault:  # noqa: BLE001 - reported by its class, and the job comes again
        log(Event.JOB_FAILED, tenant=tenant_id, job=str(job.id), error=type(fault).__name__)
        with tenant_tx(tenant_id):
            fail_job(job, type(fault).__name__, JOB_CONFIG)


def put_back_interrupted_job(job: Job, config: JobConfig = JOB_CONFIG) -> None:
    """Put a job back whose worker had no more time; the attempt counts only if it made no progress."""
    got_on = _find_own_job(job).filter(done__gt=job.done)
    back = {"status": JobStatus.QUEUED, "due_at": Now(), "lease_token": None, "lease_until": None}
    if not got_on.update(attempts=F("attempts") - 1, **back):
        fail_job(job, "time_limit", config)


def fail_job(job: Job, code: str, config: JobConfig = JOB_CONFIG) -> None:
    """Put a job back with back-off, or give it up; does nothing when it is no longer ours."""
    if job.attempts >= config.attempts:
        _give_up_jobs(_find_own_job(job), code)
        return
    pause = min(config.backoff * 2 ** (job.attempts - 1), config.backoff_cap)
    _find_own_job(job).update(
        status=JobStatus.FAILED, due_at=Now() + pause, error_code=code[:100], lease_token=None, lease_until=None
    )


def wake_job_workers(tenant_id: UUID) -> None:
    """Have a worker look at the tenant's jobs soon. Call it after the commit; it never waits and never raises."""
    _wake_ups.add(tenant_id)


def _lease_job(job: Job, config: JobConfig = JOB_CONFIG) -> Job:
    token = uuid4()
    Job.objects.filter(id=job.id).update(
        status=JobStatus.RUNNING, attempts=F("attempts") + 1, lease_token=token, lease_until=Now() + config.lease
    )
    return Job.objects.get(id=job.id)


def _find_own_job(job: Job) -> QuerySet[Job]:
    return Job.objects.filter(id=job.id, lease_token=job.lease_token, status=JobStatus.RUNNING)


def _give_up_jobs(rows: QuerySet[Job], code: str) -> None:
    rows.update(status=JobStatus.DEAD, error_code=code[:100], ended_at=Now(), lease_token=None, lease_until=None)


_wake_ups = WakeUps(partial(publish_wake_up, job=JOBS_JOB))
os.register_at_fork(after_in_child=_wake_ups.reset)
atexit.register(_wake_ups.flush)
