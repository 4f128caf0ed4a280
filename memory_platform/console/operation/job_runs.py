"""When jobs run next, and dry runs of jobs."""

from collections.abc import Iterator
from datetime import UTC, datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_celery_beat.models import PeriodicTask

from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.config import OPERATION_PAGE
from memory_platform.console.shared.custom_pages import is_manager, is_operator, render_console_page, require_permission
from memory_platform.console.shared.tenant_access import current_desk, make_actor, mark_scopeless
from memory_platform.kernel.clock import utc_now
from snapshots.lifecycle.retention.purge import forecast_purge
from snapshots.maintenance import CARE, JOBS, WHOLE, load_purge_policy
from tenants.isolation import tenant_tx
from tenants.services.audit import record_audit

PURGE_JOB = "purge-expired"


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
@require_safe
def show_job_preview(request: HttpRequest, job: str) -> HttpResponse:
    """Show a dry run of the job. Opens its own scopes: some jobs ask a model, which needs no open scope."""
    whole = WHOLE.get(job)
    require_permission(is_operator if whole else is_manager, request)
    desk = current_desk(request)
    if job not in JOBS or desk is None:
        raise Http404
    found = whole.preview() if whole else CARE[job].preview(desk.tenant.id)
    with tenant_tx(desk.tenant.id):
        record_audit(make_actor(request), "job.previewed", object_kind="job", object_id=job)
        ahead = forecast_purge(OPERATION_PAGE.forecast_days, load_purge_policy()) if job == PURGE_JOB else {}
    return render_console_page(
        request,
        "console/operation/job_preview.html",
        _("Dry run of a job"),
        subtitle=job,
        whole=whole is not None,
        counts=[(render_code(kind), count) for kind, count in found.counts.items()],
        examples=list(found.examples)[: OPERATION_PAGE.max_examples],
        more=max(0, len(found.examples) - OPERATION_PAGE.max_examples),
        ahead=[(render_code(kind), counts) for kind, counts in ahead.items() if any(counts)],
        days=range(1, OPERATION_PAGE.forecast_days + 1),
    )
