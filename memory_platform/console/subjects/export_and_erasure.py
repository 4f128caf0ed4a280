"""Export of a subject as a file, and erasure for good.

Support may export, because it may read every row anyway. Only managers erase.
"""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.after_commit import AfterCommitResponse
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.subjects.subject_search_page import SubjectSearchAdmin
from memory_platform.kernel.errors import NotFound
from profiles.models import ErasureState, Subject
from snapshots.erasure.subjects import erase_subject
from snapshots.portability.export import export_lines
from tenants.isolation import current_tenant_id
from tenants.services.audit import record_audit

JSON_LINES = "application/x-ndjson"


class ExportForm(forms.Form):
    """The reason for an export."""

    reason = ReasonField()


class EraseForm(forms.Form):
    """The subject's id, typed by hand, and the reason for the erasure."""

    typed = forms.CharField(label=gettext_lazy("The subject’s id, typed by hand"), max_length=200, strip=False)
    reason = ReasonField()

    def __init__(self, data: Any, subject: Subject) -> None:
        super().__init__(data)
        self.subject = subject
        self.fields["typed"].widget.attrs.update(
            {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        )

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        if typed != self.subject.external_id:
            raise forms.ValidationError(_("This is not the id of the subject. Type the id exactly as shown."))
        return typed


class SubjectExportAdmin(SubjectSearchAdmin):
    """A screen of subjects that support can export and managers can erase, both with a reason."""

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path("<path:object_id>/export/", self.export_view, "profiles_subject_export"),
            make_console_path("<path:object_id>/erase/", self.erase_view, "profiles_subject_erase"),
            *super().get_urls(),
        ]

    def export_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a reason; then return all data as JSON lines, which the API's import accepts."""
        require_permission(self.has_support_permission, request)
        subject = self.get_or_404(request, object_id)
        form = ExportForm(request.POST or None)
        if not form.is_valid():
            return render_console_page(request, "console/subject_export.html", _("Export"), subject=subject, form=form)
        record_audit(
            make_actor(request),
            "subject.exported",
            object_kind="subject",
            object_id=str(subject.pk),
            subject_ref=subject.pk,
            reason=read_reason(request),
        )
        tenant_id = current_tenant_id()
        # The export opens scopes of its own while it streams.
        return AfterCommitResponse(
            lambda: _make_file_response(lambda: export_lines(tenant_id, subject.external_id), subject)
        )

    def erase_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for the id and a reason; then erase the subject and show the certificate."""
        require_permission(self.has_manager_permission, request)
        subject = self.get_or_404(request, object_id)
        form = EraseForm(request.POST or None, subject)
        if not form.is_valid():
            return render_console_page(request, "console/subject_erase.html", _("Erase"), subject=subject, form=form)
        tenant_id = current_tenant_id()
        # The erasure opens scopes of its own.
        return AfterCommitResponse(lambda: self._erase(request, tenant_id, subject))

    def _erase(self, request: HttpRequest, tenant_id: Any, subject: Subject) -> HttpResponse:
        try:
            erasure, _job = erase_subject(
                tenant_id, subject.external_id, by=make_actor(request), reason=read_reason(request)
            )
        except NotFound:
            raise Http404 from None
        text = _("Erased. This is the certificate.")
        if erasure.state != ErasureState.DONE:
            text = _(
                "The data can no longer be read. Its rows are being deleted, and this page becomes the certificate."
            )
        self.message_user(request, text, messages.SUCCESS)
        return redirect("admin:profiles_erasure_change", erasure.pk)


def _make_file_response(lines: Any, subject: Subject) -> HttpResponse:
    """Return the lines as a file, named by the platform's id: the product's id may hold anything."""
    try:
        answer = StreamingHttpResponse(lines(), content_type=JSON_LINES)
    except NotFound:
        raise Http404 from None
    answer["Content-Disposition"] = f'attachment; filename="subject-{subject.pk}.ndjson"'
    answer["Cache-Control"] = "no-store"
    return answer  # type: ignore[return-value]  # a stream is an answer to every caller of a view
