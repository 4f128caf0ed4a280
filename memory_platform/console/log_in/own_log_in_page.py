"""The person's own log-in: second factor, sessions, password."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.internal.flows.sessions import end_other_sessions, end_sessions
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from memory_platform.console.log_in.session_limits import touch_session
from memory_platform.console.log_in.user_agent_names import describe_device
from memory_platform.console.shared.custom_pages import render_console_page

OTHERS = "others"
# Sessions that are shown before the others are unfolded.
MAX_SESSIONS = 5


def describe_sessions(user: User) -> list[dict[str, Any]]:
    """Return the live sessions of a person, the latest used first."""
    sessions = UserSession.objects.purge_and_list(user)
    sessions.sort(key=lambda session: session.last_seen_at, reverse=True)
    return [{"row": session, "device": describe_device(session.user_agent)} for session in sessions]


def count_recovery_codes(user: User) -> int:
    """Return how many recovery codes work: none of those that were made under another SECRET_KEY."""
    codes = Authenticator.objects.filter(user=user, type=Authenticator.Type.RECOVERY_CODES).first()
    try:
        return len(codes.wrap().get_unused_codes()) if codes else 0
    except ValidationError:
        return 0


@require_safe
def show_own_log_in(request: HttpRequest) -> HttpResponse:
    user: Any = request.user
    touch_session(request, at_once=True)
    sessions = describe_sessions(user)
    return render_console_page(
        request,
        "console/log_in/account.html",
        gettext_lazy("Account"),
        sessions=sessions[:MAX_SESSIONS],
        older=sessions[MAX_SESSIONS:],
        session_key=request.session.session_key,
        factor=Authenticator.objects.filter(user=user, type=Authenticator.Type.TOTP).first(),
        codes_left=count_recovery_codes(user),
        is_factor_required=settings.CONSOLE_REQUIRE_SECOND_FACTOR,
        has_password=user.has_usable_password(),
    )


@require_POST
def end_own_sessions(request: HttpRequest) -> HttpResponse:
    """End one session of the person, or all but this one. An id that is not theirs ends nothing."""
    user: Any = request.user
    which = request.POST.get("session", "")
    if which == OTHERS:
        end_other_sessions(request, user)
        messages.success(request, _("All other sessions have ended."))
        return redirect("admin:mfa_index")
    sessions = list(UserSession.objects.filter(user=user, pk=which)) if which.isascii() and which.isdigit() else []
    end_sessions(request, sessions)
    if sessions:
        messages.success(request, _("The session has ended."))
    return redirect("admin:mfa_index")
