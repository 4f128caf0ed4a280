"""The page for makers of clients: its blocks are JSON, its calls run. Rows: D7, G1."""

import os
import re
import subprocess
from pathlib import Path

import orjson
import pytest

from memory_platform.compat.mcp.native_tools import NATIVE_TOOLS
from tests.conftest import World
from tests.memory_platform.compat.mcp.conftest import Desk, bind_key

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "clients" / "mcp.md").read_text(encoding="utf-8")
CONFIGS = dict(re.findall(r"<!-- config: (\w+) -->\n```json\n(.*?)```", PAGE, re.DOTALL))
SHELL = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)


def test_every_client_has_its_lines() -> None:
    assert CONFIGS.keys() == {"claude", "cursor", "vscode", "chatgpt", "stdio"}


@pytest.mark.parametrize("name", CONFIGS)
def test_the_lines_are_json(name: str) -> None:
    told = orjson.loads(CONFIGS[name])
    servers = told.get("mcpServers") or told.get("servers") or {"memory": told}
    entry = servers["memory"]
    address = entry.get("url") or entry.get("server_url") or entry["args"][-1]
    assert address in {"https://memory.example.com/mcp", "mcp_stdio"}
    assert "mk_live_" in CONFIGS[name] or "${input:memory-key}" in CONFIGS[name]


def test_every_tool_stands_in_the_table() -> None:
    assert {one.name for one in NATIVE_TOOLS} <= set(re.findall(r"`(\w+)`", PAGE))


def test_the_page_is_short() -> None:
    assert len(PAGE.split()) < 700


def test_the_call_of_the_page_works_as_it_stands(server: str, shared_world: World) -> None:
    """Only the address and the key are this test's; the command that makes the key has a test of its own."""
    call = SHELL[-1].partition("\n\n")[2]
    token = bind_key(shared_world.acme, "ada")
    environment = os.environ | {"BASE": server.removesuffix("/mcp"), "KEY": token}
    ran = subprocess.run(["/bin/bash", "-c", call], env=environment, capture_output=True, timeout=60, check=True)
    assert orjson.loads(ran.stdout)["result"]["structuredContent"]["note"]["text"] == "I am allergic to peanuts"
    assert "peanuts" in str(Desk(server, token).ask("list_notes"))
