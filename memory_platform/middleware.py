"""The layers around a request that only the console needs: requests of the API pass them by.

An API request has no session and no form; the layers cost a warm recall a tenth of its time. That of the language
stays as it is: django-admin-interface looks for its name before it offers a choice.
They are subclasses, not one layer around them all, because Django's checks look for them in the list.
"""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]

from memory_platform.api.server.middleware import is_api_path


class _ForConsole:
    """Before a layer in the order of bases: takes it out of the way of the API."""

    def __call__(self, request: HttpRequest) -> Any:
        if is_api_path(request.path_info):
            return self.get_response(request)  # type: ignore[attr-defined]  # every layer has it
        return super().__call__(request)  # type: ignore[misc]  # of the layer


class ConsoleFiles(_ForConsole, WhiteNoiseMiddleware): ...  # type: ignore[misc]  # without types it is Any


class ConsoleSession(_ForConsole, SessionMiddleware): ...


class ConsoleForms(_ForConsole, CsrfViewMiddleware): ...


class ConsoleLogin(_ForConsole, AuthenticationMiddleware): ...


class ConsoleMessages(_ForConsole, MessageMiddleware): ...


class ConsoleFrames(_ForConsole, XFrameOptionsMiddleware): ...
