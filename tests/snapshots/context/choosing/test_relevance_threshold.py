"""What helps a question goes in, and nothing may be the answer. Rows: X12, X1."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_platform.providers.token_estimator import TokenEstimator
from snapshots.context.assemble_context import assemble_context
from snapshots.context.choosing.relevance_threshold import AbstainReason
from snapshots.context.config import DEFAULT_CONTEXT, ContextPolicy
from snapshots.context.values import (
    AssembledContext,
    BudgetRequest,
    ContextMaterial,
    ContextRequest,
    DecisionReason,
    MemoryItem,
    StandingProfile,
)

BEGAN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def item(name: str, relevance: float, *, kind: str = "note", day: int = 0, vital: bool = False) -> MemoryItem:
    return MemoryItem(
        lane="snapshots",
        id=name,
        kind=kind,
        text=f"{name} says something of its own",
        confidence=0.9,
        provenance="confirmed_by_user",
        score=relevance,
        relevance=relevance,
        valid_since=BEGAN + timedelta(days=day),
        vital=vital,
    )


def assemble_with(
    *memories: MemoryItem, vital: MemoryItem | None = None, total: int = 6000, needs: float = 1.0, **asked: Any
) -> AssembledContext:
    request = ContextRequest("dinner?", budget=BudgetRequest(total=total), **asked)
    profile = StandingProfile(notes=(vital,) if vital else ())
    return assemble_context(
        request, ContextMaterial(profile, memories, needs=needs), counter=TokenEstimator(), nonce="n"
    )


def kept_ids(context: AssembledContext) -> list[str]:
    return [one.id for one in context.decisions if one.reason is DecisionReason.KEPT]


def test_where_nothing_helps_nothing_is_said_and_the_answer_tells() -> None:
    context = assemble_with(item("near", 0.04), item("far", 0.001, kind="statement"))
    assert context.abstained == AbstainReason.NOTHING_RELEVANT
    assert kept_ids(context) == []
    assert {one.reason for one in context.decisions} == {DecisionReason.BELOW_FLOOR}
    assert [message["role"] for message in context.messages] == ["user"]


def test_where_nothing_is_remembered_the_answer_says_that() -> None:
    assert assemble_with().abstained == AbstainReason.NOTHING_REMEMBERED


def test_a_vital_note_stands_in_the_prefix_whatever_is_asked() -> None:
    context = assemble_with(item("far", 0.001), vital=item("allergy", 0.0, vital=True))
    assert kept_ids(context) == ["allergy"]
    assert context.abstained == AbstainReason.NOTHING_RELEVANT


def test_a_small_memory_comes_whole_and_oldest_first_where_one_note_helps() -> None:
    context = assemble_with(item("third", 0.6, day=3), item("first", 0.001, day=1), item("second", 0.01, day=2))
    assert kept_ids(context) == ["first", "second", "third"]
    assert context.abstained is None


def test_in_a_small_room_what_helps_comes_first() -> None:
    many = [item(f"other{number}", 0.001, day=number) for number in range(40)]
    held = kept_ids(assemble_with(*many, item("helps", 0.6, day=50), total=150))
    assert "helps" in held
    assert len(held) < len(many)


def test_statements_below_the_threshold_follow_while_there_is_room() -> None:
    context = assemble_with(
        item("helps", 0.6), item("beside", 0.01, kind="statement"), item("far", 0.0, kind="statement")
    )
    assert set(kept_ids(context)) == {"helps", "beside", "far"}


@pytest.mark.parametrize(("asked", "held"), [({"min_relevance": 0.7}, []), ({"min_relevance": 0.0}, ["low", "high"])])
def test_the_caller_sets_the_threshold(asked: dict[str, Any], held: list[str]) -> None:
    assert kept_ids(assemble_with(item("low", 0.01, day=1), item("high", 0.6, day=2), **asked)) == held


def test_below_the_callers_threshold_nothing_comes() -> None:
    memories = (item("note", 0.04), item("helps", 0.06), item("said", 0.003, kind="statement"))
    assert kept_ids(assemble_with(*memories, min_relevance=0.05)) == ["helps"]


def test_a_message_that_tells_nothing_fills_no_room() -> None:
    said = ("Turn the volume down please.", "Can you tell me a joke", "What's the weather?", "讲个笑话吧")
    idle = [replace(item(f"i{n}", 0.01, kind="statement"), text=text) for n, text in enumerate(said)]
    asked_for = replace(item("named", 0.2, kind="statement"), text=said[0])
    assert kept_ids(assemble_with(item("helps", 0.6), asked_for, *idle)) == ["helps", "named"]


def test_where_all_is_asked_for_all_notes_come_oldest_first() -> None:
    far = [item(f"n{day}", 0.0001, day=day) for day in range(5)]
    idle = replace(item("idle", 0.0001, kind="statement"), text="Play some jazz")
    everything = assemble_with(*reversed(far), idle, needs=0.1, asks_for_all=True)
    assert (kept_ids(everything), everything.abstained) == ([one.id for one in far], None)
    some = assemble_with(*reversed(far), total=80, asks_for_all=True)
    assert kept_ids(some) == [one.id for one in far[: len(kept_ids(some))]] != []


def test_what_is_held_and_left_out_is_not_relevant() -> None:
    request = ContextRequest("dinner?", strict=True)
    found = [
        assemble_context(request, ContextMaterial(held_back=held), counter=TokenEstimator(), nonce="n")
        for held in (True, False)
    ]
    assert [one.abstained for one in found] == [AbstainReason.NOTHING_RELEVANT, AbstainReason.NOTHING_REMEMBERED]


def test_what_helps_and_stands_elsewhere_leaves_message_1_without_a_memory() -> None:
    vital = item("allergy", 0.6, vital=True)
    context = assemble_with(vital, vital=vital)
    assert (kept_ids(context), context.abstained) == (["allergy"], AbstainReason.NOTHING_MORE)
    full = ContextRequest("dinner?", budget=BudgetRequest(memory=1))
    tight = assemble_context(full, ContextMaterial(memories=(vital,)), counter=TokenEstimator(), nonce="n")
    assert (kept_ids(tight), tight.abstained) == ([], AbstainReason.NOTHING_MORE)
    assert assemble_with(vital, item("other", 0.6), vital=vital).abstained is None


def test_strict_takes_nothing_that_does_not_help() -> None:
    assert kept_ids(assemble_with(item("low", 0.01), item("high", 0.6), strict=True)) == ["high"]


def test_a_policy_sets_the_threshold_where_the_caller_names_none() -> None:
    request, memories = ContextRequest("dinner?"), (item("low", 0.2),)
    strictly = ContextPolicy(min_relevance=0.3)
    context = assemble_context(
        request, ContextMaterial(memories=memories), counter=TokenEstimator(), nonce="n", policy=strictly
    )
    assert (kept_ids(context), context.abstained) == ([], AbstainReason.NOTHING_RELEVANT)
    assert kept_ids(assemble_with(*memories)) == ["low"]


def test_a_question_that_hardly_needs_memory_gets_none_however_near_one_is() -> None:
    near, doubtful = (item("near", 0.2), item("far", 0.01)), DEFAULT_CONTEXT.least_need - 0.01
    context = assemble_with(*near, needs=doubtful)
    assert (kept_ids(context), context.abstained) == ([], AbstainReason.NOTHING_RELEVANT)
    assert {one.id: one.reason for one in context.decisions} == {
        "near": DecisionReason.NOT_NEEDED,
        "far": DecisionReason.BELOW_FLOOR,
    }
    assert kept_ids(assemble_with(*near, needs=doubtful, min_relevance=0.1)) == ["near"]


def test_a_question_that_may_need_memory_gets_what_helps_and_no_more() -> None:
    assert kept_ids(assemble_with(item("near", 0.2), item("far", 0.01), needs=DEFAULT_CONTEXT.sure_need - 0.01)) == [
        "near"
    ]
    assert kept_ids(assemble_with(item("near", 0.2), item("far", 0.01), needs=DEFAULT_CONTEXT.sure_need)) == [
        "near",
        "far",
    ]
