"""Django middleware of the API: paths with a slash at the end, and error pages as problem+json."""

from collections.abc import Callable
from http import HTTPStatus
from time import monotonic

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from gunicorn.http.errors import ParseException  # type: ignore[import-untyped]  # gunicorn has no types

from memory_platform.api.config import API_CONFIG
from memory_platform.api.errors.problems import problem_response
from memory_platform.api.requests.body_parsing import is_chunked, open_body_stream
from memory_platform.api.requests.path_and_query import target_faults
from memory_platform.api.requests.wrong_url_hints import describe_missing_path, host_fault, is_console_path, is_known
from memory_platform.api.server.gunicorn_worker import allow_body

PREFIXES = ("/v1", "/mcp", "/compat", "/.well-known", "/health", "/metrics")
FIRST_ERROR = 400
PIECE = 64 * 1024
# Seconds for which a refused body is still read: few without a key, zero after a slow body.
PATIENCE = {401: API_CONFIG.drained_pause_s, 408: 0.0}


class ApiMiddleware:
    """Serves ``/v1/x/`` as ``/v1/x`` and turns Django's error pages into problem+json."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_api_path(request.path_info):
            response = self.get_response(request)
            return make_problem_response(request, response) if is_missed_api_call(request, response) else response
        drop_last_slash(request)
        response = self.get_response(request)
        if response.status_code >= FIRST_ERROR:
            drain_body(request, PATIENCE.get(response.status_code, API_CONFIG.drained_s))
        return make_problem_response(request, response) if is_error_page(response) else response


def is_api_path(path: str) -> bool:
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in PREFIXES)


def drop_last_slash(request: HttpRequest) -> None:
    """Drop a slash at the end of the path. A redirect would lose the body of a POST."""
    if request.path_info.endswith("/"):
        request.path_info = request.path_info[:-1]
        request.path = request.path.removesuffix("/")


def drain_body(request: HttpRequest, patience_s: float) -> None:
    """Read and drop the rest of the body, within limits: a client that still sends would not see the answer."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    chunked = is_chunked(request)
    if not chunked and not (announced.isdigit() and 0 < int(announced) <= API_CONFIG.drained_bytes):
        return
    ends, left = monotonic() + patience_s, API_CONFIG.drained_bytes
    allow_body(request, patience_s)
    stream = open_body_stream(request, request)
    try:
        while left > 0 and monotonic() < ends and (piece := stream.read(PIECE)):
            left -= len(piece)
    except (OSError, ValueError, ParseException):  # the client went away or is slow, or sent no proper chunks
        return


def is_missed_api_call(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether a program missed the API: a 404 outside of the console that a browser did not ask for."""
    if response.status_code != HTTPStatus.NOT_FOUND or is_console_path(request.path_info):
        return False
    return "text/html" not in request.headers.get("Accept", "") or is_known(f"/v1{request.path_info}")


def is_error_page(response: HttpResponseBase) -> bool:
    """Return whether this is an error page of Django, not an answer of the API, nor one that is passed on."""
    if response.streaming:
        return False
    return response.status_code >= FIRST_ERROR and "json" not in response.get("Content-Type", "")


def make_problem_response(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Return the problem for an error page. An unknown path with malformed bytes is 400, like a known one."""
    if response.status_code == HTTPStatus.BAD_REQUEST:
        wrong_host = host_fault(request)
        return problem_response(400, faults=[wrong_host] if wrong_host else ())
    if response.status_code == HTTPStatus.NOT_FOUND:
        faults = target_faults(request, {})
        if faults:
            return problem_response(400, faults=faults)
        return problem_response(404, detail=describe_missing_path(request.path_info))
    answer = problem_response(response.status_code)
    for header in ("Allow", "Retry-After", "WWW-Authenticate"):
        if header in response:
            answer[header] = response[header]
    return answer
