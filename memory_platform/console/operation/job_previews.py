"""The purposes of jobs, their next runs, and dry runs of them."""

import time
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_celery_beat.models import PeriodicTask

from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.config import OPERATION_PAGE
from memory_platform.console.shared.custom_pages import (
    is_manager,
    is_operator,
    redirect_to_tenant_choice,
    render_console_page,
    require_permission,
)
from memory_platform.console.shared.support_session_guard import (
    is_support_session_missing,
    make_support_form_address,
    mark_impersonal,
)
from memory_platform.console.shared.tenant_access import current_desk, make_actor, mark_scopeless
from memory_platform.kernel.clock import utc_now
from snapshots.lifecycle.retention.purge import forecast_purge
from snapshots.scheduled_job_registry import CARE, JOBS, WHOLE, load_purge_policy
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tenants.services.audit import record_audit

PURGE_JOB = "purge-expired"
NO_FORECAST: Mapping[str, list[int]] = {}


def render_job_purpose(description: str) -> str:
    """Return the purpose of a job, translated if the timetable wrote it, without its owner and its seal."""
    words, _opening, owner = description.split(" [timetable ", maxsplit=1)[0].rpartition(" (")
    return _(words) if words else owner


def find_next_runs(job: PeriodicTask, count: int = OPERATION_PAGE.max_next_runs) -> Iterator[datetime]:
    """Yield the next times (UTC) at which beat sends the job; none if it is stopped or has no schedule."""
    if not job.enabled or (job.interval is None and job.crontab is None):
        return
    now, times = utc_now(), job.schedule
    at = (job.last_run_at or now) if job.interval else now
    for number in range(count):
        if job.interval:
            due = at + times.run_every
        else:
            last, delta, _now = times.remaining_delta(at)
            due = last + delta
        # Beat sends an overdue job at once.
        at = max(due, now) if number == 0 else due
        yield at.astimezone(UTC)


@mark_scopeless
@mark_impersonal
@require_safe
def show_job_preview(request: HttpRequest, job: str) -> HttpResponse:
    """Show a dry run of the job. Opens its own scopes: some jobs ask a model, which needs no open scope. Numbers need
    no support session; examples may quote people, so they do."""
    whole = WHOLE.get(job)
    desk = current_desk(request)
    if desk is None and whole is None and is_operator(request):
        return redirect_to_tenant_choice(request)
    require_permission(is_operator if whole else is_manager, request)
    if job not in JOBS or (whole is None and desk is None):
        raise Http404
    found = whole.preview() if whole else CARE[job].preview(desk.tenant.id)  # type: ignore[union-attr]  # checked above
    hides_examples, ahead = False, NO_FORECAST
    if desk is not None:
        with tenant_tx(desk.tenant.id):
            record_audit(make_actor(request), "job.previewed", object_kind="job", object_id=job)
            hides_examples = is_support_session_missing(request) and whole is None and bool(found.examples)
            ahead = (
                forecast_purge(OPERATION_PAGE.forecast_days, load_purge_policy()) if job == PURGE_JOB else NO_FORECAST
            )
    examples = [] if hides_examples else list(found.examples)
    row = PeriodicTask.objects.filter(name=job).first()
    return render_console_page(
        request,
        "console/operation/job_preview.html",
        _("Dry run"),
        row=row,
        purpose=render_job_purpose(row.description) if row else "",
        job=job,
        may_run=is_operator(request),
        whole=whole is not None,
        counts=[(render_code(kind), count) for kind, count in found.counts.items()],
        is_partial=found.is_partial,
        has_counts=any(found.counts.values()),
        zeros=[render_code(kind) for kind, count in found.counts.items() if not count],
        examples=examples[: OPERATION_PAGE.max_examples],
        more=max(0, len(examples) - OPERATION_PAGE.max_examples),
        support_form=make_support_form_address(request) if hides_examples else "",
        ahead=_render_purge_forecast(ahead),
        days=_list_forecast_days(),
        offers_all_tenants=job == PURGE_JOB and is_operator(request),
    )


@mark_scopeless
@mark_impersonal
@require_safe
def show_purge_forecast(request: HttpRequest) -> HttpResponse:
    """Show how much the purge deletes in all tenants in the next days: sums by kind and day, of no tenant alone."""
    require_permission(is_operator, request)
    sums, counted, tenants = _sum_purge_forecasts()
    return render_console_page(
        request,
        "console/operation/purge_forecast.html",
        _("Rows due for deletion, all tenants"),
        ahead=_render_purge_forecast(sums),
        total=sum(map(sum, sums.values())),
        days=_list_forecast_days(),
        counted=counted,
        tenants=tenants,
    )


def _sum_purge_forecasts() -> tuple[Mapping[str, list[int]], int, int]:
    """Return the forecasts of the tenants together, how many were counted in time, and how many there are."""
    deadline = time.monotonic() + OPERATION_PAGE.forecast_s
    tenants: list[UUID] = list(Tenant.objects.order_by("id").values_list("id", flat=True))
    sums: dict[str, list[int]] = {}
    counted = 0
    for tenant_id in tenants:
        if counted and time.monotonic() > deadline:
            break
        with tenant_tx(tenant_id):
            found = forecast_purge(OPERATION_PAGE.forecast_days, load_purge_policy())
        for kind, counts in found.items():
            before = sums.get(kind, [0] * len(counts))
            sums[kind] = [one + more for one, more in zip(before, counts, strict=True)]
        counted += 1
    return sums, counted, len(tenants)


def _render_purge_forecast(ahead: Mapping[str, list[int]]) -> list[tuple[str, list[int], int]]:
    """Return what leaves: its kind, its rows by day, and all of them."""
    return [(render_code(kind), counts, sum(counts)) for kind, counts in ahead.items() if any(counts)]


def _list_forecast_days() -> list[date]:
    today = utc_now().date()
    return [today + timedelta(days=ahead) for ahead in range(1, OPERATION_PAGE.forecast_days + 1)]
