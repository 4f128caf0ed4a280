"""Hints for requests that miss their address: a wrong host, a missing ``/v1``, POST where PUT is meant."""

from collections.abc import Iterator

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest
from django.urls import Resolver404, URLResolver, get_resolver, resolve

from memory_platform.kernel.character_checks import CONTROL
from memory_platform.kernel.errors import FieldFault

DOCS = "/v1/docs"
# First segments of a path that belong to the console and to files.
CONSOLE = ("", "console", "static", "i18n")
SHOWN_CHARS = 200


def host_fault(request: HttpRequest) -> FieldFault | None:
    try:
        request.get_host()
    except DisallowedHost:
        host = _printable(request.headers.get("Host", "")).partition(":")[0]
        message = f"The host '{host}' is not in ALLOWED_HOSTS. Add it to this environment variable and start again."
        return FieldFault("Host", "host_not_allowed", message)
    return None


def describe_missing_path(path: str) -> str:
    """Return a sentence for an address that does not exist, with the one that was probably meant."""
    shown = _printable(path)
    for prefix in ("/api/v1", "/api", ""):
        inner = path.removeprefix(prefix)
        if path.startswith(prefix) and not inner.startswith("/v1/") and is_known(f"/v1{inner}"):
            return f"No path {shown}: did you mean /v1{_printable(inner)}? All paths are listed at {DOCS}."
    return f"No path {shown}. All paths are listed at {DOCS}."


def is_known(path: str) -> bool:
    try:
        resolve(path.rstrip("/"))
    except Resolver404:
        return False
    return True


def is_console_path(path: str) -> bool:
    return path.strip("/").partition("/")[0] in CONSOLE


def put_path_below(request: HttpRequest) -> str | None:
    """Return the path of the objects that are PUT below the request's path; None if no view below takes PUT."""
    match = request.resolver_match
    if match is None:
        return None
    for route, view in _routes(get_resolver(), ""):
        below = route.removeprefix(f"{match.route}/")
        if below != route and hasattr(view, "put"):
            parts = [part.rpartition(":")[2].rstrip(">") for part in below.split("/")]
            return "/".join([request.path_info, *(f"{{{part}}}" for part in parts)])
    return None


def _routes(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, object]]:
    for pattern in resolver.url_patterns:
        route = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern, route)
        else:
            yield route, getattr(pattern.callback, "cls", None)


def _printable(text: str) -> str:
    return CONTROL.sub("\ufffd", text[:SHOWN_CHARS])
