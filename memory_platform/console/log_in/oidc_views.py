"""Log-in through the OpenID provider: the way there and the way back."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from memory_platform.console.log_in.oidc_provider import (
    ProviderAnswerInvalid,
    ProviderAway,
    begin_log_in,
    finish_log_in,
    is_configured,
)
from memory_platform.console.log_in.oidc_staff_accounts import admit_person
from memory_platform.console.log_in.second_factor import PROVIDER
from memory_platform.console.shared.custom_pages import check_console_page
from memory_platform.observability.logs import Event, log

NEXT = "oidc_next"
LIMITS = {"oidc": "30/5m/ip"}


def require_provider(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Make a view that is there only when a provider is configured, and leads to the log-in page when it fails."""

    @never_cache
    @require_safe
    @wraps(view)
    def run(request: HttpRequest) -> HttpResponse:
        if not is_configured():
            raise Http404
        if not ratelimit.consume(request, app="console", action="oidc", config=LIMITS, limit_get=True):
            return refuse_log_in(
                request, "limit", _("Too many log-ins from your address. Wait five minutes, then try again.")
            )
        try:
            return view(request)
        except ProviderAway:
            text = _("The log-in provider does not answer. Try again later, or log in with a password if you have one.")
            return refuse_log_in(request, "away", text)
        except ProviderAnswerInvalid as invalid:
            text = _("The log-in provider's answer was refused. Try again. If that does not help, tell the operator.")
            return refuse_log_in(request, str(invalid), text)

    return run


def refuse_log_in(request: HttpRequest, reason: str, text: str) -> HttpResponse:
    log(Event.LOG_IN_REFUSED, way=PROVIDER, reason=reason)
    messages.error(request, text)
    return redirect("admin:login")


def is_over_tls(request: HttpRequest) -> bool:
    """Return whether the browser reaches the console over TLS, which may end at a proxy."""
    return request.is_secure() or settings.SESSION_COOKIE_SECURE


@require_provider
def go_to_provider(request: HttpRequest) -> HttpResponse:
    scheme = "https" if is_over_tls(request) else "http"
    response = begin_log_in(request, f"{scheme}://{request.get_host()}{reverse('admin:oidc_callback')}")
    request.session[NEXT] = check_console_page(request.GET.get("next", ""))
    return response


@require_provider
def come_from_provider(request: HttpRequest) -> HttpResponse:
    person = finish_log_in(request)
    user: Any = admit_person(person, getattr(request, "request_id", ""))
    if user is None:
        text = _("Your log-in there worked, but none of your groups gives access to this platform. Ask its operator.")
        return refuse_log_in(request, "no access", text)
    address = check_console_page(request.session.pop(NEXT, ""))
    if request.user.is_authenticated and request.user.pk != user.pk:
        logout(request)  # else Django empties the session below, and with it how this person logged in
    record_authentication(request, user, PROVIDER)
    response: HttpResponse = perform_login(request, user, redirect_url=address)
    return response
