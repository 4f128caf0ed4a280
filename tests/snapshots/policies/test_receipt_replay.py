"""One receipt under another policy, and what no receipt can tell. Rows: T4, G1."""

from dataclasses import replace

import pytest

from snapshots.context.values import MemoryRoom
from snapshots.policies.effective_policies import Policies, build_policies
from snapshots.policies.receipt_replay import (
    ReplayedCandidate,
    ReplayedQuestion,
    build_factor_exchanges,
    count_other_tokens,
    list_replayed_candidates,
    list_unreplayable_changes,
    replay_receipt,
)
from snapshots.recall.config import RankingPolicy

PLAIN = Policies()
HELD = {"recency": 1.05, "confidence_effective": 0.6, "provenance": 0.6, "frequency": 1.0}


def make_candidate(
    name: str, near: float, tokens: int = 50, *, taken: bool = True, **factors: float
) -> ReplayedCandidate:
    return ReplayedCandidate(name, near, {**HELD, **factors}, tokens, taken)


def of(ranking: dict[str, object] | None = None, **document: dict[str, object]) -> Policies:
    return build_policies(2, {"ranking": ranking or {}, **document})


def test_a_policy_replayed_over_its_own_receipt_takes_the_same() -> None:
    rows = [
        make_candidate("a", 1.0),
        make_candidate("large", 0.9, 500, taken=False),
        make_candidate("b", 0.5),
        make_candidate("c", 0.1, taken=False),
    ]
    choice = replay_receipt(ReplayedQuestion(rows), PLAIN, PLAIN)
    assert choice.reproduced
    assert choice.before == choice.after == frozenset("ab")
    assert (choice.tokens_before, choice.tokens_after) == (100, 100)


def test_another_order_takes_others_and_says_who_enters_and_leaves() -> None:
    rows = [make_candidate("new", 0.9, recency=1.05), make_candidate("old", 1.0, recency=0.94, taken=False)]
    choice = replay_receipt(ReplayedQuestion(rows), PLAIN, of({"recency_values": [1.0, 1.0, 1.0, 1.0]}))
    assert (choice.entering, choice.leaving) == (frozenset(["old"]), frozenset(["new"]))
    assert choice.reproduced


def test_more_room_takes_more_and_less_takes_less() -> None:
    rows = [make_candidate("a", 1.0), make_candidate("b", 0.9), make_candidate("c", 0.8, taken=False)]
    assert replay_receipt(ReplayedQuestion(rows), PLAIN, of(context={"memory": 1750})).after == {"a", "b", "c"}
    assert replay_receipt(ReplayedQuestion(rows), PLAIN, of(context={"memory": 1650})).after == {"a"}
    assert replay_receipt(
        ReplayedQuestion(rows, "complaint"), PLAIN, of(context={"memory_by_intent": {"complaint": 2050}})
    ).entering == {"c"}
    read, named = (
        ReplayedQuestion(rows, "complaint", bound=MemoryRoom(0, 5000, grows=grows)) for grows in (True, False)
    )
    small = of(context={"memory_by_intent": {"complaint": 50}})
    assert [replay_receipt(one, PLAIN, small).after for one in (read, named)] == [{"a", "b", "c"}, {"a"}]
    roomy = [replace(one, taken=True) for one in rows]
    assert replay_receipt(ReplayedQuestion(roomy), PLAIN, of(context={"memory": 120})).after == {"a", "b"}
    assert replay_receipt(ReplayedQuestion(roomy), PLAIN, of(context={"memory": 4000})).after == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("ranking", "factor", "held", "now"),
    [
        ({"use_recency": False}, "recency", 1.05, 1.0),
        ({"recency_values": [2.0, 1.0, 0.5, 0.2]}, "recency", 0.97, 0.5),
        ({"use_provenance": False}, "provenance", 0.6, 1.0),
        ({"provenance": [0.1, 0.5, 1.0]}, "provenance", 0.8, 0.5),
        ({"frequency_bonus": 1.5}, "frequency", 1.1, 1.5),
        ({"use_confidence": False}, "confidence_effective", 0.51, 1.0),
    ],
)
def test_a_factor_is_exchanged_where_its_value_tells_its_step(
    ranking: dict[str, object], factor: str, held: float, now: float
) -> None:
    new = of(ranking)
    assert build_factor_exchanges(RankingPolicy(), new.recall.ranking)[factor](held) == now
    assert list_unreplayable_changes(PLAIN, new) == []


