"""Answers to django-allauth's questions: who may log in how often, where to go next, how secrets are kept."""

import math
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter as LibraryPasswordRules
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured, PermissionDenied, ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.shared.custom_pages import check_console_page
from memory_platform.observability.logs import Event, log

FAILED = {"app": "allauth.account", "action": "login_failed"}
ATTEMPTS = {"app": "allauth.account", "action": "log_in_account"}
TOO_MANY = "too_many_attempts"
NO_ADDRESS = "0.0.0.0"  # noqa: S104  # stands for a client behind a Unix socket; nothing listens there
SECONDS_PER_MINUTE = 60
WRONG_CODE = _("This code is wrong, has expired or was used before. Enter the one that your app shows now.")


class PasswordRules(LibraryPasswordRules):  # type: ignore[misc]  # the library carries no types
    """Rules of log-ins with a password."""

    error_messages = {
        **LibraryPasswordRules.error_messages,
        "incorrect_password": _("This password is wrong."),
        "incorrect_code": WRONG_CODE,
        "too_many_login_attempts": _("Too many wrong codes. Wait five minutes, then try again."),
        "rate_limited": _("Too many wrong codes. Wait five minutes, then try again."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def is_ajax(self, request: HttpRequest) -> bool:
        return False

    def is_safe_url(self, url: str | None) -> bool:
        """Return whether a log-in may lead there: to pages of the console only."""
        return bool(url) and check_console_page(str(url)) == url

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        return reverse("admin:index")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address; the peer's where a request came past the proxies that are configured."""
        try:
            return str(super().get_client_ip(request))
        except ImproperlyConfigured:
            return str(request.META.get("REMOTE_ADDR") or NO_ADDRESS)
        except PermissionDenied:
            return NO_ADDRESS

    def get_login_stages(self) -> list[str]:
        return ["memory_platform.console.log_in.second_factor.SecondFactorStage"]

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt. Raises ValidationError with the waiting time when there were too many failures."""
        key = make_attempts_key(credentials)
        if not ratelimit.consume(request, **ATTEMPTS, key=key):
            raise refuse_attempt(find_wait_s(request, ATTEMPTS, key))
        try:
            super().pre_authenticate(request, **credentials)
        except ValidationError:
            key = self._get_login_attempts_cache_key(request, **credentials)
            raise refuse_attempt(find_wait_s(request, FAILED, key)) from None

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # With the address: else a stranger's five wrong passwords would shut the owner of the account out. Not the
        # host's name as well: a server that has several would give as many times the attempts.
        return f"{make_attempts_key(credentials)}:{self.get_client_ip(request)}"


def make_attempts_key(credentials: Mapping[str, Any]) -> str:
    return f"log-in:{str(credentials.get('username', '')).strip().lower()}"


def refuse_attempt(wait_s: float) -> ValidationError:
    log(Event.LOG_IN_REFUSED, way="password", reason="limit")
    return ValidationError(describe_wait(wait_s), TOO_MANY)


def find_wait_s(request: HttpRequest, counted: Mapping[str, str], key: str) -> float:
    """Return the seconds until another log-in is tried that is ``counted`` under ``key``."""
    now, waits = time.time(), [0.0]
    for rate in ratelimit.get_rates(**counted):
        times = cache.get(ratelimit.get_cache_key(request, **counted, rate=rate, key=key)) or []
        if len(times) >= rate.amount:  # newest first
            waits.append(times[rate.amount - 1] + rate.duration - now)
    return max(waits)


def describe_wait(seconds: float) -> str:
    minutes = max(1, math.ceil(seconds / SECONDS_PER_MINUTE))
    return ngettext(
        "Too many failed log-ins. Try again in %(count)d minute. Until then the right password is refused, too.",
        "Too many failed log-ins. Try again in %(count)d minutes. Until then the right password is refused, too.",
        minutes,
    ) % {"count": minutes}


class SecondFactorRules(DefaultMFAAdapter):  # type: ignore[misc]  # the library carries no types
    """Rules of the second factor. Its secrets are encrypted with a key that is made of SECRET_KEY."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": WRONG_CODE,
        "cannot_delete_authenticator": _("This platform requires a second factor. You cannot switch it off."),
        "cannot_generate_recovery_codes": _("Switch the second factor on first."),
    }

    def get_totp_label(self, user: User) -> str:
        return user.get_username()

    def can_delete_authenticator(self, authenticator: Any) -> bool:
        return not settings.CONSOLE_REQUIRE_SECOND_FACTOR

    def encrypt(self, text: str) -> str:
        return _make_cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret. Raises ValidationError, which forms show, when SECRET_KEY is another one now."""
        try:
            return _make_cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise ValidationError(
                _("Your second factor can no longer be read. Ask the operator to reset it.")
            ) from None


def _make_cipher() -> Fernet:
    return Fernet(urlsafe_b64encode(sha256(b"second-factor:" + settings.SECRET_KEY.encode()).digest()))
