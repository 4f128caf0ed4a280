"""Search for a person from the box on every page: best match first, each with the reasons for the match."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.code_labels import label_field
from memory_platform.console.shared.config import SEARCH
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page
from memory_platform.console.shared.rendering import build_change_address, render_line
from memory_platform.console.subjects.subject_search import (
    SearchableValue,
    SubjectSearchResult,
    find_subject_by_id,
    find_subjects,
)
from profiles.models import Subject

MATCH_KIND_LABELS = {"id": gettext_lazy("subject id"), "tag": gettext_lazy("tag")}


class SubjectSearchAdmin(TenantAdmin):
    """A screen of subjects with a search page."""

    def get_urls(self) -> list[URLPattern]:
        return [make_console_path("find/", self.find_view, "profiles_subject_find"), *super().get_urls()]

    def find_view(self, request: HttpRequest) -> HttpResponse:
        """Show the subjects that match ``q``; an exact id redirects to the subject's page.

        ``patiently``: typos are searched in all subjects, which takes seconds in a large tenant.
        """
        # Postgres refuses NUL.
        query = request.GET.get("q", "").replace("\x00", "")
        exact = find_subject_by_id(query) if query.strip() else None
        if exact is not None:
            return redirect("admin:profiles_subject_change", exact.pk)
        findings = find_subjects(query, patiently="patiently" in request.GET)
        if query.strip():
            self._record_access(request, "searched")
        return render_console_page(
            request,
            "console/find.html",
            _("Find a subject"),
            find_query=query,
            asked=bool(query.strip()),
            findings=findings,
            rows=render_hits(findings),
            of_everybody=f"?{urlencode({'q': query, 'patiently': 1})}",
            limit=SEARCH.max_shown,
        )


def render_hits(findings: SubjectSearchResult) -> list[dict[str, Any]]:
    return [
        {
            "address": build_change_address(Subject, found.subject.pk),
            "id": found.subject.external_id,
            "name": found.name,
            "why": [{"what": label_match(told), "text": render_line(told.text)} for told in found.why],
        }
        for found in findings.people
    ]


def label_match(told: SearchableValue) -> str:
    """Return the label of the field or tag that matched."""
    if told.kind in MATCH_KIND_LABELS:
        return str(MATCH_KIND_LABELS[told.kind])
    return label_field(told.name, is_attribute=told.kind == "attribute")
