"""Connections of adapters for other makers' frameworks, which may call from any thread and any event loop."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from typing import TypeVar

import httpx

from memory_platform_client.client import TIMEOUT_S, clean, make_headers
from memory_platform_client.flow_drivers import AwaitingLink, BlockingLink, Options
from memory_platform_client.retries import Flow, Retries

T = TypeVar("T")


class FlowCaller:
    """A platform with one API key. Threads may share it; each event loop has connections of its own.

    ``http`` and ``async_http`` are clients of yours, which you close.
    """

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
        self.options = Options(timeout_s, retries or Retries())
        self._http, self._async_http = http, async_http
        self._blocking: BlockingLink | None = None
        self._awaiting: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AwaitingLink] = weakref.WeakKeyDictionary()

    def run(self, make_flow: Callable[[], Flow[T]]) -> T:
        """Return what a flow returns, waiting for it."""
        if self._blocking is None:
            http = self._http or httpx.Client()
            self._blocking = BlockingLink(http, self._base_url, self._headers, self.options)
        return self._blocking.run(make_flow)

    async def arun(self, make_flow: Callable[[], Flow[T]]) -> T:
        """Return what a flow returns."""
        loop = asyncio.get_running_loop()
        link = self._awaiting.get(loop)
        if link is None:
            http = self._async_http or httpx.AsyncClient()
            link = self._awaiting[loop] = AwaitingLink(http, self._base_url, self._headers, self.options)
        return await link.run(make_flow)

    def close(self) -> None:
        """Close the connections of blocking calls."""
        if self._http is None and self._blocking is not None:
            self._blocking.http.close()

    async def aclose(self) -> None:
        """Close the connections that the running event loop has."""
        link = self._awaiting.pop(asyncio.get_running_loop(), None)
        if link is not None and self._async_http is None:
            await link.http.aclose()
