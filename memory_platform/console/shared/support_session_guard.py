"""Personal data is shown only within a support session: to every operator, and to members if the tenant requires it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory_platform.console.shared.custom_pages import is_operator
from memory_platform.console.shared.tenant_access import View, current_desk, make_actor
from memory_platform.kernel.clock import utc_now
from tenants.models import SupportSession
from tenants.services.support_sessions import current_support

MINUTES_PER_HOUR = 60


@dataclass(frozen=True, slots=True)
class ActiveSupport:
    """The person's current session, and its remaining time in words."""

    session: SupportSession
    left: str


def require_support_session(request: HttpRequest, view: Callable[..., Any]) -> HttpResponse | None:
    """Return the redirect to the form of a support session when the view shows personal data and one is needed. Runs in
    the desk's open tenant. A POST without a session changes nothing and says so."""
    is_missing = is_support_session_missing(request)
    return redirect_to_support_form(request) if is_missing and shows_personal_data(view) else None


def is_support_session_missing(request: HttpRequest) -> bool:
    """Return whether this person needs a support session to see personal data and has none. Remembers the one that they
    have for the banner. Runs in the desk's open tenant."""
    if not needs_support_session(request):
        return False
    session = current_support(make_actor(request))
    if session is None:
        return True
    left = format_minutes(session.minutes_left(utc_now()))
    request.support = ActiveSupport(session, left)  # type: ignore[attr-defined]  # read by find_active_support
    return False


def needs_support_session(request: HttpRequest) -> bool:
    """Return whether this person may see personal data only within a support session."""
    desk = current_desk(request)
    if desk is None:
        return False
    return is_operator(request) or desk.tenant.support_sessions


def shows_personal_data(view: Callable[..., Any]) -> bool:
    """Return whether a console view may show personal data: every view that does not say otherwise. A bound method
    follows its screen; a function follows :func:`mark_impersonal`, wrapped or not."""
    # A view without a mark counts as personal, so that a forgotten mark leaks nothing.
    inner: Any = view
    while inner is not None:
        for who in (inner, getattr(inner, "__self__", None)):
            told = getattr(who, "shows_people", None)
            if told is not None:
                return bool(told)
        inner = getattr(inner, "__wrapped__", None)
    return True


def mark_impersonal(view: View) -> View:
    """Mark a view function that shows no personal data."""
    view.shows_people = False  # type: ignore[attr-defined]  # read back by shows_people
    return view


def redirect_to_support_form(request: HttpRequest) -> HttpResponse:
    """Redirect to the form of a support session, which leads back to the requested page."""
    if request.method != "GET":
        text = _("Nothing was done: this needs a support session, and yours has ended or was never opened.")
        messages.warning(request, text)
    return redirect(make_support_form_address(request))


def make_support_form_address(request: HttpRequest) -> str:
    """Return the address of the form of a support session, which leads back to the requested page."""
    wanted = request.get_full_path() if request.method == "GET" else request.path
    return f"{reverse('admin:tenants_supportsession_start')}?{urlencode({'next': wanted})}"


def format_minutes(minutes: float) -> str:
    """Return minutes in words, full hours as hours."""
    count = int(minutes)
    if count >= MINUTES_PER_HOUR and count % MINUTES_PER_HOUR == 0:
        return ngettext("%(count)d hour", "%(count)d hours", count // MINUTES_PER_HOUR) % {
            "count": count // MINUTES_PER_HOUR
        }
    return ngettext("%(count)d minute", "%(count)d minutes", count) % {"count": count}


def find_active_support(request: HttpRequest) -> ActiveSupport | None:
    return getattr(request, "support", None)
