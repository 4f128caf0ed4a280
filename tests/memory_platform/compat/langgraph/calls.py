"""Calls of every address of the door for LangGraph, with ids in them wherever the door takes ids."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import ormsgpack
from django.http import HttpResponse
from django.test import Client

from tests.conftest import HANDLER, House

PREFIX = "/compat/langgraph/"
MEDIA_TYPE = "application/msgpack"
CANARY = "kestrel4711"
"""Stands in every text of acme's rows, and in nothing that a call sends."""
LATER = 4_000_000_000


@dataclass(frozen=True, slots=True)
class AgentIds:
    """What the door takes as an id."""

    thread: str = "thread-of-ada"
    checkpoint: str = "1f0-1"
    run: str = "run-1"
    label: str = "notes-of-ada"
    key: str = "first"


NOBODYS = AgentIds("thread-of-ida", "1f0-9", "run-9", "notes-of-ida", "last")


def make_checkpoint(ids: AgentIds, said: str = "tea", **more: Any) -> dict[str, Any]:
    """Return the body that stores a checkpoint."""
    return {
        "thread_id": ids.thread,
        "checkpoint_id": ids.checkpoint,
        "body": ["msgpack", said.encode()],
        "versions": {"said": "1"},
        "new_versions": {"said": "1"},
        "values": {"said": ["msgpack", said.encode()]},
        "metadata": {"run_id": ids.run, "said": said},
        **more,
    }


def make_writes(ids: AgentIds, said: str = "tea", **more: Any) -> dict[str, Any]:
    place = {"thread_id": ids.thread, "checkpoint_id": ids.checkpoint, "task_id": "task"}
    return {**place, "writes": [[0, "said", "msgpack", said.encode()]], **more}


def make_put(ids: AgentIds, said: str = "tea", **more: Any) -> list[Any]:
    texts = [["text", said]]
    return ["put", {"namespace": [ids.label], "key": ids.key, "value": f'{{"text":"{said}"}}', "texts": texts, **more}]


READS: Mapping[str, Callable[[AgentIds], dict[str, Any]]] = {
    "threads/get": lambda ids: {"thread_id": ids.thread},
    "threads/list": lambda ids: {"thread_id": ids.thread, "filter": {"run_id": ids.run}},
    "threads/history": lambda ids: {"thread_id": ids.thread, "channels": ["said"]},
    "store/read": lambda ids: {
        "ops": [
            ["get", {"namespace": [ids.label], "key": ids.key}],
            ["search", {"prefix": [ids.label], "query": "a question"}],
            ["search", {"prefix": [], "filter": {"label": ids.label}}],
            ["list", {"matches": [{"kind": "prefix", "labels": [ids.label]}]}],
        ]
    },
}
WRITES: Mapping[str, Callable[[AgentIds], dict[str, Any]]] = {
    "threads/put": make_checkpoint,
    "threads/put-writes": make_writes,
    "threads/copy": lambda ids: {"source_id": ids.thread, "target_id": f"copy of {ids.thread}"},
    "threads/delete-runs": lambda ids: {"run_ids": [ids.run]},
    "threads/prune": lambda ids: {"thread_ids": [ids.thread]},
    "threads/delete": lambda ids: {"thread_ids": [ids.thread], "now": LATER},
    "store/batch": lambda ids: {"ops": [make_put(ids), ["get", {"namespace": [ids.label], "key": ids.key}]]},
}
CALLS = {**READS, **WRITES}


def call(house: House | None, path: str, body: Any, **headers: str) -> HttpResponse:
    """Send one request; ``body`` is packed, or sent as it is if it is bytes."""
    client = Client(raise_request_exception=False)
    client.handler = HANDLER
    sent = body if isinstance(body, bytes) else ormsgpack.packb(body)
    kind = headers.pop("Content_Type", MEDIA_TYPE)
    given = (house.headers if house else {}) | headers
    response: Any = client.generic("POST", PREFIX + path, sent, content_type=kind, headers=given)
    return response  # type: ignore[no-any-return]


def answer_of(response: HttpResponse) -> Any:
    """Return the packed answer of a success."""
    assert response.status_code < 300, response.content
    return ormsgpack.unpackb(response.content) if response.content else None
