"""The operator's page: workers, beat, queue and failed items by tenant, and the last run of every job. Workers are
asked with a short timeout; they are unreachable when nobody answers."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from amqp.exceptions import AMQPError
from celery import current_app
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_celery_beat.models import PeriodicTask
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from memory_platform.console.operation.job_previews import find_next_runs, render_job_purpose
from memory_platform.console.operation.timetable_screens import describe_schedule
from memory_platform.console.shared.config import OPERATION_PAGE
from memory_platform.console.shared.custom_pages import is_operator, render_console_page, require_permission
from memory_platform.console.shared.headers.relative_times import format_duration, render_time_ago
from memory_platform.console.shared.status_badges import BAD, GOOD, QUIET, WARNING
from memory_platform.console.shared.support_session_guard import mark_impersonal
from memory_platform.console.shared.tenant_access import mark_scopeless
from memory_platform.kernel.clock import utc_now
from snapshots.queue.metrics import count_work_by_tenant, seconds_since_sweep
from snapshots.queue.values import TenantBacklog
from snapshots.scheduled_job_registry import JOBS, UNRECORDED_JOBS
from tenants.models import JobRun, Tenant


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """One worker that answered: name, processes, uptime in words, jobs done."""

    name: str
    processes: int
    uptime: str
    done: int


@dataclass(frozen=True, slots=True)
class BeatStatus:
    """``seconds_ago``: age of beat's last sweep, None if unknown. ``is_late``: longer than allowed."""

    seconds_ago: float | None
    is_late: bool


@dataclass(frozen=True, slots=True)
class Tile:
    """One number with a note. ``kept``: whether it is as it should be, if that can be said."""

    title: Any
    value: str
    note: str = ""
    kept: bool | None = None
    address: str = ""


@mark_scopeless
@mark_impersonal
@require_safe
def show_operation_page(request: HttpRequest) -> HttpResponse:
    """Show whether the platform is running. Of tenants, it reads nothing but counts."""
    require_permission(is_operator, request)
    workers, beat, work = ask_workers(), load_beat_status(), count_work_by_tenant()
    tenants = Tenant.objects.in_bulk([row.tenant_id for row in work])
    jobs = list(_list_jobs())
    return render_console_page(
        request,
        "console/operation/operation.html",
        _("Platform"),
        tiles=_build_tiles(workers, beat, work),
        workers=workers,
        work=[(tenants.get(row.tenant_id), row, _describe_oldest(row)) for row in work],
        jobs=[each for each in jobs if each["tone"] == BAD or not each["job"].enabled],
        job_count=len(jobs),
        now=utc_now(),
    )


def _build_tiles(workers: list[WorkerStatus] | None, beat: BeatStatus, work: list[TenantBacklog]) -> Iterator[Tile]:
    if workers is None:
        yield Tile(_("Workers"), _("unreachable"), _("The broker does not answer."), False)
    else:
        yield Tile(_("Workers"), str(len(workers)), _("answered in time"), bool(workers))
    if beat.seconds_ago is None:
        yield Tile(_("Scheduler"), _("unreachable"), _("It is unknown when it last ran."), False)
    else:
        ago = _("%(time)s ago") % {"time": format_duration(beat.seconds_ago)}
        yield Tile(_("Scheduler"), ago, _("since its last activity"), not beat.is_late)
    oldest = max((row.oldest_seconds or 0 for row in work), default=0)
    waiting = f"{sum(row.waiting for row in work):,}"
    yield Tile(_("Waiting"), waiting, _("oldest: %(time)s") % {"time": format_duration(oldest)})
    dead = sum(row.dead for row in work)
    yield Tile(_("Failed items"), f"{dead:,}", _("in all tenants"), dead == 0, "#queue" if dead else "")


def _describe_oldest(row: TenantBacklog) -> str:
    return "-" if row.oldest_seconds is None else format_duration(row.oldest_seconds)


def _list_jobs() -> Iterator[dict[str, Any]]:
    """Yield every job of the timetable with its last run, its result, and its next run."""
    last = {run.job: run for run in JobRun.objects.order_by("job", "-scheduled_for").distinct("job")}
    for job in PeriodicTask.objects.select_related("interval", "crontab").order_by("name"):
        run = last.get(job.name)
        yield {
            "job": job,
            "purpose": render_job_purpose(job.description),
            "schedule": describe_schedule(job),
            "run": run,
            "ago": render_time_ago(run.started_at if run else job.last_run_at),
            "result": _render_result(job, run),
            "tone": get_run_tone(run),
            "took": describe_duration(run),
            "is_bad": run is not None and run.errors > 0,
            "next": next(iter(find_next_runs(job, 1)), None),
            "is_ours": job.name in JOBS,
        }


def _render_result(job: PeriodicTask, run: JobRun | None) -> str:
    if run is None:
        return _("not recorded") if job.name in UNRECORDED_JOBS else _("has not run yet")
    if run.errors:
        return _("%s tenants failed") % run.errors
    if run.ended_at is not None:
        return _("done for every tenant")
    return _("running, %s tenants left") % run.skipped if run.lease_until else _("started and did not finish")


def get_run_tone(run: JobRun | None) -> str:
    """Return the tone of a run's badge: bad for one that failed or did not finish, quiet without one."""
    if run is None:
        return QUIET
    is_over = run.ended_at is not None
    return BAD if run.errors or not (is_over or run.lease_until) else GOOD if is_over else WARNING


def describe_duration(run: JobRun | None) -> str:
    """Return how long a run took; "" while it is not over."""
    if run is None or run.ended_at is None:
        return ""
    seconds = (run.ended_at - run.started_at).total_seconds()
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else format_duration(seconds)


def ask_workers() -> list[WorkerStatus] | None:
    """Return the workers that answered in time, by name; None if the broker is unreachable."""
    wait_s = OPERATION_PAGE.worker_timeout_s
    try:
        with current_app.connection_for_write(connect_timeout=wait_s) as broker:
            # One attempt: the page must not wait for a broker that is down.
            broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=wait_s)
            replies = current_app.control.broadcast("stats", reply=True, timeout=wait_s, connection=broker)
    except (KombuError, RedisError, AMQPError, OSError):
        return None
    workers = (_parse_worker(name, stats) for reply in replies or () for name, stats in reply.items())
    return sorted(workers, key=attrgetter("name"))


def load_beat_status() -> BeatStatus:
    seconds = seconds_since_sweep()
    return BeatStatus(None, False) if math.isnan(seconds) else BeatStatus(seconds, seconds > OPERATION_PAGE.beat_late_s)


def _parse_worker(name: str, stats: Any) -> WorkerStatus:
    stats = stats if isinstance(stats, dict) else {}
    processes = stats.get("pool", {}).get("max-concurrency", 0)
    return WorkerStatus(
        name, int(processes), format_duration(stats.get("uptime", 0)), sum((stats.get("total") or {}).values())
    )
