"""A talk over the API whose answer recites what it was shown: nothing is learned twice. Rows: S6, S1, E2, D1.

Matrix: 17.
"""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.understanding.making import settle

ADA = "/v1/subjects/ada"
CALL = {"id": "t1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
TALKS = {
    "en": (
        ["I always take aisle seats because of my knee.", "I love rock music."],
        "Book me a bus to Lisbon on 3 May.",
        "I remember: you always take aisle seats because of your knee. You love rock music. The bus leaves at 9:40.",
        ("You wrote: I love rock music.", None),
        ("aisle seats", "aisle", "9:40"),
    ),
    "zh": (
        ["我坐飞机一定要靠过道的座位。", "我喜欢摇滚音乐。"],
        "帮我订5月3日去里斯本的大巴。",
        "我记得您坐飞机一定要靠过道的座位。您喜欢摇滚音乐。大巴9:40出发。",
        ("“我喜欢摇滚音乐。”", None),
        ("靠过道的座位", "过道", "9:40"),
    ),
}


def post(caller: Caller, conversation: str, *messages: dict[str, Any]) -> dict[str, Any]:
    answer = caller("POST", f"{ADA}/conversations/{conversation}/messages", {"messages": list(messages)})
    assert answer.status_code == 202, answer.content
    return body_of(answer)


def user(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def list_rows(caller: Caller, noun: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of(caller("GET", f"{ADA}/{noun}?limit=100"))["data"]
    return found


def list_members(caller: Caller, noun: str, *members: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(str(one[member]) for member in members) for one in list_rows(caller, noun))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_answer_that_recites_leaves_memory_as_it_was(acme: Caller, world: World, language: str) -> None:
    told, request, reply, (quoted, kind), (question, word, news) = TALKS[language]
    post(acme, "earlier", *map(user, told))
    settle(world.acme)
    statements = list_members(acme, "snapshots", "id", "text", "said_at")
    preferences = list_members(acme, "preferences", "id", "value", "last_validated_at")
    candidates = list_members(acme, "candidates", "candidate_id", "verdict")

    post(acme, "trip", user(request))
    context = body_of(acme("POST", f"{ADA}/context", {"query": request, "conversation_id": "trip"}))
    assert told[0].rstrip(".。") in str(context["messages"])
    post(acme, "trip", {"role": "assistant", "content": None, "tool_calls": [CALL]})
    post(acme, "trip", {"role": "assistant", "content": reply}, user(quoted))
    acme("POST", f"{ADA}/conversations/trip/end")
    settle(world.acme)

    after = list_rows(acme, "snapshots")
    assert {(str(one["id"]), one["text"], str(one["said_at"])) for one in after} >= set(statements)
    fresh = {one["kind"]: one["text"] for one in after if one["text"] not in told}
    assert fresh["statement"] == request
    assert (news in fresh["conversation"], word in fresh["conversation"]) == (True, False)
    assert len(after) == len(statements) + 2
    assert list_members(acme, "preferences", "id", "value", "last_validated_at") == preferences
    fresh_ones = [
        one for one in list_rows(acme, "candidates") if (one["candidate_id"], one["verdict"]) not in candidates
    ]
    refused: list[tuple[str, str, str]] = (
        [("rejected", "echo", kind)] if kind else []
    )  # what is all in quotes is not even read
    assert [(one["verdict"], one["reason"], one["kind"]) for one in fresh_ones] == refused

    recalled = body_of(acme("POST", f"{ADA}/recall", {"query": question}))["memories"]
    assert next(one["text"] for one in recalled if word in one["text"]) == told[0]
    assert sum(told[0] in one["text"] for one in recalled) == 1


def test_another_tenant_neither_makes_an_echo_nor_learns_of_one(acme: Caller, globex: Caller, world: World) -> None:
    told, request, *_ = TALKS["en"]
    post(acme, "earlier", *map(user, told))
    settle(world.acme)
    acme("POST", f"{ADA}/context", {"query": request, "conversation_id": "trip"})
    recital = "You love rock music."
    for caller, house in ((globex, world.globex), (acme, world.acme)):
        post(caller, "trip", user(recital))
        settle(house)
    assert [one["text"] for one in list_rows(globex, "snapshots")] == [recital]
    assert recital not in [one["text"] for one in list_rows(acme, "snapshots")]
