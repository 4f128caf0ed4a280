"""Finding a person: one box on every page, the best answer first, each with what it was found by."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.base import TenantAdmin
from memory_platform.console.shared.display import line
from memory_platform.console.shared.policy import FIND
from memory_platform.console.shared.profile_words import field_name
from memory_platform.console.subjects.find_search import Findings, KnownValue, find_subjects, subject_named
from profiles.models import Subject

KINDS = {"id": gettext_lazy("subject id"), "tag": gettext_lazy("tag")}


class FindableAdmin(TenantAdmin):
    """A screen of subjects with a page that finds them by whatever somebody remembers of them."""

    def get_urls(self) -> list[URLPattern]:
        found = path("find/", self.admin_site.admin_view(self.find_view), name="profiles_subject_find")
        return [found, *super().get_urls()]

    def find_view(self, request: HttpRequest) -> HttpResponse:
        """Show who is meant by ``q``; an exact id leads straight to the page of its subject.

        ``patiently``: slips of the keyboard are looked for in everybody, which takes seconds in a large tenant.
        """
        query = request.GET.get("q", "").replace("\x00", "")
        exact = subject_named(query) if query.strip() else None
        if exact is not None:
            return redirect("admin:profiles_subject_change", exact.pk)
        findings = find_subjects(query, patiently="patiently" in request.GET)
        if query.strip():
            self._note(request, "searched")
        context = {
            **self.admin_site.each_context(request),
            "title": _("Find a subject"),
            "find_query": query,
            "asked": bool(query.strip()),
            "findings": findings,
            "rows": rows_of(findings),
            "of_everybody": f"?{urlencode({'q': query, 'patiently': 1})}",
            "limit": FIND.shown,
        }
        return TemplateResponse(request, "console/find.html", context)


def rows_of(findings: Findings) -> list[dict[str, Any]]:
    """Return the people found, as the page shows them."""
    return [
        {
            "address": page_of(found.subject),
            "id": found.subject.external_id,
            "name": found.name,
            "why": [{"what": name_of(told), "text": line(told.text)} for told in found.why],
        }
        for found in findings.people
    ]


def name_of(told: KnownValue) -> str:
    """Return what somebody was found by: the field, or the tag with its label."""
    if told.kind in KINDS:
        return str(KINDS[told.kind])
    return field_name(told.name, is_attribute=told.kind == "attribute")


def page_of(subject: Subject) -> str:
    """Return the address of a subject's page."""
    return reverse("admin:profiles_subject_change", args=[subject.pk])
