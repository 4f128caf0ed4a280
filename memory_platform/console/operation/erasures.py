"""Read-only screens of erasures, with their certificates, and of the jobs that products requested."""

from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.base import TenantAdmin
from memory_platform.console.shared.codes import CodeFilter, code_column
from memory_platform.console.shared.display import column, part, value_whole
from memory_platform.console.shared.pages import own_path, require
from profiles.models import Erasure
from profiles.services.certificates import certificate_of, is_genuine
from snapshots.models import Job

error = code_column("error_code", _("error"))


@admin.display(description=_("signature is genuine"), boolean=True)
def show_genuine(erasure: Erasure) -> bool:
    return is_genuine(certificate_of(erasure))


@admin.display(description=_("certificate"))
def certificate_link(erasure: Erasure) -> SafeString:
    address = reverse("admin:profiles_erasure_certificate", args=[erasure.pk])
    return format_html('<a href="{}" download>{}</a>', address, _("Download (JSON)"))


@admin.register(Erasure)
class ErasureScreen(TenantAdmin):
    """Erasures, newest first. Subject and object ids are keyed hashes, so no page shows whose data was erased."""

    personal_data = False
    list_display = ("requested_at", "scope", "state", "erased_at", "actor_kind", "reason")
    list_filter = ("scope", "state", "requested_at")
    search_fields = ("id", "subject_hash", "object_hash")
    search_help_text = _("Certificate id or hash")
    date_hierarchy = "requested_at"
    ordering = ("-requested_at", "-id")
    fieldsets = (
        part(None, "scope", "state", show_genuine, certificate_link, "reason"),
        part(
            _("What was erased"),
            column("erased", value_whole, _("erased")),
            column("verified", value_whole, _("verified")),
            column("beyond_reach", value_whole, _("beyond our reach")),
        ),
        part(_("Times"), "requested_at", "erased_at"),
        part(_("More"), "id", "subject_hash", "object_hash", "actor_kind", "actor_ref", "signature"),
    )

    def get_urls(self) -> list[URLPattern]:
        address = "<uuid:erasure_id>/certificate.json"
        return [own_path(address, self.certificate_view, "profiles_erasure_certificate"), *super().get_urls()]

    def certificate_view(self, request: HttpRequest, erasure_id: UUID) -> HttpResponse:
        """Return the certificate as a file; its holder can have the platform check it."""
        require(self.has_view_permission, request)
        answer = JsonResponse(certificate_of(self.get_or_404(request, erasure_id)), json_dumps_params={"indent": 2})
        answer["Content-Disposition"] = f'attachment; filename="certificate-{erasure_id}.json"'
        return answer


@admin.register(Job)
class JobScreen(TenantAdmin):
    """Imports and large erasures. Whoever requested a dead one retries it through the API."""

    personal_data = False
    list_display = ("created_at", "kind", "status", "done", "total", "attempts", error, "ended_at")
    list_filter = ("kind", "status", ("error_code", CodeFilter), "created_at")
    search_fields = ("id", "error_code")
    search_help_text = _("Job id or error")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        part(None, "kind", "status", "done", "total", "attempts", error),
        part(_("Result"), column("result", value_whole, _("result"))),
        part(_("Times"), "created_at", "due_at", "lease_until", "ended_at"),
        part(_("More"), "id"),
    )

    def title_of(self, obj: Job) -> str:
        return f"{obj.get_kind_display()} ({obj.get_status_display()})"
