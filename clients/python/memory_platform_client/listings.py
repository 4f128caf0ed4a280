"""Lists that are longer than a page: pages are fetched when somebody reads on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Generic, TypeVar

from memory_platform_client.decoding import Page

T = TypeVar("T")


class Listing(Generic[T]):
    """Iterate over the objects, or over ``pages``; each iteration asks anew."""

    def __init__(self, fetch: Callable[[str | None], Page[T]]) -> None:
        self._fetch = fetch

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data

    def pages(self, cursor: str | None = None) -> Iterator[Page[T]]:
        """Yield the pages from a ``next_cursor`` on, or all of them."""
        while True:
            page = self._fetch(cursor)
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    def first(self) -> T | None:
        """Return the first object, or None if there is none."""
        return next(iter(self), None)


class AsyncListing(Generic[T]):
    """Iterate over the objects with ``async for``, or over ``pages``; each iteration asks anew."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[Page[T]]]) -> None:
        self._fetch = fetch

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for one in page.data:
                yield one

    async def pages(self, cursor: str | None = None) -> AsyncIterator[Page[T]]:
        """Yield the pages from a ``next_cursor`` on, or all of them."""
        while True:
            page = await self._fetch(cursor)
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    async def first(self) -> T | None:
        """Return the first object, or None if there is none."""
        async for one in self:
            return one
        return None
