"""When a request is sent again: one conversation with the wire, which a blocking and an awaiting driver carry out."""

from __future__ import annotations

import random
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from memory_platform_client.errors import ConnectionFailed, TimedOut, read_retry_after

T = TypeVar("T")
BUSY = frozenset({429, 503})
"""Nothing was done: every request may be sent again."""
LOST = frozenset({408, 502, 504})
"""It may have been done: only a request that does the same twice may be sent again."""
TWIN = 409
"""With ``Retry-After``: the first request with this Idempotency-Key is still running."""


@dataclass(frozen=True)
class Retries:
    """How often and how patiently. Pauses double, each between half and whole; ``Retry-After`` is waited for."""

    attempts: int = 4
    first_pause_s: float = 0.25
    longest_pause_s: float = 8.0
    longest_wait_s: float = 60.0
    """A server that asks for a longer pause is not waited for: its answer is raised at once."""

    def choose_pause(self, attempt: int) -> float:
        """Return the seconds after the attempt of this number, from 1."""
        pause = min(self.longest_pause_s, self.first_pause_s * 2.0 ** (attempt - 1))
        return pause * random.uniform(0.5, 1.0)  # noqa: S311  # spreads requests, guards nothing


NO_RETRIES = Retries(attempts=1)


@dataclass(frozen=True)
class Request:
    """One request. ``is_repeatable``: doing it twice is doing it once. Files are streamed, never held in memory."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | Path | None = None
    save_to: Path | None = None
    is_repeatable: bool = True


@dataclass(frozen=True)
class Send:
    """A step: send the request and say what came of it."""

    request: Request
    timeout_s: float


@dataclass(frozen=True)
class Pause:
    """A step: do nothing for a while."""

    seconds: float


Step = Send | Pause
Flow = Generator[Step, Any, T]
"""Yields steps, is sent what came of each, and returns the answer."""


def send_patiently(request: Request, retries: Retries, timeout_s: float) -> Flow[httpx.Response]:
    """Send a request until it is answered or the attempts are used up."""
    for attempt in range(1, retries.attempts + 1):
        reply: httpx.Response | httpx.TransportError = yield Send(request, timeout_s)
        is_last = attempt == retries.attempts
        if isinstance(reply, httpx.TransportError):
            if is_last or not (request.is_repeatable or isinstance(reply, httpx.ConnectError | httpx.ConnectTimeout)):
                raise make_connection_error(request, reply, attempt) from reply
            yield Pause(retries.choose_pause(attempt))
            continue
        asked = read_retry_after(reply.headers.get("retry-after"))
        if is_last or not may_repeat(request, reply, asked) or (asked or 0.0) > retries.longest_wait_s:
            return reply
        yield Pause(max(asked or 0.0, retries.choose_pause(attempt)))
    raise ValueError("Retries.attempts must be at least 1.")


def may_repeat(request: Request, reply: httpx.Response, asked: float | None) -> bool:
    """Return whether an answer is worth another attempt; ``asked``: seconds of its ``Retry-After``."""
    if reply.status_code in BUSY:
        return True
    return request.is_repeatable and (reply.status_code in LOST or (reply.status_code == TWIN and asked is not None))


def make_connection_error(request: Request, failure: httpx.TransportError, attempts: int) -> ConnectionFailed:
    """Return the error of a request that got no answer. It names no path: ids of people stand there."""
    kind = TimedOut if isinstance(failure, httpx.TimeoutException) else ConnectionFailed
    times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
    return kind(f"No answer to a {request.method} after {times}: {failure or type(failure).__name__}.")
