"""Search for a person from the box on every page: best match first, each with the reasons for the match."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.base import TenantAdmin
from memory_platform.console.shared.codes import field_name
from memory_platform.console.shared.display import address_of, line
from memory_platform.console.shared.pages import own_page, own_path
from memory_platform.console.shared.policy import FIND
from memory_platform.console.subjects.find_search import Findings, KnownValue, find_subjects, subject_named
from profiles.models import Subject

KINDS = {"id": gettext_lazy("subject id"), "tag": gettext_lazy("tag")}


class FindableAdmin(TenantAdmin):
    """A screen of subjects with a search page."""

    def get_urls(self) -> list[URLPattern]:
        return [own_path("find/", self.find_view, "profiles_subject_find"), *super().get_urls()]

    def find_view(self, request: HttpRequest) -> HttpResponse:
        """Show the subjects that match ``q``; an exact id redirects to the subject's page.

        ``patiently``: typos are searched in all subjects, which takes seconds in a large tenant.
        """
        # Postgres refuses NUL.
        query = request.GET.get("q", "").replace("\x00", "")
        exact = subject_named(query) if query.strip() else None
        if exact is not None:
            return redirect("admin:profiles_subject_change", exact.pk)
        findings = find_subjects(query, patiently="patiently" in request.GET)
        if query.strip():
            self._note(request, "searched")
        return own_page(
            request,
            "console/find.html",
            _("Find a subject"),
            find_query=query,
            asked=bool(query.strip()),
            findings=findings,
            rows=rows_of(findings),
            of_everybody=f"?{urlencode({'q': query, 'patiently': 1})}",
            limit=FIND.shown,
        )


def rows_of(findings: Findings) -> list[dict[str, Any]]:
    return [
        {
            "address": address_of(Subject, found.subject.pk),
            "id": found.subject.external_id,
            "name": found.name,
            "why": [{"what": name_of(told), "text": line(told.text)} for told in found.why],
        }
        for found in findings.people
    ]


def name_of(told: KnownValue) -> str:
    """Return the label of the field or tag that matched."""
    if told.kind in KINDS:
        return str(KINDS[told.kind])
    return field_name(told.name, is_attribute=told.kind == "attribute")
