"""The outermost middleware: request id, time, one log line per request."""

import traceback
from collections.abc import Callable
from http import HTTPStatus
from time import perf_counter

import structlog
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse

from memory_platform.observability.logs import Event, accept_request_id, log
from memory_platform.observability.metrics import REQUEST_SECONDS
from memory_platform.observability.open_span import OpenSpan
from memory_platform.observability.tracing import TENANT, open_server_span

QUIET_ROUTES = frozenset({"health/live", "health/ready", "metrics"})
# Exceptions that Django answers with a 4xx page.
EXPECTED = (Http404, PermissionDenied, SuspiciousOperation, BadRequest)
FRAMES_LOGGED = 12
KNOWN_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestMiddleware:
    """Gives each request an id, times it, and logs its end in one line. Must come first in the list."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = accept_request_id(request.headers.get("X-Request-Id"))
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        started = perf_counter()
        with open_server_span(request.headers) as span:
            response = self.get_response(request)
            response["X-Request-Id"] = request_id
            _record(request, response, perf_counter() - started, span)
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> None:
        """Log where a view outside of the API failed; Django's own line, with path and values, is silenced."""
        if not isinstance(error, EXPECTED):
            log_failure(error)


def log_failure(error: BaseException) -> None:
    """Log class and frames of a failure, not the message, which may quote content."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES_LOGGED:]
    log(Event.REQUEST_FAILED, error=type(error).__qualname__, frames=[f"{f.filename}:{f.lineno}" for f in frames])


def _record(request: HttpRequest, response: HttpResponse, seconds: float, span: OpenSpan) -> None:
    route = find_route_pattern(request)
    method = request.method if request.method in KNOWN_METHODS else "other"
    REQUEST_SECONDS.labels(route=route, method=method, status=response.status_code).observe(seconds)
    caller = getattr(request, "user", None)
    describe_request(span, f"{method} {route}", response.status_code, getattr(caller, "tenant_id", None))
    if route in QUIET_ROUTES:
        return
    log(
        Event.REQUEST_SERVED,
        method=method,
        route=route,
        status=response.status_code,
        ms=round(seconds * 1_000, 1),
        tenant=getattr(caller, "tenant_id", None),
        key=getattr(caller, "key_id", None),
    )


def describe_request(span: OpenSpan, name: str, status: int, tenant_id: object) -> None:
    """Return the attributes of a span, by OpenTelemetry's conventions for HTTP; the path is left out, since it holds
    ids."""
    method, _, route = name.partition(" ")
    span.rename(name)
    span.describe(
        {"http.request.method": method, "http.route": route, "http.response.status_code": status, TENANT: tenant_id}
    )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        span.fail(str(status))


def find_route_pattern(request: HttpRequest) -> str:
    """Return the matched URL pattern (never the path, which holds subject ids), or ``unmatched``."""
    match = request.resolver_match
    return match.route if match is not None and match.route else "unmatched"
