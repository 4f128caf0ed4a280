"""The HTTP client under the vendors' libraries: limited in time and size, careful retries, no content in errors.

The libraries would read any number of bytes, retry by their own rules and put answers into errors. This client returns
complete good answers only; the kind of a failure is noted on the :class:`Call`.
"""

import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import httpx2
import stamina

from memory_platform.providers.config import ENDPOINT, ChatConfig, EndpointConfig
from memory_platform.providers.contracts import Usage
from memory_platform.providers.endpoints.endpoint import CallFailed, Failure, refuse_status, wait_for


@dataclass(slots=True)
class Call:
    ends: float
    usage: Usage = field(default_factory=Usage)
    failure: Failure | None = None


CURRENT: ContextVar[Call] = ContextVar("chat_call")


class BoundedClient(httpx2.AsyncClient):
    """Sends the requests that a vendor's library builds."""

    def __init__(self, config: ChatConfig, waits: EndpointConfig = ENDPOINT) -> None:
        super().__init__(follow_redirects=False, timeout=None)  # each request brings its own
        self._policy = config
        self._waits = waits

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Return a complete answer. Raises CallFailed, which the libraries wrap in errors of theirs."""
        call = CURRENT.get()
        # An unpacked answer could be larger than any bound on what arrives.
        request.headers["Accept-Encoding"] = "identity"
        try:
            return await self._attempts(request, call)
        except CallFailed as failed:
            call.failure = failed.failure
            raise

    async def _attempts(self, request: httpx2.Request, call: Call) -> httpx2.Response:
        attempts = stamina.retry_context(
            on=partial(wait_for, ends=call.ends),
            attempts=1 + self._policy.retries,
            timeout=None,
            wait_initial=self._waits.first_wait_s,
            wait_max=self._waits.longest_wait_s,
            wait_jitter=self._waits.jitter_s,
        )
        async for attempt in attempts:
            with attempt:
                return await self._send_once(request, call)
        raise AssertionError("stamina raises the last error")

    async def _send_once(self, request: httpx2.Request, call: Call) -> httpx2.Response:
        left = max(call.ends - time.monotonic(), 0.001)
        request.extensions = {**request.extensions, "timeout": httpx2.Timeout(left).as_dict()}
        try:
            response = await super().send(request, stream=True, follow_redirects=False)
            try:
                refuse_status(response.status_code, response.headers.get("Retry-After"))
                content = await self._read_body(response)
            finally:
                await response.aclose()
        except httpx2.TimeoutException:
            raise CallFailed(Failure.TIMEOUT) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError):
            raise CallFailed(Failure.UNREACHABLE) from None
        kind = response.headers.get("Content-Type", "application/json")
        return httpx2.Response(200, headers={"Content-Type": kind}, content=content, request=request)

    async def _read_body(self, response: httpx2.Response) -> bytes:
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise CallFailed(Failure.WRONG_ANSWER)
        received = bytearray()
        async for piece in response.aiter_raw():
            received += piece
            if len(received) > self._policy.answer_bytes:
                raise CallFailed(Failure.TOO_LARGE)
        return bytes(received)
