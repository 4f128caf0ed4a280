"""Calls of a tenant's model endpoint: which headers go there and come back, and errors before an answer."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from django.conf import settings

from memory_platform.compat.openai.config import PROXY
from memory_platform.compat.openai.openai_errors import (
    TooManyCalls,
    UpstreamAddressRefused,
    UpstreamBroken,
    UpstreamFailed,
    UpstreamRedirected,
    UpstreamTimedOut,
)
from memory_platform.providers.endpoints.checked_connections import AddressRefused, CheckedClient
from tenants.models import Upstream
from tenants.services.upstreams.allowed_urls import is_allowed_host
from tenants.services.upstreams.secret_encryption import unseal_key

# Between two neighbours only, never passed on (RFC 9110); `Connection` may name more.
HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
# Of the client or of the way here, not of the call: secrets, addresses, what is made anew, what is for the memory.
KEPT_HERE = HOP_BY_HOP | {
    "accept-encoding",
    "api-key",
    "authorization",
    "content-length",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "origin",
    "referer",
    "via",
    "x-api-key",
    "x-real-ip",
    "x-request-id",
}
KEPT_PREFIXES = ("x-forwarded-", "x-memory", "x-subject-", "x-conversation-", "cf-", "sec-")
# Of an answer. Others, such as cookies and policies for browsers, would count for this platform's own address.
PASSED_BACK = frozenset({"content-type", "content-encoding", "retry-after", "retry-after-ms", "x-should-retry"})
PASSED_BACK_PREFIXES = ("openai-", "x-ratelimit-limit-", "x-ratelimit-remaining-", "x-ratelimit-reset-")
UPSTREAM_REQUEST_ID = "X-Upstream-Request-Id"

CLIENT = CheckedClient(is_allowed_host, kept=PROXY.kept_connections, kept_s=PROXY.kept_s)


class OpenCalls:
    """Counts the calls that this process keeps open: each holds a thread of the server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.count = 0

    @contextmanager
    def reserve_call(self) -> Iterator[None]:
        """Count a call for the block. Raises TooManyCalls."""
        with self._lock:
            if self.count >= settings.UPSTREAM_CALLS:
                raise TooManyCalls(PROXY.retry_after_s)
            self.count += 1
        try:
            yield
        finally:
            with self._lock:
                self.count -= 1


OPEN_CALLS = OpenCalls()


@dataclass(frozen=True, slots=True)
class OutgoingCall:
    """One call: ``path`` below the endpoint's address, with its query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None = None


def open_answer(upstream: Upstream, call: OutgoingCall) -> httpx.Response:
    """Send a call and return its answer, of which the body is not read. Raises UpstreamFailed, KeyUnreadable."""
    headers = choose_request_headers(call.headers)
    key = unseal_key(bytes(upstream.sealed_key))
    if key:
        headers.append((b"authorization", b"Bearer " + key.encode()))
    # httpx hands this very mapping on: the time until the head comes differs from that between two pieces.
    waits: dict[str, Any] = {
        "connect": PROXY.connect_s,
        "pool": PROXY.connect_s,
        "write": settings.UPSTREAM_PAUSE_SECONDS,
        "read": settings.UPSTREAM_FIRST_BYTE_SECONDS,
    }
    client = CLIENT.get()
    try:
        request = client.build_request(
            call.method,
            upstream.base_url + call.path,
            headers=headers,
            content=call.body,
            extensions={"timeout": waits},
        )
        answer = client.send(request, stream=True)
    except AddressRefused:
        raise UpstreamAddressRefused from None
    except httpx.TimeoutException as late:
        raise (UpstreamFailed if isinstance(late, httpx.ConnectTimeout) else UpstreamTimedOut) from None
    except (httpx.HTTPError, httpx.InvalidURL):
        raise UpstreamFailed from None
    waits["read"] = settings.UPSTREAM_PAUSE_SECONDS
    if answer.is_redirect or answer.has_redirect_location:
        answer.close()
        raise UpstreamRedirected
    return answer


def read_whole_body(answer: httpx.Response) -> bytes:
    """Return the body as it came, packed or not. Raises UpstreamTimedOut, UpstreamBroken."""
    received = bytearray()
    try:
        for piece in answer.iter_raw():
            received += piece
            if len(received) > PROXY.answer_bytes:
                raise UpstreamBroken
    except httpx.TimeoutException:
        raise UpstreamTimedOut from None
    except (httpx.HTTPError, httpx.StreamError):
        raise UpstreamBroken from None
    finally:
        answer.close()
    return bytes(received)


def choose_request_headers(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Return the headers that go to the endpoint. Names that ``Connection`` lists stay here as well."""
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    return [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in headers.items()
        if value
        and name.lower() not in KEPT_HERE
        and name.lower() not in named
        and not name.lower().startswith(KEPT_PREFIXES)
    ]


def choose_answer_headers(answer: httpx.Response) -> dict[str, str]:
    found = {
        name: value
        for name, value in answer.headers.items()
        if name in PASSED_BACK or name.startswith(PASSED_BACK_PREFIXES)
    }
    request_id = answer.headers.get("x-request-id")
    return {**found, **({UPSTREAM_REQUEST_ID: request_id} if request_id else {})}


def is_compressed(answer: httpx.Response) -> bool:
    return answer.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}
