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

from memory_platform.console.policies.described_rows import DescribedField
from memory_platform.console.policies.labels import FIELDS
from memory_platform.console.policies.replay import ReplayedAdmin
from memory_platform.console.policies.steps import EDIT
from memory_platform.console.shared.access import Desk, current_desk
from memory_platform.console.shared.outside_transaction import AfterCommit, answer_in_scope
from memory_platform.console.shared.pages import own_page, own_path
from memory_platform.providers.contracts import EmbeddingUnavailable
from snapshots.understanding.fields.matching import ANOTHER_TOPIC, TOO_CLOSE, UNSURE
from snapshots.understanding.fields.section import ATTRIBUTES, FIELDS_SECTION
from snapshots.understanding.fields.tryout import MASKED, Tried, TriedNote, try_fields
from tenants.models import PolicyVersion

TEXT_CHARS = 2_000
SCORES_SHOWN = 3
WHY_NOT = {
    UNSURE: gettext_lazy("no field is likely enough"),
    TOO_CLOSE: gettext_lazy("two fields are about equally likely"),
    ANOTHER_TOPIC: gettext_lazy("as similar to another topic as to the field"),
    MASKED: gettext_lazy("contains sensitive information"),
}


class TryForm(forms.Form):
    """Sample text, and the fields on which it is tried."""

    said = forms.CharField(
        label=gettext_lazy("What the person says"), max_length=TEXT_CHARS, widget=forms.Textarea(attrs={"rows": 3})
    )
    attributes = DescribedField(ATTRIBUTES, label=FIELDS["fields.attributes"])


@admin.display(description=gettext_lazy("fields"))
def try_link(version: PolicyVersion) -> str:
    address = reverse("admin:tenants_policyversion_fields", args=[version.pk])
    return format_html('<a class="button" href="{}">{}</a>', address, _("Try its fields"))


class TriedAdmin(ReplayedAdmin):
    """A screen of policy versions whose fields can be tried on sample text."""

    def get_urls(self) -> list[URLPattern]:
        own = own_path("<path:object_id>/fields/", self.fields_view, "tenants_policyversion_fields")
        return [own, *super().get_urls()]

    def fields_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the fields of a version to edit, and the notes that a text would give. Writes nothing."""
        desk = current_desk(request)
        if desk is None or not self.has_manager_permission(request):
            raise PermissionDenied
        version = self.get_or_404(request, object_id)
        held = FIELDS_SECTION.to_json(FIELDS_SECTION.apply(version.document.get(FIELDS_SECTION.name, {})))
        form = TryForm(request.POST if request.method == "POST" else None, initial=held)
        if not form.is_bound or EDIT in request.POST or not form.is_valid():
            return self._render_page(request, version, form)
        return AfterCommit(lambda: self._try_fields(request, desk, version, form))

    def _try_fields(self, request: HttpRequest, desk: Desk, version: PolicyVersion, form: TryForm) -> HttpResponse:
        try:
            tried = try_fields(form.cleaned_data["said"], ATTRIBUTES.read(form.cleaned_data["attributes"]))
        except EmbeddingUnavailable:
            form.add_error(None, _("The encoder is unavailable, so no notes are made at present."))
            return answer_in_scope(desk, lambda: self._render_page(request, version, form))
        return answer_in_scope(desk, lambda: self._render_page(request, version, form, tried))

    def _render_page(
        self, request: HttpRequest, version: PolicyVersion, form: TryForm, tried: Tried | None = None
    ) -> HttpResponse:
        return own_page(
            request,
            "console/policy_try.html",
            _("Try the fields of version %s") % version.number,
            opts=self.opts,
            version=version,
            form=form,
            is_tried=tried is not None,
            notes=[_note(one) for one in tried.notes] if tried else [],
            passed=[one for one in tried.clauses if one.note is None] if tried else [],
        )


def _note(tried: TriedNote) -> dict[str, Any]:
    """Return a row of the table: the note, its field or why it has none, and the likeliest fields."""
    scores = [f"{name} {score:.2f}" for name, score in list(tried.fit.scores.items())[:SCORES_SHOWN]]
    return {
        "text": tried.text,
        "field": tried.fit.field,
        "confidence": tried.confidence,
        "why_not": WHY_NOT.get(tried.fit.why_not, ""),
        "scores": ", ".join(scores),
    }
