"""A log-in ends: after a time without a request, after a longer time in any case, or when somebody ends it."""

import time
from collections.abc import Callable
from typing import Any

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _

from memory_platform.console.shared.tenant_switch_guard import SAFE_METHODS

LOGGED_IN_AT, SEEN_AT = "logged_in_at", "seen_at"
# The list of sessions is as exact as this; each write costs a page a few milliseconds.
TOUCH_EVERY_S = 60


class SessionLimits:
    """Ends log-ins that are over, says so on the log-in page, and keeps the list of sessions."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            if reason := find_end_reason(request.session, time.time()):
                logout(request)
                warn_of_end(request, reason)
            else:
                touch_session(request)
        elif has_lost_session(request):
            warn_of_end(
                request,
                _("Your log-in has ended: it expired, you or somebody else ended it, or your password was changed."),
            )
        return self.get_response(request)


def find_end_reason(session: SessionBase, now: float) -> str:
    """Return why this log-in is over; "" if it is not."""
    if now - session.get(LOGGED_IN_AT, now) >= settings.CONSOLE_SESSION_HOURS * 3600:
        return _("Your log-in has ended: it was as old as a log-in may be.")
    if now - session.get(SEEN_AT, now) >= settings.CONSOLE_IDLE_MINUTES * 60:
        return _("Your log-in has ended: you did nothing for a while.")
    return ""


def touch_session(request: HttpRequest, *, at_once: bool = False) -> None:
    """Note that the session is in use, and from where."""
    now, session = time.time(), request.session
    if at_once or now - session.get(SEEN_AT, 0) >= TOUCH_EVERY_S:
        session.setdefault(LOGGED_IN_AT, now)
        session[SEEN_AT] = now
        UserSession.objects.create_from_request(request)


def has_lost_session(request: HttpRequest) -> bool:
    """Return whether the browser brings a session that is no longer there. The log-in form itself needs none."""
    if request.method not in SAFE_METHODS and request.path == reverse("admin:login"):
        return False
    return bool(request.COOKIES.get(settings.SESSION_COOKIE_NAME)) and request.session.is_empty()


def warn_of_end(request: HttpRequest, reason: str) -> None:
    sentences = [reason, _("Log in again.")]
    if request.method not in SAFE_METHODS:
        sentences.insert(0, _("Nothing was saved."))
    messages.warning(request, " ".join(sentences))


@receiver(user_logged_in)
def start_session(request: HttpRequest, user: User, **kwargs: Any) -> None:
    """Start the limits of a new log-in, also one in a session that was there before."""
    request.session[LOGGED_IN_AT] = request.session[SEEN_AT] = time.time()
    UserSession.objects.create_from_request(request, user=user)
