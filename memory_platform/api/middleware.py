"""What the API needs around Django's own handling: both slash forms, and never an HTML error page."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from memory_platform.api.problems import problem_response
from memory_platform.api.targets import target_faults

PREFIXES = ("/v1", "/health", "/metrics")
FIRST_ERROR = 400


class ApiMiddleware:
    """Lets ``/v1/x/`` answer as ``/v1/x`` and turns error pages made outside of the views into problem+json."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not is_api_path(request.path_info):
            return self.get_response(request)
        drop_last_slash(request)
        response = self.get_response(request)
        return replacement(request, response) if is_error_page(response) else response


def is_api_path(path: str) -> bool:
    """Return whether ``path`` belongs to outside programs rather than to the console."""
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in PREFIXES)


def drop_last_slash(request: HttpRequest) -> None:
    """Make both forms of an address meet the same route, without a redirect that would lose a POST's body."""
    if request.path_info.endswith("/"):
        request.path_info = request.path_info[:-1]
        request.path = request.path.removesuffix("/")


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
