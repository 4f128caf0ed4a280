"""Calls of the REST API from within: a client of MCP is one more caller, with the same checks, limits and records."""

import io
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

import orjson
from django.core.handlers.wsgi import WSGIRequest
from django.urls import resolve
from rest_framework.response import Response

from memory_platform.api.views.json_rendering import dump_json
from tenants.services.keys import Caller

JSON = "application/json"
API_URLS = "memory_platform.api.urls"  # whatever prefix a project includes them below


@dataclass(frozen=True, slots=True)
class ApiRefusal(Exception):
    """An error answer of the API. ``problem`` is its body; ``retry_after_s`` is None where waiting does not help."""

    status: int
    problem: dict[str, Any]
    retry_after_s: int | None = None

    def describe(self) -> str:
        """Describe an error to a model and a developer: the fields with their faults, and when to try again."""
        faults = [f"{fault['field']}: {fault['message']}" for fault in self.problem.get("errors", ())]
        said = " ".join(faults) or str(self.problem.get("detail", ""))
        wait = f" Try again in {self.retry_after_s} s." if self.retry_after_s is not None else ""
        return f"{said}{wait}"


def call_api(
    caller: Caller, method: str, segments: tuple[str, ...], body: Any = None, query: dict[str, Any] | None = None
) -> Any:
    """Return the JSON of the answer to a call of ``/v1/<segments>``; None for an answer without a body.

    The caller is authenticated and its request counted already. Raises ApiRefusal for an error answer.
    """
    request = _make_request(method, "/".join(("/v1", *segments)), body, query or {})
    request._force_auth_user = caller  # type: ignore[attr-defined]  # what REST framework's own test client sets
    request.is_counted = True  # type: ignore[attr-defined]  # read by TenantView.check_throttles
    match = resolve(request.path_info, API_URLS)
    request.resolver_match = match
    response: Any = match.func(request, *match.args, **match.kwargs)
    data = response.data if isinstance(response, Response) else response.content
    shown = data if isinstance(data, bytes) else dump_json(data)
    value = orjson.loads(shown) if shown and shown != b"null" else None
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        wait = response.get("Retry-After")
        raise ApiRefusal(response.status_code, value or {}, int(wait) if wait else None)
    return value


def _make_request(method: str, path: str, body: Any, query: dict[str, Any]) -> WSGIRequest:
    sent = b"" if body is None else orjson.dumps(body)
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path.encode().decode("latin-1"),
        "RAW_URI": quote(path),
        "QUERY_STRING": urlencode(query),
        "CONTENT_TYPE": JSON,
        "CONTENT_LENGTH": str(len(sent)),
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "0",
        "wsgi.input": io.BytesIO(sent),
        "wsgi.url_scheme": "http",
    }
    return WSGIRequest(environ)
