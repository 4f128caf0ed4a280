"""Middleware that only the console needs: API requests skip it.

An API request has no session and no form, and the middleware costs a warm recall a tenth of its time. The language
middleware stays unchanged: django-admin-interface looks for its name before it offers a choice. Each class is a
subclass, because Django's checks look for the original classes in the list.
"""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

from memory_platform.api.server.error_pages_and_slashes import is_api_path
from memory_platform.console.log_in.session_limits import SessionLimits


class _ForConsole:
    """Skips a middleware for API requests. Comes first among the bases."""

    def __call__(self, request: HttpRequest) -> Any:
        if is_api_path(request.path_info):
            return self.get_response(request)  # type: ignore[attr-defined]  # every layer has it
        return super().__call__(request)  # type: ignore[misc]  # of the layer


class ConsoleFiles(_ForConsole, WhiteNoiseMiddleware): ...  # type: ignore[misc]  # without types it is Any


class ConsoleSession(_ForConsole, SessionMiddleware): ...


class ConsoleForms(_ForConsole, CsrfViewMiddleware): ...


class ConsoleLogin(_ForConsole, AuthenticationMiddleware): ...


class ConsoleMessages(_ForConsole, MessageMiddleware): ...


class ConsoleSessionLimits(_ForConsole, SessionLimits): ...


class ConsoleFrames(_ForConsole, XFrameOptionsMiddleware): ...
