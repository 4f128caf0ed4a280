"""The only place where errors, also those of Postgres, become HTTP statuses. Every error leaves as problem+json."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError
from django.http import Http404, UnreadablePostError
from rest_framework import exceptions as rest
from rest_framework.response import Response

from memory_platform.api.access import build_refusal_headers
from memory_platform.api.config import API_CONFIG
from memory_platform.api.errors.problems import PROBLEM_TYPE, problem
from memory_platform.api.requests.body_parsing import PayloadTooLarge, RequestTimeout
from memory_platform.api.requests.fields import flatten_faults
from memory_platform.kernel.errors import (
    Conflict,
    FieldFault,
    InvalidInput,
    MemoryPlatformError,
    NotFound,
    Refused,
    Unavailable,
    VersionMismatch,
)
from memory_platform.observability.metrics import DATABASE_REFUSALS
from memory_platform.observability.request_logging import log_failure
from tenants.errors import InvalidKey, KeyBoundToSubject, QuotaExceeded, ScopeMissing

# By five-character code first, then by class (its first two characters). Any other error is internal.
_ANSWERS: dict[str, tuple[type[MemoryPlatformError], str]] = {
    "23505": (Conflict, "Another object already has this id."),
    "23503": (NotFound, "Something that this refers to does not exist."),
    "23514": (InvalidInput, "A value is outside of what the platform stores."),
    "23P01": (Conflict, "This overlaps with another object."),
    "55P03": (Conflict, "Another request is changing the same object."),
    "57014": (Unavailable, "The database took too long."),
    "22": (InvalidInput, "A value cannot be stored."),
    "54": (InvalidInput, "A value is too large or too complex to be stored."),
    "08": (Unavailable, "The database does not answer."),
    "40": (Unavailable, "Too many requests change the same object."),
    "53": (Unavailable, "The database has no room for another request."),
    "57": (Unavailable, "The database is restarting."),
}
STATUSES: dict[type[MemoryPlatformError], int] = {
    InvalidInput: 400,
    InvalidKey: 401,
    ScopeMissing: 403,
    KeyBoundToSubject: 403,
    NotFound: 404,
    RequestTimeout: 408,
    Conflict: 409,
    VersionMismatch: 412,
    PayloadTooLarge: 413,
    Refused: 422,
    QuotaExceeded: 429,
    Unavailable: 503,
}
CHALLENGE = 'Bearer realm="memory-platform"'


def sqlstate_of(error: BaseException) -> str | None:
    """Return the five-character code of a database error or of its cause, or None."""
    seen: BaseException | None = error
    while seen is not None:
        code = getattr(seen, "sqlstate", None)
        if code:
            return str(code)
        seen = seen.__cause__
    return None


def find_constraint_name(error: BaseException) -> str:
    """Return the name of the constraint that a database error speaks of, or ""."""
    return str(getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or "")


def translate_database_error(error: Exception) -> MemoryPlatformError | None:
    """Return the error for something that a caller can cause or wait out; None for any other error."""
    if not isinstance(error, DatabaseError):
        return None
    state = sqlstate_of(error)
    if state is None:
        lost = isinstance(error, OperationalError | InterfaceError)
        return Unavailable("The database does not answer.") if lost else None
    answer = _ANSWERS.get(state) or _ANSWERS.get(state[:2])
    return answer[0](answer[1]) if answer else None


def exception_handler(error: Exception, context: Any = None) -> Response:
    """Return the answer for ``error``. An unexpected error is a 500 that says nothing about its cause."""
    if isinstance(error, MemoryPlatformError):
        return _platform_answer(error)
    if isinstance(error, rest.APIException):
        return _rest_answer(error)
    refusal = translate_database_error(error)
    if refusal is not None:
        DATABASE_REFUSALS.labels(sqlstate=(sqlstate_of(error) or "none")[:2]).inc()
        return _platform_answer(refusal)
    return _django_answer(error) or _answer_unexpected(error)


def status_of(error: MemoryPlatformError) -> int | None:
    """Return the status of the nearest class of ``error`` that has one; None for an internal error."""
    return next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), None)


def _platform_answer(error: MemoryPlatformError) -> Response:
    status = status_of(error)
    if status is None:
        return _answer_unexpected(error)
    headers = _retry_headers(error, status) | build_refusal_headers(error)
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = CHALLENGE
    extras = getattr(error, "extras", None)
    return _answer(status, headers, code=error.code, detail=error.detail, faults=error.faults, extras=extras)


def _retry_headers(error: MemoryPlatformError, status: int) -> dict[str, str]:
    wait = getattr(error, "retry_after_s", None)
    if wait is None and status == HTTPStatus.SERVICE_UNAVAILABLE:
        wait = API_CONFIG.retry_after_s
    return {} if wait is None else {"Retry-After": str(wait)}


def _rest_answer(error: rest.APIException) -> Response:
    status = int(error.status_code)
    headers = {}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = CHALLENGE
    wait = getattr(error, "wait", None)
    if wait is not None:
        headers["Retry-After"] = str(max(1, round(wait)))
    if isinstance(error, rest.ValidationError):
        return _answer(400, headers, faults=tuple(flatten_faults(error.detail)))
    return _answer(status, headers, detail=str(error.detail))


def _django_answer(error: Exception) -> Response | None:
    if isinstance(error, Http404):
        return _answer(404)
    if isinstance(error, DjangoPermissionDenied):
        return _answer(403)
    if isinstance(error, RequestDataTooBig):
        return _answer(413)
    if isinstance(error, UnreadablePostError):
        return _answer(400, detail="The body ended before its announced length.")
    if isinstance(error, SuspiciousOperation | BadRequest):
        return _answer(400)
    return None


def _answer_unexpected(error: Exception) -> Response:
    log_failure(error)
    return _answer(500, detail="The request failed here. Report the request_id: it finds the log line.")


def _answer(
    status: int,
    headers: dict[str, str] | None = None,
    *,
    code: str = "",
    detail: str = "",
    faults: Sequence[FieldFault] = (),
    extras: dict[str, Any] | None = None,
) -> Response:
    body = problem(status, code=code, detail=detail, faults=faults, extras=extras)
    return Response(body, status=status, headers=headers, content_type=PROBLEM_TYPE)
