"""What the API needs around Django's own handling: both slash forms, and never an HTML error page."""

from collections.abc import Callable
from time import monotonic

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from gunicorn.http.errors import ParseException  # type: ignore[import-untyped]  # gunicorn has no types

from memory_platform.api.errors.problems import problem_response
from memory_platform.api.policy import POLICY
from memory_platform.api.requests.parsing import body_stream, is_chunked
from memory_platform.api.requests.targets import target_faults
from memory_platform.api.server.connections import allow_body

PREFIXES = ("/v1", "/health", "/metrics")
FIRST_ERROR = 400
PIECE = 64 * 1024
PATIENCE = {401: POLICY.drained_pause_s, 408: 0.0}
"""Seconds that a refused body is read on: hardly for who has no key, not at all for who has been too slow."""


class ApiMiddleware:
    """Lets ``/v1/x/`` answer as ``/v1/x`` and turns error pages made outside of the views into problem+json."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_api_path(request.path_info):
            return self.get_response(request)
        drop_last_slash(request)
        response = self.get_response(request)
        if response.status_code >= FIRST_ERROR:
            drain(request, PATIENCE.get(response.status_code, POLICY.drained_s))
        return replacement(request, response) if is_error_page(response) else response


def is_api_path(path: str) -> bool:
    """Return whether ``path`` belongs to outside programs rather than to the console."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in PREFIXES)


def drop_last_slash(request: HttpRequest) -> None:
    """Make both forms of an address meet the same route, without a redirect that would lose a POST's body."""
    if request.path_info.endswith("/"):
        request.path_info = request.path_info[:-1]
        request.path = request.path.removesuffix("/")


def drain(request: HttpRequest, patience_s: float) -> None:
    """Read and drop what the client still sends, within limits: else a closed socket keeps the answer from it."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    chunked = is_chunked(request)
    if not chunked and not (announced.isdigit() and 0 < int(announced) <= POLICY.drained_bytes):
        return
    ends, left = monotonic() + patience_s, POLICY.drained_bytes
    allow_body(request, patience_s)
    stream = body_stream(request, request)
    try:
        while left > 0 and monotonic() < ends and (piece := stream.read(PIECE)):
            left -= len(piece)
    except (OSError, ValueError, ParseException):  # the client went away or is slow, or sent no proper chunks
        return


def is_error_page(response: HttpResponseBase) -> bool:
    """Return whether this is one of Django's error pages (also with DEBUG on) and not an answer of the API."""
    return response.status_code >= FIRST_ERROR and "json" not in response.get("Content-Type", "")


def replacement(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the problem for an error page; an unknown path whose bytes are wrong is 400, as under a known one."""
    faults = target_faults(request, {})
    if response.status_code == 404 and faults:  # noqa: PLR2004  # an HTTP status is its own name
        return problem_response(400, faults=faults)
    answer = problem_response(response.status_code)
    for header in ("Allow", "Retry-After", "WWW-Authenticate"):
        if header in response:
            answer[header] = response[header]
    return answer
