"""What the job of a conversation's end says it made, or why it made nothing. Rows: S1, C5."""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.understanding.making import settle

ONE = "/v1/subjects/ada/conversations/trip"
CALL = {"id": "t1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
WORDS = {"en": "Book me a flight to Lisbon on 3 May.", "zh": "帮我订5月3日去里斯本的机票。"}


def say(caller: Caller, content: str, *, tool: bool) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
    if tool:
        messages.append({"role": "assistant", "content": None, "tool_calls": [CALL]})
    assert caller("POST", f"{ONE}/messages", {"messages": messages}).status_code == 202


def end_conversation(caller: Caller) -> str:
    """End the conversation and return where its job stands."""
    return f"/v1/jobs/{body_of(caller('POST', f'{ONE}/end'))['job_id']}"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_finished_end_counts_its_snapshots(acme: Caller, world: World, language: str) -> None:
    say(acme, WORDS[language], tool=True)
    job = end_conversation(acme)
    assert body_of(acme("GET", job))["result"] == {}, "nothing is said before it is done"
    settle(world.acme)
    assert body_of(acme("GET", job))["result"] == {"snapshots": 1, "reason": None}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_conversation_without_tools_says_why_nothing_was_made(acme: Caller, world: World, language: str) -> None:
    say(acme, WORDS[language], tool=False)
    job = end_conversation(acme)
    settle(world.acme)
    assert body_of(acme("GET", job))["result"] == {"snapshots": 0, "reason": "no_tool_call"}


def test_courtesies_beside_a_tool_leave_nothing_to_keep(acme: Caller, world: World) -> None:
    say(acme, "Thanks!", tool=True)
    job = end_conversation(acme)
    settle(world.acme)
    assert body_of(acme("GET", job))["result"] == {"snapshots": 0, "reason": "nothing_to_keep"}


def test_a_conversation_that_may_teach_nothing_says_so(acme: Caller, world: World) -> None:
    say(acme, WORDS["en"], tool=True)
    assert acme("PATCH", ONE, {"remember": False}).status_code == 200
    job = end_conversation(acme)
    settle(world.acme)
    assert body_of(acme("GET", job))["result"] == {"snapshots": 0, "reason": "not_remembered"}


def test_an_end_that_a_message_undid_points_to_the_later_one(acme: Caller, world: World) -> None:
    say(acme, WORDS["en"], tool=True)
    first = end_conversation(acme)
    say(acme, "And a hotel in Porto for 5 May.", tool=False)
    second = end_conversation(acme)
    settle(world.acme)
    assert body_of(acme("GET", first))["result"] == {"snapshots": 0, "reason": "later_end"}
    assert body_of(acme("GET", second))["result"] == {"snapshots": 1, "reason": None}
