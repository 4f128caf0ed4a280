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


@pytest.mark.parametrize(
    ("secret", "answers", "order", "later"),
    [
        (
            "I borrowed sixty grand from my cousin Dario",
            ("1. Write down the dates. 2. Talk to him.", "1. Done, it is gone."),
            "Forget what I just said",
            "1. Feed them at noon. 2. Half a bucket is enough.",
        ),
        (
            "我偷偷借了六十万给表弟",
            ("1. 先备份转账记录。2. 找他谈。", "1. 好,不存。"),
            "忘掉我刚才说的",
            "1. 中午喂一次。2. 半桶就够了。",
        ),
    ],
)
def test_the_numbers_of_a_list_repeat_nothing(
    acme: Caller, world: World, secret: str, answers: tuple[str, str], order: str, later: str
) -> None:
    teach(acme, world, secret, ("assistant", answers[0]))
    assert post(acme, order, ("assistant", answers[1]))[0]["verdict"] == "forgotten"
    assert not [one for one in post(acme, "?", ("assistant", later)) if one["verdict"] == "forgotten"]
    assert later in [one["content"] for one in window_of(acme)]
