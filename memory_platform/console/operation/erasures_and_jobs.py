"""Read-only screens of erasures, with their certificates, and of the jobs that products requested."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memory_platform.console.operation.certificate_letter import NameForm, make_title, write_letter
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.code_labels import OccurringCodesFilter, make_code_column, render_counts
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.tenant_access import annotate_actor_names
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
    render_value,
    render_word,
)
from profiles.models import Erasure
from profiles.services.erasure_certificates import build_certificate, is_genuine
from snapshots.knowledge.documents.fault_texts import describe_fault
from snapshots.models import Job, JobKind
from tenants.models import ActorKind

error_column = make_code_column("error_code", _("error"))
failure_column = make_computed_column("failure", lambda job: describe_failure(job) or EMPTY_VALUE, _("what to do"))

actor_column = make_column("who", render_word, _("who"), order="actor_ref")
actor_kind_column = make_column(
    "actor_kind", lambda kind: dict(ActorKind.choices).get(kind, kind), _("requested by"), order="actor_kind"
)


def describe_failure(job: Job) -> str:
    """Return the error of a document's job and how to mend it; "" without an error, and for other jobs."""
    return str(describe_fault(job.error_code)) if job.error_code and job.kind == JobKind.DOCUMENT else ""


@admin.display(description=_("signature is genuine"), boolean=True)
def check_signature(erasure: Erasure) -> bool:
    return is_genuine(build_certificate(erasure))


@admin.display(description=_("certificate"))
def render_certificate_link(erasure: Erasure) -> SafeString:
    address = reverse("admin:profiles_erasure_certificate", args=[erasure.pk])
    return format_html('<a href="{}" download>{}</a>', address, _("Download (JSON)"))


@admin.register(Erasure)
class ErasureScreen(TenantAdmin):
    """Erasures, newest first. Subject and object ids are keyed hashes, so no page shows whose data was erased. The page
    of one is a letter; who knows the person's id may have it put there."""

    change_form_template = "console/operation/certificate.html"
    personal_data = False
    list_display = ("requested_at", "scope", "state", "erased_at", actor_column, "reason")
    list_filter = ("scope", "state", "requested_at")
    search_fields = ("id", "subject_hash", "object_hash")
    search_help_text = _("Certificate id or hash")
    date_hierarchy = "requested_at"
    empty_text = _(
        "Whoever asks for it is erased on their page, and a certificate without their name stays here. "
        "Nobody was erased."
    )
    ordering = ("-requested_at", "-id")
    fieldsets = (
        make_folded_fieldset(
            _("Technical details"),
            "scope",
            "state",
            check_signature,
            render_certificate_link,
            actor_kind_column,
            make_column("erased", render_value, _("erased")),
            make_column("verified", render_value, _("verified")),
            make_column("beyond_reach", render_value, _("not covered by this erasure")),
            "subject_hash",
            "object_hash",
            "signature",
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Erasure]:
        return annotate_actor_names(super().get_queryset(request), "actor_ref")

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path(
                "<path:object_id>/certificate.json", self.certificate_view, "profiles_erasure_certificate"
            ),
            make_console_path("<path:object_id>/letter/", self.letter_view, "profiles_erasure_letter"),
            *super().get_urls(),
        ]

    def title_of(self, obj: Erasure) -> str:
        return make_title(obj)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        erasure = kwargs["obj"]
        context |= {"letter": write_letter(erasure), "name_form": NameForm(None, erasure)}
        return super().render_change_form(request, context, *args, **kwargs)

    def letter_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the letter with the person's id, if the one who asks knows it."""
        require_permission(self.has_view_permission, request)
        erasure = self.get_or_404(request, object_id)
        form = NameForm(request.POST or None, erasure)
        letter = write_letter(erasure, form.cleaned_data["typed"] if form.is_valid() else "")
        template = "console/operation/certificate_named.html"
        return render_console_page(request, template, letter.title, letter=letter, name_form=form)

    def certificate_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Return the certificate as a file; its holder can have the platform check it."""
        require_permission(self.has_view_permission, request)
        erasure = self.get_or_404(request, object_id)
        answer = JsonResponse(build_certificate(erasure), json_dumps_params={"indent": 2})
        answer["Content-Disposition"] = f'attachment; filename="certificate-{erasure.pk}.json"'
        return answer


@admin.register(Job)
class JobScreen(TenantAdmin):
    """Documents, imports and large erasures. The product that requested a dead one retries it through the API."""

    personal_data = False
    list_display = ("created_at", "kind", "status", "done", "total", "attempts", error_column, "ended_at")
    list_filter = ("kind", "status", ("error_code", OccurringCodesFilter), "created_at")
    search_fields = ("id", "error_code")
    search_help_text = _("Job id or error")
    date_hierarchy = "created_at"
    empty_text = _("Jobs for documents, imports and large erasures stand here with their progress. There are none.")
    ordering = ("-created_at", "-id")
    fieldsets = (
        make_fieldset(None, "kind", "status", "done", "total", "attempts", error_column, failure_column),
        make_fieldset(_("Result"), make_column("result", render_counts, _("result"))),
        make_fieldset(_("Times"), "created_at", "due_at", "lease_until", "ended_at"),
        make_fieldset(_("More"), "id"),
    )

    def title_of(self, obj: Job) -> str:
        return f"{obj.get_kind_display()} ({obj.get_status_display()})"
