"""The server on standard input and output, as a process that the official client starts. Rows: D7."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import orjson
import pytest
from django.db import connection
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from psycopg.conninfo import make_conninfo

from memory_platform.compat.mcp.client_request import ToolRefused
from memory_platform.compat.mcp.stdio_transport import StdioDoor
from tenants.isolation import tenant_tx
from tenants.models import ApiKey
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import revoke_key
from tests.conftest import World
from tests.memory_platform.compat.mcp.conftest import bind_key

pytestmark = pytest.mark.processes
# Each starts a process with all of Django, 4 s of CPU time.
slow = pytest.mark.slow
ROOT = Path(__file__).parents[4]
T = TypeVar("T")


def environment_of(token: str) -> dict[str, str]:
    database = make_conninfo(os.environ["DATABASE_URL"], dbname=str(connection.settings_dict["NAME"]))
    return os.environ | {"DATABASE_URL": database, "MCP_API_KEY": token}


def run(token: str, mode: str, use: Callable[[Client], Awaitable[T]], *arguments: str) -> T:
    """Start the server, use it by one client, and leave."""
    command = [str(ROOT / "manage.py"), "mcp_stdio", *arguments]
    started = StdioServerParameters(command=sys.executable, args=command, env=environment_of(token), cwd=ROOT)

    async def visit() -> T:
        async with Client(started, mode=mode, cache=None) as client:
            return await use(client)

    return asyncio.run(visit())


def test_a_door_for_another_person_than_the_key_s_stays_shut(shared_world: World) -> None:
    token = bind_key(shared_world.acme, "ada")
    names: list[Any] = ["memory", "en", "c1", "http://localhost"]
    assert StdioDoor(token, "", *names).open_visit().require_subject() == "ada"
    assert StdioDoor(shared_world.acme.token, "gus", *names).open_visit().subject_id == "gus"
    for subject_id in ("gus", "a/b"):
        with pytest.raises(ToolRefused, match="--subject"):
            StdioDoor(token, subject_id, *names).open_visit()


@slow
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_that_starts_the_server_remembers_and_recalls(shared_world: World, mode: str) -> None:
    token = bind_key(shared_world.acme, f"ada-{mode}")

    async def use(client: Client) -> list[str]:
        assert len((await client.list_tools()).tools) == 13
        made = await client.call_tool("remember", {"text": "I mend nets by the harbour"})
        assert not made.is_error, made
        listed = await client.call_tool("list_notes", {})
        assert listed.structured_content is not None
        return [one["text"] for one in listed.structured_content["notes"]]

    assert run(token, mode, use) == ["I mend nets by the harbour"]


@slow
def test_a_key_that_is_revoked_meanwhile_ends_the_visit(shared_world: World) -> None:
    token = bind_key(shared_world.acme, "ned")

    async def use(client: Client) -> str:
        assert not (await client.call_tool("recall", {"query": "nets"})).is_error
        await asyncio.to_thread(revoke)
        try:
            await client.call_tool("recall", {"query": "nets"})
        except Exception as refused:  # noqa: BLE001  # whatever class the client gives it
            return str(refused)
        return "answered"

    def revoke() -> None:
        with tenant_tx(shared_world.acme.tenant.id):
            revoke_key(ApiKey.objects.get(bound_subject="ned"), by=COMMAND_LINE, reason="lost")
        connection.close()

    assert "unknown, expired or revoked" in run(token, "auto", use)


@slow
def test_the_whole_tenant_s_key_and_mem0s_tools(shared_world: World) -> None:
    async def use(client: Client) -> str:
        made = await client.call_tool("add_memory", {"text": "I sing bass"})
        (item,) = made.content
        assert item.type == "text"
        return str(orjson.loads(item.text)["results"][0]["event"])

    assert run(shared_world.acme.token, "auto", use, "--profile", "mem0", "--subject", "sam") == "ADD"


@slow
@pytest.mark.parametrize(
    ("token", "arguments", "said"),
    [
        ("", [], "MCP_API_KEY is not set"),
        ("mk_live_wrong", [], "MCP_API_KEY: This API key is unknown"),
        ("bound", ["--subject", "gus"], "The key is bound to another person"),
    ],
)
def test_without_a_key_that_holds_the_command_says_why(
    shared_world: World, token: str, arguments: list[str], said: str
) -> None:
    real = bind_key(shared_world.acme, "ada") if token == "bound" else token
    ended = subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "mcp_stdio", *arguments],
        env=environment_of(real),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=100,
        check=False,
    )
    assert ended.returncode == 1
    assert said in ended.stderr
    assert ended.stdout == ""
