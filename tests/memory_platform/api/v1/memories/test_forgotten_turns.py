"""A forgotten turn is none of a prompt: chat endpoints refuse one that says nothing. Rows: A4, C2."""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.memories.test_forget_orders import ADA, post, teach


def window_of(caller: Caller) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = body_of(caller("GET", f"{ADA}/conversations/talk/window"))["messages"]
    return turns


@pytest.mark.parametrize(
    ("home", "answer", "order"),
    [
        ("I live in Lyon", "Lyon is lovely.", "Forget what I just said"),
        ("我住在长阳路1900弄3号楼", "长阳路离地铁很近。", "忘掉我刚才说的"),
    ],
)
def test_what_was_forgotten_leaves_no_empty_turn_and_no_answer_to_it(
    acme: Caller, world: World, home: str, answer: str, order: str
) -> None:
    teach(acme, world, "Hello", ("assistant", "Hi."), home, ("assistant", answer))
    assert post(acme, order, ("assistant", "OK."))[0]["verdict"] == "forgotten"
    made = body_of(acme("POST", f"{ADA}/context", {"query": "Bye", "conversation_id": "talk"}))
    turns = [one for one in made["messages"] if one["role"] != "system"]
    told = [("user", "Hello"), ("assistant", "Hi."), ("user", order), ("assistant", "OK.")]
    assert [(one["role"], one["content"]) for one in turns] == [*told, ("user", "Bye")]
    assert [(one["role"], one["content"]) for one in window_of(acme)] == told
