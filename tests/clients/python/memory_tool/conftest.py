"""The memory tool of Anthropic's SDK with the platform as its backend, over HTTP, blocking and awaiting."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from memory_platform_client.memory_tool import AsyncMemoryPlatformTool, MemoryPlatformTool
from tests.clients.python.conftest import BOTH_WAYS
from tests.conftest import House

NUMBERS = count(1)


@dataclass(frozen=True, slots=True)
class Hand:
    """A tool of one person, called as a runner calls it."""

    tool: Any
    runner: asyncio.Runner | None

    def __call__(self, command: str, **arguments: Any) -> str:
        """Return the result of a command; a ToolError is raised."""
        result = self.tool.call({"command": command, **arguments})
        return str(self.runner.run(result) if self.runner else result)


def take_tool(way: str, address: str, key: str, subject_id: str) -> Hand:
    """Return a tool of either kind."""
    if way == "blocking":
        return Hand(MemoryPlatformTool(address, key, subject_id), None)
    return Hand(AsyncMemoryPlatformTool(address, key, subject_id), asyncio.Runner())


@pytest.fixture(params=BOTH_WAYS)
def hand(request: pytest.FixtureRequest, address: str, acme: House) -> Iterator[Hand]:
    """A tool of a person whom nobody knows yet."""
    hand = take_tool(request.param, address, acme.token, f"person-{next(NUMBERS)}")
    yield hand
    if hand.runner:
        hand.runner.close()
