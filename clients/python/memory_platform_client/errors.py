"""What goes wrong, by what one can do about it. A problem's text is the server's sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_platform_client.decoding import Answer, ObjectDecoder


class MemoryPlatformError(Exception):
    """Anything that this client raises about a call."""


class ConnectionFailed(MemoryPlatformError):
    """No answer came, after all attempts."""


class TimedOut(ConnectionFailed):
    """No answer came in time, after all attempts, or what was waited for did not come to pass."""


class UnreadableAnswer(MemoryPlatformError):
    """The answer is none of the platform's: something else listens there, or a proxy answered."""


class IncompleteExport(MemoryPlatformError):
    """The export ended before its last line: the subject was erased meanwhile, or the connection broke."""


class JobFailed(MemoryPlatformError):
    """The job that was waited for failed or was given up; ``job`` says why."""

    def __init__(self, job: Any) -> None:
        super().__init__(f"The job {job.id} ({job.kind}) is {job.status}: {getattr(job.error, 'code', 'no reason')}.")
        self.job = job

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.job,)


@dataclass(kw_only=True)
class FieldFault(Answer):
    """What is wrong with one field of a request."""

    field: str
    code: str
    message: str


@dataclass(kw_only=True)
class Limit(Answer):
    """The limit that was reached."""

    name: str | None
    allowed: int | None
    remaining: int | None
    resets_at: datetime | None


FIELD_FAULT = ObjectDecoder(FieldFault)
LIMIT = ObjectDecoder(Limit)


class Problem(MemoryPlatformError):
    """The platform refused. ``code`` is stable, the text is for people, ``request_id`` is for support."""

    def __init__(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self.status = status
        self.code = str(body.get("code", "unknown"))
        self.title = str(body.get("title", ""))
        self.detail = str(body.get("detail") or self.title or f"The server answered {status}.")
        self.fields = tuple(FIELD_FAULT(one) for one in body.get("errors") or () if isinstance(one, Mapping))
        self.request_id = body.get("request_id") or headers.get("x-request-id")
        self.body = body
        self.headers = dict(headers)
        self.retry_after = read_retry_after(headers.get("retry-after"))
        named = "; ".join(f"{one.field}: {one.message}" for one in self.fields)
        reference = f" [{self.code}, request {self.request_id}]"
        super().__init__((f"{self.detail} {named}" if named else self.detail) + reference)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.body, self.headers)


class Invalid(Problem):
    """400: the request is malformed; ``fields`` names what is wrong."""


class Unauthenticated(Problem):
    """401: no API key, or none that is valid."""


class Forbidden(Problem):
    """403: the key lacks a scope."""


class NotFound(Problem):
    """404: there is no such object in this tenant."""


class Conflict(Problem):
    """409: it does not fit what is there."""


class VersionMismatch(Problem):
    """412: the object has changed since ``if_match`` was read."""


class TooLarge(Problem):
    """413: the body is too large."""


class Refused(Problem):
    """422: understood, but refused; ``code`` says why."""


class BudgetTooSmall(Refused):
    """422: system prompt and query alone do not fit; they need ``needed`` tokens."""

    @property
    def needed(self) -> int | None:
        """Tokens that the budget must have at least."""
        return self.body.get("needed")


class RateLimited(Problem):
    """429: too many requests; ``retry_after`` is the pause in seconds that the server asks for."""

    @property
    def limit(self) -> Limit | None:
        """The limit that was reached."""
        value = self.body.get("limit")
        return LIMIT(value) if isinstance(value, Mapping) else None


class Unavailable(Problem):
    """The platform cannot answer now: 500 and above."""


BY_CODE: Mapping[str, type[Problem]] = {"budget_too_small": BudgetTooSmall}
BY_STATUS: Mapping[int, type[Problem]] = {
    400: Invalid,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: VersionMismatch,
    413: TooLarge,
    422: Refused,
    429: RateLimited,
}
SERVER_FAULT = 500


def make_problem(status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> Problem:
    """Return the error of an answer that is none of success."""
    fallback = Unavailable if status >= SERVER_FAULT else Problem
    kind = BY_CODE.get(str(body.get("code"))) or BY_STATUS.get(status, fallback)
    return kind(status, body, headers)


def read_retry_after(header: str | None) -> float | None:
    """Return the seconds of ``Retry-After``; the platform sends no dates."""
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None
