"""Calls with bodies in MessagePack, blocking and awaiting. Each may be repeated: the platform stores it once."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import httpx
import ormsgpack

from memory_platform_client.client import TIMEOUT_S, clean, make_headers
from memory_platform_client.errors import UnreadableAnswer, make_problem
from memory_platform_client.links import AwaitingLink, BlockingLink, Options
from memory_platform_client.retries import Flow, Request, Retries, send_patiently

T = TypeVar("T")
MEDIA_TYPE = "application/msgpack"
PREFIX = "/compat/langgraph/"


class PackedCaller:
    """A platform with one API key. Threads may share it; each event loop has connections of its own."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
        async_http: httpx.AsyncClient | None = None,
    ) -> None:
        self._base_url, self._headers = clean(base_url), make_headers(api_key)
        self._options = Options(timeout_s, retries or Retries())
        self._own_http = http is None
        self._blocking = BlockingLink(http or httpx.Client(), self._base_url, self._headers, self._options)
        self._async_http = async_http
        self._awaiting: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AwaitingLink] = weakref.WeakKeyDictionary()

    def run(self, make_flow: Callable[[], Flow[T]]) -> T:
        """Return what a flow returns, waiting for it."""
        return self._blocking.run(make_flow)

    async def arun(self, make_flow: Callable[[], Flow[T]]) -> T:
        """Return what a flow returns."""
        loop = asyncio.get_running_loop()
        link = self._awaiting.get(loop)
        if link is None:
            http = self._async_http or httpx.AsyncClient()
            link = self._awaiting[loop] = AwaitingLink(http, self._base_url, self._headers, self._options)
        return await link.run(make_flow)

    def ask(self, path: str, body: dict[str, Any]) -> Flow[Any]:
        """Call the platform; return the answer's map, or None of an answer without a body."""
        headers = {"Content-Type": MEDIA_TYPE, "Accept": MEDIA_TYPE}
        request = Request("POST", PREFIX + path, headers=headers, content=ormsgpack.packb(body))
        reply = yield from send_patiently(request, self._options.retries, self._options.timeout_s)
        return read_packed(reply)

    def close(self) -> None:
        """Close the connections of blocking calls."""
        if self._own_http:
            self._blocking.http.close()

    async def aclose(self) -> None:
        """Close the connections that the running event loop has."""
        link = self._awaiting.pop(asyncio.get_running_loop(), None)
        if link is not None and self._async_http is None:
            await link.http.aclose()


def read_packed(reply: httpx.Response) -> Any:
    """Return the map of an answer, or raise the problem that it tells."""
    if not reply.is_success:
        try:
            body = reply.json()
        except ValueError:
            body = None
        raise make_problem(reply.status_code, body if isinstance(body, dict) else {}, reply.headers)
    if not reply.content:
        return None
    try:
        return ormsgpack.unpackb(reply.content)
    except ValueError:
        message = f"The answer of status {reply.status_code} is no MessagePack. Is base_url right?"
        raise UnreadableAnswer(message) from None
