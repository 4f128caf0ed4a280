"""Records of scheduled jobs: one run per job and slot, however often it is sent, and rounds that can be continued.

Two kinds. ``run_once`` does one piece of work; if it dies, the next slot does it anew. ``run_round`` visits the tenants
in the order of their ids and marks its progress: one that runs out of time, dies or is killed is continued there, sent
again by ``list_jobs_to_continue``. All times are the database's clock. Not for the queue's sweep: every two seconds
would write more rows than work, and sweeping twice does no harm.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction
from django.db.models import F, Max
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.observability.logs import Event, log
from memory_platform.observability.tracing import open_span
from tenants.config import RUN_CONFIG, RunConfig
from tenants.models import JobRun, Tenant
from tenants.services.job_due_times import (
    Default,
    RunTimes,
    find_due_slot,
    list_latest_slots,
    read_crontab,
    schedule_of,
)

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0)), clock_timestamp()"


class RunLost(MemoryPlatformError):
    """Another worker has taken over the run, because this one was away for longer than its lease."""

    code = "run_lost"


@dataclass(frozen=True, slots=True)
class RunTally:
    """The result of a run: rows touched, tenants skipped for lack of time, tenants that failed."""

    rows: int = 0
    skipped: int = 0
    errors: int = 0


@dataclass(slots=True)
class TenantTurn:
    """One tenant's share of a round. ``after`` is the last subject of an earlier worker, None for the first worker."""

    tenant_id: UUID
    after: UUID | None = None
    ends_at: float = float("inf")
    note: Callable[[UUID | None, int], None] = lambda reached, rows: None
    is_cut: bool = field(default=False, init=False)

    def may_go_on(self) -> bool:
        """Return whether there is time left. After a False, the tenant counts as unfinished."""
        self.is_cut = self.is_cut or time.monotonic() >= self.ends_at
        return not self.is_cut

    def mark_reached(self, subject_id: UUID | None, rows: int = 0) -> None:
        """Record that all subjects up to this one are done and ``rows`` were touched since the last mark. Raises
        RunLost when another worker goes on with the run."""
        self.note(subject_id, rows)


# Does one tenant's share, as far as the time allows; returns rows that it has not marked yet.
RoundWork = Callable[[TenantTurn], int]


def run_once(job: str, default: Default, work: Callable[[], RunTally]) -> bool:
    """Do ``work`` unless the current slot of ``job`` is on record; return whether it was done. A run that dies stays on
    record without an end, and the next slot does its work."""
    run = _begin(job, default, leased=None)
    if run is None:
        return False
    with open_span(f"job {job}", {}):
        tally = _end_run(run, work())
    log(Event.JOB_RUN, job=job, rows=tally.rows, skipped=tally.skipped, errors=tally.errors)
    return True


def run_round(job: str, default: Default, work: RoundWork, *, config: RunConfig = RUN_CONFIG) -> bool:
    """Visit each tenant, or continue an interrupted round; return whether a round was due. Raises
    SoftTimeLimitExceeded when the worker's time is up; the round is then marked as unfinished."""
    run = _begin(job, default, leased=config.lease)
    if run is None:
        return False
    share = _Round(run, work, config)
    try:
        with open_span(f"job {job}", {}):
            share.run_turns()
    except RunLost:
        log(Event.LEASE_LOST, job=job)
    except SoftTimeLimitExceeded:
        share.interrupt()
        raise
    return True


def run_by_hand(job: str, work: RoundWork, tenant_ids: list[UUID]) -> RunTally:
    """Do the job for these tenants now, without a time limit, on a record of its own that no slot counts."""
    run = _begin_by_hand(job)
    rows = errors = 0
    marked: list[int] = []
    for tenant_id in tenant_ids:
        try:
            rows += work(TenantTurn(tenant_id, note=lambda _, count: marked.append(count)))
        except Exception as fault:  # noqa: BLE001 - reported, and the other tenants have their turn
            errors += 1
            log(Event.JOB_FAILED, job=job, run=run.id, tenant=tenant_id, error=type(fault).__name__)
    return _end_run(run, RunTally(rows + sum(marked), errors=errors))


