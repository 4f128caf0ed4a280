"""Two drivers that carry out the steps of a flow: one blocks, one awaits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import httpx

from memory_platform_client.listings import AsyncListing, Listing
from memory_platform_client.retries import Flow, Pause, Request, Retries, Send, Step

Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)
T = TypeVar("T")
PIECE_BYTES = 65_536


@dataclass(frozen=True)
class Options:
    """How calls are made: seconds for one attempt, retries, and a key for the next write instead of a random one."""

    timeout_s: float = 30.0
    retries: Retries = field(default_factory=Retries)
    idempotency_key: str | None = None


@dataclass(frozen=True)
class Link(Generic[Http]):
    """A connection to one platform with one API key."""

    http: Http
    base_url: str
    headers: dict[str, str] = field(repr=False)
    options: Options

    def change(self, **options: Any) -> Any:
        """Return the same link with other options."""
        return replace(self, options=replace(self.options, **options))

    def describe(self, step: Send, content: Any) -> dict[str, Any]:
        """Return what httpx wants to know of a request."""
        request = step.request
        headers = {**self.headers, **request.headers}
        if isinstance(request.content, Path):
            headers["Content-Length"] = str(request.content.stat().st_size)
        return {
            "method": request.method,
            "url": self.base_url + request.path,
            "params": request.query or None,
            "headers": headers,
            "content": content,
            "timeout": step.timeout_s,
            "follow_redirects": False,
        }


class BlockingLink(Link[httpx.Client]):
    """Carries steps out one after the other."""

    def run(self, make_flow: Callable[[], Flow[T]]) -> T:
        """Return what a flow returns."""
        flow = make_flow()
        outcome: Any = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as end:
                answer: T = end.value
                return answer
            outcome = self._perform_step(step)

    def list(self, fetch: Callable[[str | None], Callable[[], Flow[Any]]]) -> Any:
        """Return a listing whose pages are made by ``fetch``."""
        return Listing(lambda cursor: self.run(fetch(cursor)))

    def _perform_step(self, step: Step) -> httpx.Response | httpx.TransportError | None:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            return self._send(step)
        except httpx.TransportError as failure:
            return failure

    def _send(self, step: Send) -> httpx.Response:
        content = step.request.content
        described = self.describe(step, _read_pieces(content) if isinstance(content, Path) else content)
        if step.request.save_to is None:
            return self.http.request(**described)
        with self.http.stream(**described) as response:
            if response.is_success:
                with _open_save_file(step.request) as target:
                    for piece in response.iter_bytes(PIECE_BYTES):
                        target.write(piece)
            else:
                response.read()
            return response


class AwaitingLink(Link[httpx.AsyncClient]):
    """The same steps, awaited."""

    async def run(self, make_flow: Callable[[], Flow[T]]) -> T:
        """Return what a flow returns."""
        flow = make_flow()
        outcome: Any = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as end:
                answer: T = end.value
                return answer
            outcome = await self._perform_step(step)

    def list(self, fetch: Callable[[str | None], Callable[[], Flow[Any]]]) -> Any:
        """Return a listing whose pages are made by ``fetch``."""
        return AsyncListing(lambda cursor: self.run(fetch(cursor)))

    async def _perform_step(self, step: Step) -> httpx.Response | httpx.TransportError | None:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            return await self._send(step)
        except httpx.TransportError as failure:
            return failure

    async def _send(self, step: Send) -> httpx.Response:
        content = step.request.content
        described = self.describe(step, _await_pieces(content) if isinstance(content, Path) else content)
        if step.request.save_to is None:
            return await self.http.request(**described)
        async with self.http.stream(**described) as response:
            if response.is_success:
                with _open_save_file(step.request) as target:
                    async for piece in response.aiter_bytes(PIECE_BYTES):
                        target.write(piece)
            else:
                await response.aread()
            return response


@contextmanager
def _open_save_file(request: Request) -> Iterator[IO[bytes]]:
    """Open the file that an answer is saved to, empty: an attempt before may have left something."""
    assert request.save_to is not None  # noqa: S101  # for the type
    with request.save_to.open("wb") as target:
        yield target


def _read_pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        yield from iter(partial(source.read, PIECE_BYTES), b"")


async def _await_pieces(path: Path) -> AsyncIterator[bytes]:
    for piece in _read_pieces(path):
        yield piece
