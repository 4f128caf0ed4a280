"""The measured calls of each face, and the platform's own beside them.

A face over a part of the REST API stands beside the call of the REST API. LangGraph's threads and items and the files
of the memory tool have none: beside them stands the least request that the API answers, and then the same work done by
its function, in this process.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from uuid import UUID

import httpx

from lab.benchmarks.faces.graph_states import GraphRun, make_place
from lab.benchmarks.faces.kept_connection import KeptConnection
from lab.benchmarks.faces.turns import Call, CallPair
from lab.benchmarks.load.load_target import POLL_S, MeasuredStack, make_subject_path
from lab.benchmarks.worlds.sentences import make_questions
from memory_platform.kernel.ids import new_id
from memory_platform_client.agents_session import MemoryPlatformSession
from memory_platform_client.langgraph import MemoryPlatformSaver, MemoryPlatformStore
from memory_platform_client.memory_tool import MemoryPlatformTool
from snapshots.memory_files.command_types import CreateFile, ReplaceText, ViewPath
from snapshots.memory_files.commands import run_writing_command, view_path
from snapshots.store_items.batches import run_batch
from snapshots.store_items.store_operations import GetItem, PutItem, SearchItems
from snapshots.threads.read_checkpoints import load_checkpoint
from snapshots.threads.values import CheckpointToStore, PackedValue, Place
from snapshots.threads.write_checkpoints import store_checkpoint
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE

SUBJECT = "faced"
MEM0, MCP = "/compat/mem0", "/mcp"
TOP_K = 10
# mem0's own default.
THRESHOLD = 0.1
ITEMS = 50
LESSON = "I own {} red boats."
# Lines of a file, and files of a person: 200 are allowed.
FILE_LINES, FILES = 40, 100
AGREED = "2025-11-25"
ACCEPT = "application/json, text/event-stream"
FUNCTION = "`GET /v1/tenant`, and the function"


@contextmanager
def open_pairs(target: MeasuredStack, tenant_id: UUID) -> Iterator[list[CallPair]]:
    """Yield the pairs; their connections are closed at the end."""
    with ExitStack() as stack:
        rest = KeptConnection(target)
        stack.callback(rest.close)
        yield [
            *pair_mem0(rest),
            *pair_mcp(rest),
            *pair_store(target, tenant_id, rest, stack),
            *pair_saver(target, tenant_id, rest, stack),
            *pair_memory_tool(target, tenant_id, rest, stack),
            *pair_session(target, rest, stack),
        ]


def make_question(number: int) -> str:
    return f"{next(make_questions(number))} {number}"


def pair_mem0(rest: KeptConnection) -> list[CallPair]:
    at = make_subject_path(SUBJECT)

    def post_and_wait(number: int) -> None:
        said = {"messages": [{"role": "user", "content": LESSON.format(number)}]}
        rest.send("POST", f"{at}/conversations/mem0/messages", said)
        while rest.send("GET", f"{at}/pending")["pending"]:
            time.sleep(POLL_S)

    def add(number: int, **more: Any) -> Any:
        return rest.send(
            "POST", f"{MEM0}/v3/memories/add/", {"messages": LESSON.format(number), "user_id": SUBJECT, **more}
        )

    def recall(number: int) -> Any:
        asked = {"query": make_question(number), "top_k": TOP_K, "min_relevance": THRESHOLD}
        return rest.send("POST", f"{at}/recall", {**asked, "lanes": ["snapshots", "notes"]})

    def search(number: int) -> Any:
        asked = {"query": make_question(number), "filters": {"user_id": SUBJECT}}
        return rest.send("POST", f"{MEM0}/v3/memories/search/", asked)

    return [
        CallPair("mem0 `add`", "`POST messages`, then `GET pending` until learned", add, post_and_wait),
        CallPair(
            "mem0 `add`, `infer=False`",
            "`POST snapshots`",
            lambda number: add(number, infer=False),
            lambda number: rest.send("POST", f"{at}/snapshots", {"text": LESSON.format(number)}),
        ),
        CallPair("mem0 `search`", "`POST recall`", search, recall),
    ]


def pair_mcp(rest: KeptConnection) -> list[CallPair]:
    at = make_subject_path(SUBJECT)

    def call_tool(name: str) -> Call:
        def call(number: int) -> Any:
            params = {"name": name, "arguments": {"query": make_question(number)}}
            body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            headers = {"MCP-Protocol-Version": AGREED, "Accept": ACCEPT}
            return rest.send("POST", f"{MCP}?subject={SUBJECT}", body, headers)

        return call

    def recall(number: int) -> Any:
        lanes = ["notes", "snapshots", "documents"]
        return rest.send("POST", f"{at}/recall", {"query": make_question(number), "top_k": TOP_K, "lanes": lanes})

    def read_context(number: int) -> Any:
        return rest.send("POST", f"{at}/context", {"query": make_question(number), "format": "text"})

    return [
        CallPair("MCP `search`", "`POST recall`", call_tool("search"), recall),
        CallPair("MCP `memory_context`", "`POST context`", call_tool("memory_context"), read_context),
    ]


def make_function_call(rest: KeptConnection, work: Call) -> Call:
    """Return the call that sends the least request of the API and then does the work in this process."""

    def call(number: int) -> None:
        rest.send("GET", "/v1/tenant")
        work(number)

    return call


def pair_store(target: MeasuredStack, tenant_id: UUID, rest: KeptConnection, stack: ExitStack) -> list[CallPair]:
    store = MemoryPlatformStore(make_base(target), target.key)
    stack.callback(store.close)
    space = ("faces", str(new_id()))

    def make_value(number: int) -> dict[str, Any]:
        return {"text": LESSON.format(number), "number": number, "colour": "red"}

    def beside(work: Callable[[int], Any]) -> Call:
        return make_function_call(rest, lambda number: run_batch(tenant_id, [work(number)]))

    store.put(space, "k0", make_value(0))
    return [
        CallPair(
            "LangGraph store `put`",
            FUNCTION,
            lambda number: store.put(space, f"k{number}", make_value(number)),
            beside(lambda number: PutItem(space, f"k{number}", json.dumps(make_value(number)))),
        ),
        CallPair(
            "LangGraph store `get`", FUNCTION, lambda _: store.get(space, "k0"), beside(lambda _: GetItem(space, "k0"))
        ),
        CallPair(
            "LangGraph store `search`",
            FUNCTION,
            lambda _: store.search(space, filter={"colour": "red"}),
            beside(lambda _: SearchItems(space, {"colour": "red"})),
        ),
    ]


def pair_saver(target: MeasuredStack, tenant_id: UUID, rest: KeptConnection, stack: ExitStack) -> list[CallPair]:
    saver = MemoryPlatformSaver(make_base(target), target.key)
    stack.callback(saver.close)
    thread = f"faces-{new_id()}"
    over_http, in_process = GraphRun(saver, f"{thread}-http"), GraphRun(saver, f"{thread}-function")
    over_http.put()
    drafts = StepDrafts(saver, in_process)

    def store(_: int) -> None:
        with tenant_tx(tenant_id):
            store_checkpoint(drafts.make_next())

    return [
        CallPair("LangGraph saver `put`", FUNCTION, lambda _: over_http.put(), make_function_call(rest, store)),
        CallPair(
            "LangGraph saver `get_tuple`",
            FUNCTION,
            lambda _: saver.get_tuple(make_place(f"{thread}-http")),
            make_function_call(rest, lambda _: load_checkpoint(tenant_id, Place(f"{thread}-http"))),
        ),
    ]


class StepDrafts:
    """The steps of a run in the form that the platform stores."""

    def __init__(self, saver: MemoryPlatformSaver, run: GraphRun) -> None:
        self._saver, self._run = saver, run

    def make_next(self) -> CheckpointToStore:
        """Return the next checkpoint."""
        config, checkpoint, metadata, new = self._run.make_step()
        known, values = config["configurable"], checkpoint["channel_values"]
        parent = known.get("checkpoint_id", "")
        known["checkpoint_id"] = checkpoint["id"]
        rest = {name: value for name, value in checkpoint.items() if not name.startswith("channel_")}
        return CheckpointToStore(
            Place(known["thread_id"], "", checkpoint["id"]),
            parent,
            self._pack(rest),
            checkpoint["channel_versions"],
            metadata,
            new,
            {channel: self._pack(values[channel]) for channel in new},
        )

    def _pack(self, value: Any) -> PackedValue:
        return PackedValue(*self._saver.serde.dumps_typed(value))


def pair_memory_tool(target: MeasuredStack, tenant_id: UUID, rest: KeptConnection, stack: ExitStack) -> list[CallPair]:
    http = stack.enter_context(httpx.Client())
    run, folder = new_id(), f"/memories/{new_id()}"
    text = "\n".join(LESSON.format(number) for number in range(FILE_LINES)) + "\ncount 0\n"
    edited, other = f"{folder}/http", f"{folder}/function"
    last = {edited: 0, other: 0}

    def call(command: str, person: str = SUBJECT, **arguments: Any) -> Any:
        tool = MemoryPlatformTool(make_base(target), target.key, person, http=http)
        return tool.call({"command": command, **arguments})

    def write(command: Any, person: str = SUBJECT) -> None:
        with tenant_tx(tenant_id):
            run_writing_command(person, command, COMMAND_LINE)

    def view(_: int) -> None:
        with tenant_tx(tenant_id):
            view_path(SUBJECT, ViewPath(other), "", COMMAND_LINE)

    def name_person(number: int) -> str:
        return f"{SUBJECT}-{run}-{number // FILES}"

    def make_change(path: str, number: int) -> dict[str, str]:
        old, last[path] = last[path], number
        return {"path": path, "old_str": f"count {old}", "new_str": f"count {number}"}

    call("create", path=edited, file_text=text)
    write(CreateFile(other, text))
    return [
        CallPair("memory tool `view`", FUNCTION, lambda _: call("view", path=edited), make_function_call(rest, view)),
        CallPair(
            "memory tool `create`",
            FUNCTION,
            lambda n: call("create", name_person(n), path=f"{folder}/{n}", file_text=text),
            make_function_call(rest, lambda n: write(CreateFile(f"{folder}/{n}", text), name_person(n))),
        ),
        CallPair(
            "memory tool `str_replace`",
            FUNCTION,
            lambda number: call("str_replace", **make_change(edited, number)),
            make_function_call(rest, lambda number: write(ReplaceText(**make_change(other, number)))),
        ),
    ]


def pair_session(target: MeasuredStack, rest: KeptConnection, stack: ExitStack) -> list[CallPair]:
    runner = stack.enter_context(asyncio.Runner())
    names = {way: f"faces-{new_id()}-{way}" for way in ("http", "function")}
    session = MemoryPlatformSession(names["http"], make_base(target), target.key, SUBJECT)
    stack.callback(lambda: runner.run(session.close()))
    at = f"{make_subject_path(SUBJECT)}/conversations/{names['function']}/messages"

    def make_item(number: int) -> Any:
        return {"role": "assistant", "content": LESSON.format(number)}

    def post(messages: list[Any]) -> Any:
        return rest.send("POST", at, {"messages": messages}, {"Idempotency-Key": str(new_id())})

    first = [make_item(number) for number in range(ITEMS)]
    runner.run(session.add_items(first))
    post(first)
    return [
        CallPair(
            "Agents session `get_items`",
            "`GET messages`",
            lambda _: runner.run(session.get_items(ITEMS)),
            lambda _: rest.send("GET", f"{at}?limit={ITEMS}"),
        ),
        CallPair(
            "Agents session `add_items`",
            "`POST messages`",
            lambda number: runner.run(session.add_items([make_item(number)])),
            lambda number: post([make_item(number)]),
        ),
    ]


def make_base(target: MeasuredStack) -> str:
    return f"http://{target.host}:{target.port}"