def run_whole_by_hand(job: str, work: Callable[[], RunTally]) -> RunTally:
    """Do a platform-wide job now, on a record of its own that no slot counts."""
    return _end_run(_begin_by_hand(job), work())


def request_run(job: str, config: RunConfig = RUN_CONFIG) -> JobRun | None:
    """Put a run of the job on record that the next worker takes, as it takes an interrupted one; return None while
    another run is under way. Whoever calls it sends the job's task; a task that is lost is sent again by
    :func:`list_jobs_to_continue`."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK, [job])
        now: datetime = cursor.fetchone()[1]
        last = JobRun.objects.filter(job=job).order_by("-scheduled_for").first()
        if last is not None and _is_under_way(last, now, config):
            return None
        if last is not None and last.ended_at is None and last.lease_until is not None:
            return last  # an interrupted round: its next worker goes on with it
        # Just behind the last slot: a run between two slots must not take the place of the next one.
        slot = last.scheduled_for + timedelta(microseconds=1) if last is not None else now
        return JobRun.objects.create(job=job, scheduled_for=slot, started_at=now, lease_until=now)


def _is_under_way(run: JobRun, now: datetime, config: RunConfig) -> bool:
    if run.ended_at is not None:
        return False
    # A run without a lease that died stays on record without an end: after so long it has surely died.
    ends = run.lease_until if run.lease_until is not None else run.started_at + config.longest
    return ends > now


def name_manual_run(job: str) -> str:
    return f"{job} (by hand)"


def run_for_each_tenant(work: Callable[[UUID], int], *, may_go_on: Callable[[], bool] = lambda: True) -> RunTally:
    """Run ``work`` for each tenant and add up its rows; one tenant's failure does not stop the others."""
    rows = skipped = errors = 0
    for tenant_id in Tenant.objects.order_by("id").values_list("id", flat=True):
        if not may_go_on():
            skipped += 1
            continue
        try:
            rows += work(tenant_id)
        except SoftTimeLimitExceeded:
            raise  # this worker has no time for the others
        except Exception as fault:  # noqa: BLE001 - reported, and the other tenants have their turn
            errors += 1
            log(Event.JOB_FAILED, tenant=tenant_id, error=type(fault).__name__)
    return RunTally(rows, skipped, errors)


def list_jobs_to_continue(config: RunConfig = RUN_CONFIG) -> list[str]:
    """Return the tasks that must be sent again: interrupted rounds, and times of the day that beat has missed. Disabled
    jobs are skipped, and jobs that have never run: their first run is beat's to send."""
    now = _now()
    rows = PeriodicTask.objects.filter(enabled=True).select_related("crontab").order_by("name")
    cut_short = set(JobRun.objects.filter(ended_at=None, lease_until__lte=now).values_list("job", flat=True))
    last = dict(JobRun.objects.order_by().values_list("job").annotate(Max("scheduled_for")))
    return [row.task for row in rows if row.name in cut_short or _is_missed(row, last.get(row.name), now, config)]


def forget_old_runs(older_than: timedelta) -> int:
    return JobRun.objects.filter(scheduled_for__lt=timezone.now() - older_than).delete()[0]


