"""A dry run of a maintenance job in one tenant; for the purge also a forecast of the next days."""

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memory_platform.console.shared.access import actor_of, current_desk, mark_tenantless
from memory_platform.console.shared.codes import in_words
from memory_platform.console.shared.pages import is_manager, is_operator, own_page, require
from memory_platform.console.shared.policy import OPERATION
from snapshots.lifecycle.retention.purge import forecast_purge
from snapshots.maintenance import CARE, JOBS, WHOLE, purge_in_force
from tenants.isolation import tenant_tx
from tenants.services.audit import record_audit

PURGE = "purge-expired"


@mark_tenantless
@require_safe
def preview(request: HttpRequest, job: str) -> HttpResponse:
    """Show what the job would do. Opens scopes of its own: some jobs ask a model, which needs no open scope."""
    whole = WHOLE.get(job)
    require(is_operator if whole else is_manager, request)
    desk = current_desk(request)
    if job not in JOBS or desk is None:
        raise Http404
    found = whole.preview() if whole else CARE[job].preview(desk.tenant.id)
    with tenant_tx(desk.tenant.id):
        record_audit(actor_of(request), "job.previewed", object_kind="job", object_id=job)
        ahead = forecast_purge(OPERATION.forecast_days, purge_in_force()) if job == PURGE else {}
    return own_page(
        request,
        "console/preview.html",
        _("Dry run of a job"),
        subtitle=job,
        whole=whole is not None,
        counts=[(in_words(kind), count) for kind, count in found.counts.items()],
        examples=list(found.examples)[: OPERATION.examples],
        more=max(0, len(found.examples) - OPERATION.examples),
        ahead=[(in_words(kind), counts) for kind, counts in ahead.items() if any(counts)],
        days=range(1, OPERATION.forecast_days + 1),
    )
