"""Errors in the form in which OpenAI's API answers them: ``{"error": {"message", "type", "param", "code"}}``."""

from http import HTTPStatus
from typing import Any

from rest_framework.response import Response

from memory_platform.api.errors.handler import exception_handler
from memory_platform.kernel.errors import MemoryPlatformError, Unavailable

TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
INVALID, OURS, UPSTREAM = "invalid_request_error", "server_error", "upstream_error"
# OpenAI's SDKs obey it.
SHOULD_RETRY = "X-Should-Retry"


class UpstreamFailed(MemoryPlatformError):
    """The tenant's model endpoint gave no answer. ``again``: whether a retry may help. HTTP 502 or 504."""

    code = "upstream_unreachable"
    status = int(HTTPStatus.BAD_GATEWAY)
    again = True
    text = "The upstream of this tenant cannot be reached."

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail or self.text)


class UpstreamTimedOut(UpstreamFailed):
    code = "upstream_timeout"
    status = int(HTTPStatus.GATEWAY_TIMEOUT)
    text = "The upstream of this tenant did not answer in time."


class UpstreamBroken(UpstreamFailed):
    code = "upstream_broken"
    text = "The upstream of this tenant broke off its answer, or sent one that is too large."


class UpstreamRedirected(UpstreamFailed):
    code = "upstream_redirected"
    again = False
    text = "The upstream of this tenant redirects, which is not followed: set the address that it names."


class UpstreamAddressRefused(UpstreamFailed):
    code = "upstream_address_refused"
    again = False
    text = (
        "The host of this tenant's upstream leads to an address that is not public. Nothing was sent. Set another "
        "upstream, or let the operator add the host to UPSTREAM_HOSTS."
    )


class TooManyCalls(Unavailable):
    """This process keeps as many calls open as it may. HTTP 503."""

    code = "too_many_calls"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("Too many calls of models are open here: try again in a moment.")
        self.retry_after_s = retry_after_s


def make_error_body(message: str, kind: str, code: str, param: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def answer_in_openai_form(error: Exception, context: Any = None) -> Response:
    """Return the answer for ``error``: that of the REST API in OpenAI's form."""
    if isinstance(error, UpstreamFailed):
        body = make_error_body(error.detail, UPSTREAM, error.code)
        return Response(body, status=error.status, headers={SHOULD_RETRY: "true" if error.again else "false"})
    plain = exception_handler(error, context)
    problem: dict[str, Any] = plain.data
    faults = problem["errors"]
    kind = TYPES.get(plain.status_code, INVALID if plain.status_code < HTTPStatus.INTERNAL_SERVER_ERROR else OURS)
    body = make_error_body(problem["detail"], kind, problem["code"], faults[0]["field"] if faults else None)
    headers = {name: value for name, value in plain.headers.items() if name.lower() != "content-type"}
    return Response(body, status=plain.status_code, headers=headers)