class _Round:
    """One worker's share of a round: it holds the lease, and every mark renews it."""

    def __init__(self, run: JobRun, work: RoundWork, config: RunConfig) -> None:
        self.run, self.work, self.policy = run, work, config
        self.ends_at = time.monotonic() + config.time.total_seconds()
        self.marked_at, self.rows = time.monotonic(), 0

    def run_turns(self) -> None:
        for tenant_id in self._tenants():
            if time.monotonic() >= self.ends_at or not self._run_tenant_turn(tenant_id):
                self._save_progress(lease_until=_now(), tries=0)
                return
        self._save_progress(reached=None, reached_within=None, lease_until=None, skipped=0, ended_at=timezone.now())
        run = self.run
        log(Event.JOB_RUN, job=run.job, rows=run.rows, skipped=0, errors=run.errors)

    def interrupt(self) -> None:
        """Leave the round to the next worker. The try counts, so that a tenant that hangs is skipped at last."""
        with suppress(RunLost):
            self._save_progress(lease_until=_now())

    def _tenants(self) -> Iterator[UUID]:
        ids = Tenant.objects.order_by("id").values_list("id", flat=True)
        left = list(ids.filter(id__gt=self.run.reached) if self.run.reached else ids)
        if left and self.run.tries > self.policy.deaths:  # workers of this tenant died: go on with the others
            log(Event.JOB_FAILED, job=self.run.job, run=self.run.id, tenant=left[0], error="workers_died")
            self._finish_tenant(left[0], len(left) - 1, errors=1)
            left = left[1:]
        for number, tenant_id in enumerate(left, 1):
            yield tenant_id
            self._finish_tenant(tenant_id, len(left) - number)

    def _run_tenant_turn(self, tenant_id: UUID) -> bool:
        """Return whether the tenant is done: it is not if its time was up."""
        turn = TenantTurn(tenant_id, self.run.reached_within, self.ends_at, self._note)
        try:
            self.rows += self.work(turn)
        except (RunLost, SoftTimeLimitExceeded):
            raise
        except Exception as fault:  # noqa: BLE001 - reported, and the other tenants have their turn
            log(Event.JOB_FAILED, job=self.run.job, run=self.run.id, tenant=tenant_id, error=type(fault).__name__)
            self.run.errors += 1
            return True
        return not turn.is_cut

    def _note(self, subject_id: UUID | None, rows: int) -> None:
        self.rows += rows
        self.run.reached_within = subject_id
        if time.monotonic() - self.marked_at >= self.policy.mark_every.total_seconds():
            self._save_progress(tries=1)

    def _finish_tenant(self, tenant_id: UUID, left: int, errors: int = 0) -> None:
        self.run.reached, self.run.reached_within = tenant_id, None
        self.run.errors += errors
        self._save_progress(skipped=left, tries=1)

    def _save_progress(self, **changes: object) -> None:
        run, held = self.run, self.run.lease_until
        run.rows, self.rows = run.rows + self.rows, 0
        columns = {"lease_until": _now() + self.policy.lease, **changes}
        for name, value in columns.items():
            setattr(run, name, value)
        kept = {name: getattr(run, name) for name in ("rows", "errors", "reached", "reached_within", *columns)}
        if not JobRun.objects.filter(id=run.id, lease_until=held).update(**kept):
            raise RunLost
        self.marked_at = time.monotonic()


def _begin_by_hand(job: str) -> JobRun:
    return JobRun.objects.create(job=name_manual_run(job), scheduled_for=timezone.now(), started_at=timezone.now())


def _end_run(run: JobRun, tally: RunTally) -> RunTally:
    did = {"rows": tally.rows, "skipped": tally.skipped, "errors": tally.errors}
    JobRun.objects.filter(id=run.id).update(**did, ended_at=timezone.now())
    return tally


def _begin(job: str, default: Default, *, leased: timedelta | None) -> JobRun | None:
    """Return the run to do now, new or interrupted, or None. Concurrent workers wait for each other."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK, [job])
        now: datetime = cursor.fetchone()[1]
        last = JobRun.objects.filter(job=job).order_by("-scheduled_for").first()
        if last is not None and last.ended_at is None and last.lease_until is not None:
            return _take_over(last, now, leased) if last.lease_until <= now else None
        slot = find_due_slot(schedule_of(job, default), last.scheduled_for if last else None, now)
        if slot is None:
            return None
        until = now + leased if leased else None
        return JobRun.objects.create(job=job, scheduled_for=slot, started_at=now, lease_until=until, tries=1)


def _take_over(run: JobRun, now: datetime, leased: timedelta | None) -> JobRun:
    run.lease_until, run.tries = now + leased if leased else None, run.tries + 1
    JobRun.objects.filter(id=run.id).update(lease_until=run.lease_until, tries=F("tries") + 1)
    return run


def _is_missed(row: PeriodicTask, last: datetime | None, now: datetime, config: RunConfig) -> bool:
    if row.crontab is None:
        return False
    times: RunTimes = read_crontab(row.crontab.schedule)
    slot = find_due_slot(times, last, now) if last else None
    if slot is None or now - slot > config.late:
        return False
    return next(list_latest_slots(times, now - config.continue_every), None) == slot  # beat had its time to send it


def _now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
