"""The audit trail leaves the console as a file that can be checked, for managers, with a reason."""

import time
from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from django import forms
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.after_commit_responses import AfterCommitResponse
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.tenant_access import current_desk, make_actor
from memory_platform.console.subjects.export_and_erasure_forms import DOWNLOADED_COOKIE, DOWNLOADED_SECONDS
from memory_platform.kernel.clock import utc_now
from tenants.config import AUDIT_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tenants.services.audit import record_audit
from tenants.services.audit_export import choose_seals, export_trail
from tenants.services.audit_seals import seal_new_records


def list_periods() -> list[tuple[int, str]]:
    return [
        (days, ngettext("the last %(count)d day", "the last %(count)d days", days) % {"count": days})
        for days in AUDIT_CONFIG.export_days
    ]


class AuditExportForm(forms.Form):
    """The period and the reason of an export."""

    days = forms.TypedChoiceField(label=gettext_lazy("Period"), coerce=int, choices=list_periods)
    reason = ReasonField()


class AuditExportAdmin(TenantAdmin):
    """A screen of the audit trail that can be exported."""

    change_list_template = "console/audit/audit_list.html"

    def get_urls(self) -> list[URLPattern]:
        return [make_console_path("export/", self.export_view, "tenants_auditrecord_export"), *super().get_urls()]

    def export_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for a period and a reason; then stream the sealed records as JSON lines."""
        require_permission(self.has_manager_permission, request)
        desk = current_desk(request)
        form = AuditExportForm(request.POST or None)
        if desk is None or not form.is_valid():
            return render_console_page(
                request, "console/audit/audit_export.html", _("Export the audit trail"), form=form, opts=self.opts
            )
        days = form.cleaned_data["days"]
        record_audit(
            make_actor(request),
            "audit.exported",
            object_kind="audit_record",
            object_id=f"{days} days",
            reason=read_reason(request),
        )
        # Sealing and export open scopes of their own. The record of the export is sealed with the rest.
        return AfterCommitResponse(partial(stream_trail, request, desk.tenant, days))


def stream_trail(request: HttpRequest, tenant: Tenant, days: int) -> HttpResponse:
    """Seal new records, for a short time at most, and stream those sealed in the last days."""
    until = time.monotonic() + AUDIT_CONFIG.sealing_before_export.total_seconds()
    seal_new_records(tenant.id, may_go_on=lambda: time.monotonic() < until)
    with tenant_tx(tenant.id):
        chosen = choose_seals(since=utc_now() - timedelta(days=days))
    lines: Iterator[bytes] = export_trail(tenant, chosen)
    answer = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    name = f"audit-{tenant.slug}-{utc_now():%Y-%m-%d}.jsonl"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    answer["Cache-Control"] = "no-store"
    answer.set_cookie(
        DOWNLOADED_COOKIE,
        "1",
        max_age=DOWNLOADED_SECONDS,
        path=request.path,
        secure=request.is_secure(),
        samesite="Strict",
    )
    return answer  # type: ignore[return-value]  # a stream is an answer to every caller of a view
