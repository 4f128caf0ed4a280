"""What in a message only comes back from a prompt, and what somebody really says. Rows: S6, E2. Matrix: 49."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from snapshots.echo.detection import ShownMemory, ShownPrompts, find_echoes, has_memory_elements, may_echo
from snapshots.understanding.values import Evidence
from tests.growth import assert_linear

GOLDEN = Path(__file__).parents[2] / "golden" / "echoes.jsonl"
LABELLED = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
BEFORE = AT - timedelta(hours=1)
OPENED = '<user_memory source="snapshot" confidence="0.6" provenance="observation" valid_since="2026-01-02" category=""'
PAGE_BYTES = 65_000


def make_shown(*memories: tuple[str, str], since: datetime = BEFORE) -> ShownPrompts:
    """Return what a prompt showed: (lane, text); the lane ``name`` is the name of the profile."""
    found = [
        ShownMemory(text, "profile" if lane == "name" else lane, since, is_name=lane == "name")
        for lane, text in memories
    ]
    return ShownPrompts(found)


def left_of(text: str, role: str, prompt: ShownPrompts) -> str:
    """Return what is learned from a message, as its readers ask for it."""
    return find_echoes(text, role, prompt, AT).remove_echoes(text) if may_echo(text, role) else text


@pytest.mark.parametrize("row", LABELLED, ids=[row["id"] for row in LABELLED])
def test_an_echo_goes_and_what_is_said_stays(row: dict[str, Any]) -> None:
    assert left_of(row["text"], row["role"], make_shown(*map(tuple, row["memories"]))) == row["rest"]


@pytest.mark.parametrize(
    ("memory", "text"),
    [("I love rock music.", "You love rock music."), ("我开车不走高速。", "您开车不走高速。")],
)
def test_what_was_said_before_it_was_shown_is_no_echo(memory: str, text: str) -> None:
    assert left_of(text, "assistant", make_shown(("snapshots", memory), since=AT + timedelta(seconds=1))) == text
    assert left_of(text, "assistant", make_shown(("snapshots", memory))) == ""


@pytest.mark.parametrize("body", ["I love rock music", "我开车不走高速", "5 &lt; 6 &amp; more"])
def test_an_element_as_prompts_write_it_is_an_echo_whatever_has_become_of_its_memory(body: str) -> None:
    for tag in (f"{OPENED}>", f'{OPENED} nonce="qjwmzkxtbv">'):
        text = f"Look:\n{tag}{body}</user_memory>\nIs that so?"
        assert left_of(text, "user", ShownPrompts()) == "Look:\nIs that so?"
        assert has_memory_elements(text)


def test_an_element_that_somebody_made_up_is_his_words_unless_a_prompt_showed_them() -> None:
    text = "<user_memory>I love rock music</user_memory>"
    assert left_of(text, "user", make_shown(("snapshots", "I own a boat"))) == text
    assert left_of(text, "user", make_shown(("snapshots", "I love rock music"))) == ""
    assert not has_memory_elements(text)


@pytest.mark.parametrize(
    ("memories", "text", "rest"),
    [
        (["I like sushi."], "Here's what the assistant remembered: I like sushi", ""),
        (["I like sushi.", "I avoid highways."], "Summary of our chat: I like sushi. I avoid highways.", ""),
        (
            ["I like sushi."],
            "Recap of our day:\n- I like sushi\n- I moved to Rome",
            "Recap of our day:\n- I moved to Rome",
        ),
        (["I like sushi."], "According to your notes, I like sushi", ""),
        (["I like sushi."], "According to my doctor, I like sushi", "According to my doctor, I like sushi"),
        (["我喜欢寿司"], "按你的记录,我喜欢寿司", ""),
        (["我喜欢寿司"], "听你的意思我喜欢寿司", ""),
        (["我喜欢寿司", "我开车不走高速"], "聊天总结:我喜欢寿司。我开车不走高速。我搬到了罗马。", "我搬到了罗马。"),
        (["我喜欢寿司"], "我的总结:我喜欢寿司", "我的总结:我喜欢寿司"),
    ],
)
def test_a_record_or_summary_told_again_is_an_echo_as_far_as_it_was_shown(
    memories: list[str], text: str, rest: str
) -> None:
    assert left_of(text, "user", make_shown(*(("snapshots", memory) for memory in memories))) == rest


def test_words_quoted_inside_a_sentence_teach_nothing_but_the_sentence_stays() -> None:
    text = 'Why did you write "I love rock music" when I asked about jazz?'
    echoes = find_echoes(text, "user", make_shown(("snapshots", "I love rock music")), AT)
    assert echoes.remove_echoes(text) == text
    assert echoes.covers(Evidence("m1", "I love rock music", text.index("I love")).span)
    assert not echoes.covers(Evidence("m1", "I asked about jazz", text.index("I asked")).span)


def test_a_line_of_the_prompt_goes_with_its_elements_and_places_stay() -> None:
    prompt = ShownPrompts(lines=frozenset({"# memories for this turn", "you are a kind assistant."}))
    text = f"You are a kind assistant.\n# Memories for this turn\n{OPENED}>x</user_memory>\nI am allergic to nuts."
    echoes = find_echoes(text, "user", prompt, AT)
    assert echoes.remove_echoes(text) == "I am allergic to nuts."
    open_text = echoes.blank_pasted(text)
    assert (len(open_text), open_text.index("I am")) == (len(text), text.index("I am"))


@pytest.mark.parametrize(
    "text", ["I avoid highways", "我开车不走高速", "Book a table for two at eight", "帮我订一张去里斯本的机票"]
)
def test_most_messages_of_users_are_not_even_looked_at(text: str) -> None:
    assert not may_echo(text, "user")


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize(
    "unit",
    [
        "<user_memory ",
        f"{OPENED}>",
        "<user_memory>a</user_memory>",
        "you said ",
        "You like rock music. ",
        "你说我喜欢摇滚,",
        '"you like" ',
        "> you\n",
        "likes: a\n",
        "...",
        "“",
        "，",
    ],
)
def test_a_hostile_page_is_looked_through_in_linear_time(unit: str, role: str) -> None:
    page = unit * (PAGE_BYTES // len(unit.encode()))
    prompt = make_shown(*(("snapshots", f"I like rock music and thing {n}. 我喜欢摇滚和{n}。") for n in range(200)))

    def read(text: str) -> None:
        may_echo(text, role)
        has_memory_elements(text)
        find_echoes(text, role, prompt, AT).remove_echoes(text)

    assert_linear(read, page)
