"""Sample text tried on the fields of a policy version, also as edited on the page: the notes, and the field of each.

Nothing is stored. The encoder runs with no open transaction, so the response is made after the page's.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.policies.described_names_field import DescriptionsField
from memory_platform.console.policies.policy_replay import PolicyReplayAdmin
from memory_platform.console.policies.policy_saving import EDIT
from memory_platform.console.policies.setting_labels import SETTING_LABELS
from memory_platform.console.shared.after_commit import AfterCommitResponse, respond_in_scope
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page
from memory_platform.console.shared.tenant_access import TenantDesk, current_desk
from memory_platform.providers.contracts import EmbeddingUnavailable
from snapshots.understanding.fields.field_matching import ANOTHER_TOPIC, TOO_CLOSE, UNSURE
from snapshots.understanding.fields.field_tryout import MASKED, FieldTryout, TriedNote, try_fields
from snapshots.understanding.fields.requested_fields import ATTRIBUTES, FIELDS_SECTION
from tenants.models import PolicyVersion

MAX_TEXT_CHARS = 2_000
MAX_SCORES = 3
NO_FIELD_REASONS = {
    UNSURE: gettext_lazy("no field is likely enough"),
    TOO_CLOSE: gettext_lazy("two fields are about equally likely"),
    ANOTHER_TOPIC: gettext_lazy("as similar to another topic as to the field"),
    MASKED: gettext_lazy("contains sensitive information"),
}


class FieldTryoutForm(forms.Form):
    """Sample text, and the fields on which it is tried."""

    said = forms.CharField(
        label=gettext_lazy("What the person says"), max_length=MAX_TEXT_CHARS, widget=forms.Textarea(attrs={"rows": 3})
    )
    attributes = DescriptionsField(ATTRIBUTES, label=SETTING_LABELS["fields.attributes"])


@admin.display(description=gettext_lazy("fields"))
def render_tryout_link(version: PolicyVersion) -> str:
    address = reverse("admin:tenants_policyversion_fields", args=[version.pk])
    return format_html('<a class="button" href="{}">{}</a>', address, _("Try its fields"))


class FieldTryoutAdmin(PolicyReplayAdmin):
    """A screen of policy versions whose fields can be tried on sample text."""

    def get_urls(self) -> list[URLPattern]:
        own = make_console_path("<path:object_id>/fields/", self.fields_view, "tenants_policyversion_fields")
        return [own, *super().get_urls()]

    def fields_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the fields of a version to edit, and the notes that a text would give. Writes nothing."""
        desk = current_desk(request)
        if desk is None or not self.has_manager_permission(request):
            raise PermissionDenied
        version = self.get_or_404(request, object_id)
        held = FIELDS_SECTION.to_json(FIELDS_SECTION.apply_values(version.document.get(FIELDS_SECTION.name, {})))
        form = FieldTryoutForm(request.POST if request.method == "POST" else None, initial=held)
        if not form.is_bound or EDIT in request.POST or not form.is_valid():
            return self._render_page(request, version, form)
        return AfterCommitResponse(lambda: self._try_fields(request, desk, version, form))

    def _try_fields(
        self, request: HttpRequest, desk: TenantDesk, version: PolicyVersion, form: FieldTryoutForm
    ) -> HttpResponse:
        try:
            tried = try_fields(form.cleaned_data["said"], ATTRIBUTES.read(form.cleaned_data["attributes"]))
        except EmbeddingUnavailable:
            form.add_error(None, _("The encoder is unavailable, so no notes are made at present."))
            return respond_in_scope(desk, lambda: self._render_page(request, version, form))
        return respond_in_scope(desk, lambda: self._render_page(request, version, form, tried))

    def _render_page(
        self, request: HttpRequest, version: PolicyVersion, form: FieldTryoutForm, tried: FieldTryout | None = None
    ) -> HttpResponse:
        return render_console_page(
            request,
            "console/policy_try.html",
            _("Try the fields of version %s") % version.number,
            opts=self.opts,
            version=version,
            form=form,
            is_tried=tried is not None,
            notes=[_render_note(one) for one in tried.notes] if tried else [],
            passed=[one for one in tried.clauses if one.note is None] if tried else [],
        )


def _render_note(tried: TriedNote) -> dict[str, Any]:
    """Return a row of the table: the note, its field or why it has none, and the likeliest fields."""
    scores = [f"{name} {score:.2f}" for name, score in list(tried.fit.scores.items())[:MAX_SCORES]]
    return {
        "text": tried.text,
        "field": tried.fit.field,
        "confidence": tried.confidence,
        "why_not": NO_FIELD_REASONS.get(tried.fit.why_not, ""),
        "scores": ", ".join(scores),
    }
