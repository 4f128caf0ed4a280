"""The table of docs/clients/README.md names calls that exist, door by door. Rows: D15, D11."""

import re
from pathlib import Path

import orjson
import pytest

from memory_platform.compat.anthropic.command_input import COMMANDS
from memory_platform.compat.mcp.native_tools import NATIVE_TOOLS
from memory_platform_client import Memory
from memory_platform_client.agents_session import MemoryPlatformSession
from memory_platform_client.langgraph import MemoryPlatformStore
from tests.contracts.documents.blocks import ROOT

CALLS = ("save", "recall", "context", "forget", "feedback", "export")
NONE, ALL = "–", "every call"
OPENAPI = orjson.loads((ROOT / "tests" / "golden" / "openapi.json").read_bytes())["paths"]
PAGE = (ROOT / "docs" / "clients" / "README.md").read_text(encoding="utf-8")
# What these tests call of mem0's own client is there, and served.
MEM0_TESTS = ROOT / "tests" / "memory_platform" / "compat" / "mem0" / "calls"
MEM0_CALLS = re.findall(r"\bclient\.(\w+)\(", "".join(path.read_text("utf-8") for path in MEM0_TESTS.glob("test_*.py")))


def read_table(page: str) -> dict[str, list[str]]:
    """Return the cells of each door."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    begin = next(number for number, row in enumerate(rows) if row == ["door", *CALLS])
    return {row[0]: row[1:] for row in rows[begin + 2 :]}


DOORS = read_table(PAGE)


def list_tools() -> list[str]:
    """Return the names of the tools that the API serves."""
    answer = OPENAPI["/v1/tools"]["get"]["responses"]["200"]["content"]["application/json"]
    return re.findall(r'"name": ?"(\w+)"', orjson.dumps(answer).decode())


def has_call(door: str, call: str) -> bool:
    """Return whether a door has a call of this name."""
    if door == "REST":
        method, _, path = call.partition(" ")
        return method.lower() in OPENAPI.get(path, {})
    if door == "Python":
        with Memory("http://127.0.0.1:9", "key") as memory:
            found: object = memory.subject("ada") if call.startswith("subject.") else memory
            for name in call.removeprefix("subject.").split("."):
                found = getattr(found, name, None)
        return callable(found)
    if door == "LangGraph store":
        return callable(getattr(MemoryPlatformStore, call, None))
    if door == "Agents session":
        return callable(getattr(MemoryPlatformSession, call, None))
    if door in {"tools", "MCP", "memory tool"}:
        return (
            call in {"tools": list_tools(), "MCP": [tool.name for tool in NATIVE_TOOLS], "memory tool": COMMANDS}[door]
        )
    return door == "mem0" and call in MEM0_CALLS


@pytest.mark.parametrize("door", DOORS)
def test_a_door_has_the_calls_of_its_row(door: str) -> None:
    assert len(DOORS[door]) == len(CALLS)
    calls = [cell for cell in DOORS[door] if cell not in {NONE, ALL}]
    assert [cell for cell in calls if not has_call(door, cell.strip("`"))] == []


def test_every_door_has_its_row() -> None:
    pages = {path.stem for path in Path(ROOT / "docs" / "clients").glob("*.md")} - {
        "README",
        "coming-from",
        "costs",
        "importing",
        "quickstarts",
    }
    assert pages == {"python", "mem0", "openai-proxy", "langgraph", "mcp", "memory-tool", "openai-agents"}
    others = {"OpenAI proxy", "LangGraph store", "memory tool", "Agents session"}
    assert set(DOORS) == {"REST", "Python", "tools", "MCP", "mem0", *others}


def test_calls_that_pages_map_others_onto_exist() -> None:
    page = (ROOT / "docs" / "clients" / "coming-from.md").read_text(encoding="utf-8")
    calls = re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE) [^`?]+)`", page)
    assert len(calls) > 10
    assert [call for call in calls if not has_call("REST", call)] == []


@pytest.mark.parametrize(
    ("door", "call"), [("REST", "GET /v1/nothing"), ("Python", "subject.nothing"), ("MCP", "x"), ("mem0", "nothing")]
)
def test_a_call_that_a_door_lacks_is_found(door: str, call: str) -> None:
    assert not has_call(door, call)
