"""The blocks of docs/clients/importing.md work as they stand there, chapter by chapter. Rows: D11, D15."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from threading import Thread
from types import ModuleType, SimpleNamespace
from typing import Any

import orjson
import pytest
from django.core.management import call_command
from langgraph.store.memory import InMemoryStore

from memory_platform_client import Memory
from memory_platform_client.langgraph import MemoryPlatformStore
from tests.clients.python.conftest import lift_limits
from tests.conftest import House, World
from tests.contracts.documents.blocks import read_blocks
from tests.mem0_clients import load_client
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.importers.foreign_files import CHATGPT, LETTA, MEM0, ZEP, write_history, write_json
from tests.serving import serve_app, working

pytestmark = pytest.mark.slow

PAGE = "docs/clients/importing.md"
BLOCKS = {block.number: block for block in read_blocks(PAGE) if block.number}
COUNTS = re.compile(r"([\d,]+) (?:would be )?stored, ([\d,]+) unchanged, ([\d,]+) refused")
# Stands for `.venv/bin/python` in the reader's folder: it notes what it is called with, word by word.
NOTES_CALLS = "#!/bin/sh\nprintf '%s\\t' \"$@\" >> calls\necho >> calls\n"

Counts = list[tuple[int, ...]]
RunShell = Callable[..., Counts]
RunPython = Callable[[int, dict[str, Any]], None]


@pytest.fixture(scope="module")
def address(shared_world: World) -> Iterator[str]:
    """The platform over HTTP with acme's worker beside it."""
    lift_limits(shared_world.acme)
    with working(shared_world.acme.tenant.id), serve_app() as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def run_shell(shared_world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunShell:
    """Run a block of the shell in the reader's folder; return what each import counted.

    A real shell reads the lines. The commands then run in this process, which saves the start of a program for each.
    """
    monkeypatch.chdir(tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(NOTES_CALLS)
    python.chmod(0o755)

    def run(number: int, **names: str) -> Counts:
        calls = tmp_path / "calls"
        calls.unlink(missing_ok=True)
        given = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **names}
        subprocess.run(["/bin/bash", "-euc", BLOCKS[number].text], env=given, check=True, timeout=60)
        return [count_rows(line.split("\t")[:-1]) for line in calls.read_text(encoding="utf-8").splitlines()]

    return run


def count_rows(call: list[str]) -> tuple[int, ...]:
    """Return how many rows an import stored, left and refused."""
    program, *arguments = call
    assert program == "manage.py"
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    found = COUNTS.search(out.getvalue())
    assert found is not None, out.getvalue()
    return tuple(int(count) for count in found.groups())


@pytest.fixture
def run_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunPython:
    """Run a block of Python in the reader's folder, with the names that the page takes for granted."""
    monkeypatch.chdir(tmp_path)

    def run(number: int, names: dict[str, Any]) -> None:
        exec(compile(BLOCKS[number].text, PAGE, "exec"), names)  # noqa: S102 - a page of ours

    return run


def list_texts(house: House, subject: str = "ada") -> list[str]:
    exported = Caller(house)("GET", f"/v1/subjects/{subject}/export").content.decode()
    return re.findall(r'"text":"([^"]*)"', exported)


def test_a_file_is_tried_and_then_imported(run_shell: RunShell, shared_world: World, tmp_path: Path) -> None:
    write_json(tmp_path / "mem0.json", MEM0)
    assert run_shell(1) == [(3, 0, 0), (3, 0, 0)]
    assert len((tmp_path / "verdicts.jsonl").read_bytes().splitlines()) == 3
    assert "Ada is allergic to peanuts" in list_texts(shared_world.acme)


def test_what_mem0s_client_lists_is_imported(
    address: str,
    run_shell: RunShell,
    run_python: RunPython,
    shared_world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other system is globex, which mem0's client takes for mem0."""
    for text in ("Gil keeps bees.", "老吉住在成都。"):
        Caller(shared_world.globex)("POST", "/v1/subjects/gil/snapshots", {"text": text})
    package, client = ModuleType("mem0"), load_client("2.2.1", tmp_path / "client").MemoryClient
    package.__dict__["MemoryClient"] = partial(client, host=f"{address}/compat/mem0", api_key=shared_world.globex.token)
    monkeypatch.setitem(sys.modules, "mem0", package)
    run_python(2, {})
    (tmp_path / ".mem0").mkdir()
    write_history(tmp_path / ".mem0" / "history.db")
    assert run_shell(3) == [(2, 0, 0), (3, 0, 0)]
    assert sorted(list_texts(shared_world.acme, "gil")) == ["Gil keeps bees.", "老吉住在成都。"]


@dataclass(frozen=True, slots=True)
class ZepObject:
    """What Zep's client returns: an object that `dict` takes apart, its times as times."""

    row: dict[str, Any]

    def dict(self) -> Mapping[str, Any]:
        return {
            key: datetime.fromisoformat(value) if key.endswith("_at") and value else value
            for key, value in self.row.items()
        }


class ZepList:
    """A kind of things that Zep's client lists by the id of what they are in."""

    def __init__(self, name: str) -> None:
        self._rows = [ZepObject(row) for row in ZEP[name]]

    def list(self, uuid: str) -> Sequence[ZepObject]:
        assert uuid
        return self._rows


def test_what_zep_s_client_lists_is_imported_both_ways(
    address: str, run_shell: RunShell, run_python: RunPython, shared_world: World
) -> None:
    graph = SimpleNamespace(edge=ZepList("edges"), episode=ZepList("episodes"))
    zep = SimpleNamespace(graph=graph, thread=SimpleNamespace(message=ZepList("messages")))
    run_python(4, {"zep": zep, "graph_uuid": "g", "thread_uuid": "t"})
    assert run_shell(5) == [(5, 0, 0)]
    assert run_shell(10) == [(3, 0, 2)]
    with Memory(address, shared_world.acme.token) as memory:
        run_python(11, {"memory": memory})
    told = list_texts(shared_world.acme)
    facts = [*(edge["fact"] for edge in ZEP["edges"]), *(episode["content"] for episode in ZEP["episodes"])]
    assert [told.count(fact) for fact in facts] == [1, 1, 1], "the second way stores nothing again"


@pytest.fixture
def letta(tmp_path: Path) -> Iterator[str]:
    """Letta's server with one agent."""
    folder = tmp_path / "letta"
    agent = folder / "v1" / "agents" / "a1"
    agent.mkdir(parents=True)
    write_json(agent / "export", LETTA)
    write_json(agent / "archival-memory", [{"id": "passage-9", "text": "艾达的猫叫豆腐", "created_at": "2025-02-01"}])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietFiles, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class QuietFiles(SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: pytest shows what failed."""


def test_an_agent_of_letta_is_fetched_and_imported(run_shell: RunShell, shared_world: World, letta: str) -> None:
    assert run_shell(6, LETTA=letta, AGENT="a1", LETTA_KEY="k") == [(5, 0, 2), (1, 0, 0)]
    assert "艾达的猫叫豆腐" in list_texts(shared_world.acme)


def test_chat_logs_are_imported(run_shell: RunShell, tmp_path: Path) -> None:
    write_json(tmp_path / "conversations.json", CHATGPT)
    assert run_shell(7) == [(1, 0, 0), (2, 0, 0)]


def test_a_table_of_preferences_is_imported(run_shell: RunShell, shared_world: World) -> None:
    assert run_shell(8) == [(1, 0, 0)]
    seat = Caller(shared_world.acme)("GET", "/v1/subjects/ada/preferences/travel/seat")
    assert orjson.loads(seat.content)["value"] == "aisle"


def test_a_store_of_langgraph_is_copied(address: str, run_python: RunPython, shared_world: World) -> None:
    old_store, store = InMemoryStore(), MemoryPlatformStore(address, shared_world.acme.token)
    old_store.put(("ada",), "tea", {"text": "jasmine"})
    old_store.put(("ada", "住处"), "city", {"text": "苏黎世"})
    run_python(9, {"old_store": old_store, "store": store})
    assert {item.key: item.value["text"] for item in store.search(("ada",))} == {"tea": "jasmine", "city": "苏黎世"}
    assert store.get(("ada", "住处"), "city") is not None
    store.close()


def test_every_block_has_its_test() -> None:
    run = re.findall(r"run_(?:shell|python)\((\d+)", Path(__file__).read_text(encoding="utf-8"))
    assert sorted(map(int, run)) == sorted(BLOCKS)
