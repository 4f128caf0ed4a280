"""The way into the playground: choose the person whose memory is asked."""

from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memory_platform.console.shared.config import SEARCH
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.tenant_access import current_desk, make_actor
from memory_platform.console.subjects.people_overview import load_recent_people
from memory_platform.console.subjects.search_hits import render_hits
from memory_platform.console.subjects.subject_search import find_subject_by_id, find_subjects
from tenants.models import Role
from tenants.services.audit import record_audit

PLAYGROUND = "snapshots_receipt_playground"
MAX_RECENT = 8


@require_safe
def show_playground_people(request: HttpRequest) -> HttpResponse:
    """Show the people that match ``q``, or those whom the reader looked at lately. An exact id leads to the person's
    playground."""
    desk = current_desk(request)
    if desk is None or not desk.has_role(Role.SUPPORT):
        raise PermissionDenied
    # Postgres refuses NUL.
    query = request.GET.get("q", "").replace("\x00", "").strip()
    exact = find_subject_by_id(query) if query else None
    if exact is not None:
        return redirect(f"admin:{PLAYGROUND}", exact.pk)
    context: dict[str, Any] = {"find_query": query, "asked": bool(query), "limit": SEARCH.max_shown}
    if query:
        findings = find_subjects(query, patiently="patiently" in request.GET)
        everybody = f"?{urlencode({'q': query, 'patiently': 1})}"
        context |= {"findings": findings, "rows": render_hits(findings, PLAYGROUND), "of_everybody": everybody}
    else:
        context["recent"] = [
            {"person": one, "address": reverse(f"admin:{PLAYGROUND}", args=[one.id])}
            for one in load_recent_people(make_actor(request), MAX_RECENT)
        ]
    # The record says that people were shown, but not for which words.
    record_audit(make_actor(request), "subject.searched" if query else "playground.opened", object_kind="subject")
    return render_console_page(request, "console/receipts/playground_people.html", _("Playground"), **context)
