"""The body of every error answer: ``application/problem+json`` (RFC 9457) with a stable code."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

import orjson
from django.http import HttpResponse

from memory_platform.kernel.errors import FieldFault, describe_faults
from memory_platform.observability.logs import current_request_id

PROBLEM_TYPE = "application/problem+json"
CODE_OF_STATUS = {
    400: "invalid_input",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "conflict",
    412: "version_mismatch",
    413: "payload_too_large",
    414: "uri_too_long",
    415: "unsupported_media_type",
    417: "expectation_failed",
    422: "refused",
    429: "rate_limited",
    431: "headers_too_large",
    503: "unavailable",
}


def problem(
    status: int,
    *,
    code: str = "",
    detail: str = "",
    faults: Sequence[FieldFault] = (),
    extras: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the body of an error answer; ``extras`` are further members such as ``needed``."""
    code = code or CODE_OF_STATUS.get(status, "internal_error")
    return {
        **(extras or {}),
        "type": f"urn:memory-platform:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail or describe_faults(faults) or HTTPStatus(status).description or HTTPStatus(status).phrase,
        "code": code,
        "errors": [{"field": f.field, "code": f.code, "message": f.message} for f in faults],
        "request_id": current_request_id(),
    }


def problem_response(status: int, **members: Any) -> HttpResponse:
    """Return an answer for code outside of REST framework; ``members`` are those of :func:`problem`."""
    body = orjson.dumps(problem(status, **members))
    return HttpResponse(body, status=status, content_type=PROBLEM_TYPE, headers={"Content-Length": str(len(body))})
