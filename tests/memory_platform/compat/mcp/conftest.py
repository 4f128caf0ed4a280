"""The platform over HTTP, and the official SDK as its client."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import httpx2
import orjson
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.conftest import House, World
from tests.serving import serve_app

T = TypeVar("T")
MODES = ("legacy", "2026-07-28")
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Loads no certificates, which takes a client longer than a call."""
ACCEPT = "application/json, text/event-stream"


def bind_key(house: House, subject_id: str) -> str:
    """Make a key of one subject."""
    with tenant_tx(house.tenant.id):
        made = create_key(
            name="laptop", scopes=["memory:read", "memory:write"], by=COMMAND_LINE, bound_subject=subject_id
        )
    return made.token


@dataclass(frozen=True)
class Desk:
    """One connection: an address, a key, and how the client negotiates."""

    url: str
    token: str
    mode: str = "2026-07-28"
    headers: dict[str, str] = field(default_factory=dict)

    def run(self, use: Callable[[Client], Awaitable[T]]) -> T:
        """Connect, use the client, and leave."""

        async def visit() -> T:
            sent = {"Authorization": f"Bearer {self.token}"} | self.headers
            async with (
                httpx2.AsyncClient(headers=sent, timeout=60, verify=NO_TLS) as http,
                Client(streamable_http_client(self.url, http_client=http), mode=self.mode, cache=None) as client,
            ):
                return await use(client)

        return asyncio.run(visit())

    def call(self, name: str, **arguments: Any) -> CallToolResult:
        return self.run(lambda client: client.call_tool(name, arguments))

    def ask(self, name: str, **arguments: Any) -> Any:
        """Return the structured content of a call that succeeds."""
        made = self.call(name, **arguments)
        assert not made.is_error, made
        return made.structured_content

    def ask_text(self, name: str, **arguments: Any) -> Any:
        """Return the JSON of the one text item of a call that succeeds."""
        made = self.call(name, **arguments)
        assert not made.is_error, made
        (item,) = made.content
        assert item.type == "text"
        return orjson.loads(item.text)

    def fail(self, name: str, **arguments: Any) -> str:
        """Return the text of a call that is refused."""
        made = self.call(name, **arguments)
        assert made.is_error, made
        (item,) = made.content
        assert item.type == "text"
        return item.text


@pytest.fixture(scope="module")
def server(shared_world: World) -> Iterator[str]:
    with serve_app() as port:
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(scope="module")
def ada(server: str, shared_world: World) -> Desk:
    """Ada's own key."""
    return Desk(server, bind_key(shared_world.acme, "ada"))


@pytest.fixture(scope="module", params=MODES)
def ada_by(request: pytest.FixtureRequest, ada: Desk) -> Desk:
    """Ada's own key, by both eras of the protocol."""
    return replace(ada, mode=request.param)
