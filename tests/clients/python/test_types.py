"""Editors know the arguments and the answers of both clients; `make check` reads ``see_types``. Rows: D11."""

import inspect
from typing import assert_type

from memory_platform_client import AsyncListing, AsyncMemory, Listing, Memory
from memory_platform_client.answers import Context, Erased, Erasing, Imported, Job, Note, SettledAsk
from tests.clients.python.operations import list_methods


async def see_types(memory: Memory, later: AsyncMemory) -> None:
    """Nobody calls this: the type checker complains where a type is another one."""
    ada, bo = memory.subject("ada"), later.subject("bo")
    assert_type(ada.context("Hello", budget={"total": 500}, include=["tasks"]), Context)
    assert_type(await bo.context("Hello"), Context)
    assert_type(ada.notes.list(grade="habit"), Listing[Note])
    assert_type(bo.notes.list(), AsyncListing[Note])
    assert_type(ada.delete(), Erased | Erasing)
    assert_type(memory.jobs.wait("j1"), Job)
    assert_type(await later.import_file("x.jsonl"), Imported)
    assert_type(await bo.asks.answer("a1", True), SettledAsk)
    assert_type(memory.using(timeout_s=2), Memory)
    ada.context(7)  # type: ignore[arg-type]
    ada.notes.list(grade="wish")  # type: ignore[arg-type]
    ada.notes.list(greade="habit")  # type: ignore[call-arg]
    ada.preferences.set("travel", "seat")  # type: ignore[call-arg]


def test_help_shows_arguments_and_a_sentence() -> None:
    with Memory("http://127.0.0.1:9", "key-1") as memory:
        recall = memory.subject("ada").recall
        assert list(inspect.signature(recall).parameters)[:3] == ["query", "top_k", "kinds"]
        assert inspect.getdoc(recall) == "Find the memories that help with a question."
        assert repr(memory.subject("ada").notes) == "Notes('http://127.0.0.1:9', 'ada')"


def test_every_method_says_what_it_does() -> None:
    silent = [one for one in list_methods() if not (one.declared.__doc__ or "").rstrip().endswith(".")]
    assert silent == []