def test_a_hyperbolic_recency_tells_the_age() -> None:
    hyperbolic = of({"recency_curve": "hyperbolic"})
    exchange = build_factor_exchanges(hyperbolic.recall.ranking, RankingPolicy())["recency"]
    assert [exchange(round(1 / (1 + 0.2 * days), 6)) for days in (3, 20, 60, 400)] == [1.05, 1.0, 0.97, 0.94]


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        ({}, {"recency_curve": "hyperbolic"}, ["ranking.recency_curve"]),
        ({}, {"recency_curve": "episode"}, ["ranking.recency_curve"]),
        ({}, {"recency_days": [1, 2, 3]}, ["ranking.recency_days"]),
        ({"use_recency": False}, {}, ["ranking.use_recency"]),
        ({}, {"validation_values": [1, 0.9, 0.8, 0.7]}, ["ranking.validation_values"]),
        ({}, {"frequency_injected": 9}, ["ranking.frequency_injected"]),
        ({"provenance": [0.5, 0.5, 1.0]}, {}, ["ranking.provenance"]),
        ({}, {"say_once": False}, ["ranking.say_once"]),
    ],
)
def test_what_no_receipt_tells_is_named(before: dict[str, object], after: dict[str, object], fields: list[str]) -> None:
    assert list_unreplayable_changes(of(before), of(after)) == fields


def test_other_sections_that_no_receipt_tells_are_named() -> None:
    new = of(scoring={"keyword_own": 1}, context={"total": 3000, "memory": 900}, recall={"top_k": 3})
    assert list_unreplayable_changes(PLAIN, new) == ["scoring.keyword_own", "context.total", "recall.top_k"]


def test_only_snapshots_that_stood_for_choice_are_taken_from_a_receipt() -> None:
    explain = {"semantic": 0.5, "reranked": None, "factors": HELD}
    row = {"memory_id": "a", "lane": "snapshots", "explain": explain, "tokens": 9, "decision_reason": "kept"}
    candidates = [
        row,
        {**row, "memory_id": "b", "decision_reason": "over_budget", "explain": {**explain, "reranked": 0.9}},
        {**row, "memory_id": "c", "decision_reason": "duplicate_of_window"},
        {**row, "memory_id": "d", "lane": "tags"},
        {**row, "memory_id": "e", "explain": None},
    ]
    assert [(one.id, one.near, one.taken) for one in list_replayed_candidates(candidates)] == [
        ("a", 0.5, True),
        ("b", 0.9, False),
    ]


def test_the_room_is_the_slot_where_the_receipt_agrees_with_it() -> None:
    rows = [
        make_candidate("a", 0.80, 100, recency=1.05),
        make_candidate("b", 0.85, 56, recency=0.94, taken=False),
        make_candidate("c", 0.86, 40, recency=0.90),
        make_candidate("d", 0.84, 50, recency=0.90, taken=False),
    ]
    slot, other = of(context={"memory": 200}), of({"use_recency": False}, context={"memory": 200})
    assert replay_receipt(ReplayedQuestion(rows, beside=45), slot, other).after == frozenset(
        "cbd"
    )  # 146 tokens; 140 were used, of 155
    assert replay_receipt(ReplayedQuestion(rows, beside=45), slot, slot).reproduced
    assert replay_receipt(ReplayedQuestion(rows, beside=90), slot, other).after == frozenset(
        "cb"
    )  # the slot cannot have been the room


def test_what_stands_beside_the_snapshots_is_the_rest_of_their_section() -> None:
    rows = [make_candidate("a", 1.0, 100), make_candidate("b", 0.9, 90, taken=False)]
    assert count_other_tokens([{"name": "memory", "tokens": 130}, {"name": "profile", "tokens": 9}], rows) == 30
    assert count_other_tokens([], rows) == 0
