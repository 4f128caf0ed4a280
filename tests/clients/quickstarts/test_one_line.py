"""Quickstarts of other libraries run with the lines changed that docs/clients/quickstarts.md shows.
Rows: D3, D7, D8, D9, D16.
"""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType

import pytest

from lab.evaluation.datasets.scratch_tenant import finish_work
from snapshots.models import AgentThread, MemoryFile, Note, StoreItem
from tenants.isolation import tenant_tx
from tests.clients.python.memory_tool.model import make_model
from tests.clients.quickstarts.changes import change_lines, read_changes
from tests.clients.quickstarts.programs import MEM0, MEMORY, MEMORY_TOOL, PERSISTENCE, find_published
from tests.conftest import World
from tests.mem0_clients import load_client
from tests.memory_platform.compat.openai.test_quickstart import PROGRAMS
from tests.model_server import model_server

pytestmark = pytest.mark.slow
MOST_LINES = 5
FILE = "/memories/tea.md"
COMMANDS = [
    {"command": "create", "path": FILE, "file_text": "茶 at four\n"},
    {"command": "str_replace", "path": FILE, "old_str": "four", "new_str": "five"},
    {"command": "view", "path": FILE},
    {"command": "create", "path": FILE, "file_text": "again"},
]


def run_program(program: str) -> str:
    """Return what a program prints."""
    with redirect_stdout(StringIO()) as printed:
        exec(compile(program, "quickstart", "exec"), {"__name__": "__main__"})  # noqa: S102  # of a published form
    return printed.getvalue()


def test_mem0_remembers(
    named_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    package = ModuleType("mem0")
    package.__dict__["MemoryClient"] = load_client("2.2.1", tmp_path_factory.mktemp("mem0")).MemoryClient
    monkeypatch.setitem(sys.modules, "mem0", package)
    run_program(change_lines(MEM0))
    finish_work(named_world.acme.tenant.id)
    assert "My sister Ruth plays the cello" in run_program(change_lines(MEM0))


@pytest.mark.parametrize(
    "program",
    [
        PERSISTENCE,
        MEMORY,
        find_published("langgraph-checkpoint", "checkpointer.list")
        + "print(checkpointer.get(read_config)['id'], len(list(checkpointer.list(read_config))))\n",
    ],
    ids=["persistence", "memory", "readme"],
)
def test_langgraph_prints_what_it_prints_without_us(named_world: World, program: str) -> None:
    printed = run_program(program)
    assert printed
    assert run_program(change_lines(program)) == printed
    with tenant_tx(named_world.acme.tenant.id):
        assert AgentThread.objects.exists() or StoreItem.objects.exists()


def test_the_memory_tool_answers_as_the_one_on_a_disk(
    named_world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    printed = []
    for program in (MEMORY_TOOL, change_lines(MEMORY_TOOL)):
        with model_server(make_model(COMMANDS)) as model:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url.removesuffix("/v1"))
            printed.append(run_program(program))
    assert "茶 at five" in printed[0]
    assert printed[1] == printed[0]
    with tenant_tx(named_world.acme.tenant.id):
        assert MemoryFile.objects.get().text == "茶 at five\n"


def test_the_readme_of_mcp_calls_a_tool_of_ours(named_world: World) -> None:
    program = find_published("mcp", "client.call_tool")
    assert "allergic to peanuts" in run_program(change_lines(program))
    with tenant_tx(named_world.acme.tenant.id):
        assert Note.objects.filter(snapshot__text__contains="peanuts").exists()


def test_each_line_of_the_page_stands_in_a_program_and_a_door_takes_five_at_most() -> None:
    programs = [MEM0, MEMORY, MEMORY_TOOL, PERSISTENCE, find_published("mcp", "client.call_tool"), *PROGRAMS]
    changes, lines = read_changes(), [set(program.splitlines()) for program in programs]
    assert set(changes) <= set().union(*lines)
    for own in lines:
        assert 0 < len({line for removed in own & set(changes) for line in changes[removed]}) <= MOST_LINES
