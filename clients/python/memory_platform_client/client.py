"""The two clients: one blocks, one awaits; everything else is the same."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import httpx

from memory_platform_client.call_declarations import Awaiting, Blocking
from memory_platform_client.flow_drivers import AwaitingLink, BlockingLink, Options
from memory_platform_client.operations.tenant_operations import Platform
from memory_platform_client.retries import Retries

TIMEOUT_S = 30.0
DISTRIBUTION = "memory-platform-client"


class Memory(Platform[Blocking]):
    """A memory platform, seen with one API key. Threads may share it; ``with`` closes its connections.

    ``http`` is a client of yours, for proxies, certificates or another pool; you close it.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        options = Options(timeout_s, retries or Retries())
        link = BlockingLink(http or httpx.Client(), clean(base_url), make_headers(api_key), options)
        super().__init__(link)
        self._own = link.http if http is None else None

    def close(self) -> None:
        """Close the connections."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncMemory(Platform[Awaiting]):
    """The same, to be awaited. Tasks of one event loop may share it; ``async with`` closes its connections."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        options = Options(timeout_s, retries or Retries())
        link = AwaitingLink(http or httpx.AsyncClient(), clean(base_url), make_headers(api_key), options)
        super().__init__(link)
        self._own = link.http if http is None else None

    async def close(self) -> None:
        """Close the connections."""
        if self._own is not None:
            await self._own.aclose()

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def clean(base_url: str) -> str:
    """Return the address without what methods add."""
    return base_url.rstrip("/").removesuffix("/v1")


def make_headers(api_key: str) -> dict[str, str]:
    """Return the headers of every request."""
    return {
        "Authorization": f"Bearer {api_key}",
        "User-Agent": f"{DISTRIBUTION}/{find_version()}",
    }


def find_version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:  # read from a checkout
        return "0"
