"""Each figure against a value worked out by hand. Rows: D4."""

import math

import pytest

from lab.evaluation.ranking.evidence_overlap import (
    EvidenceNeed,
    build_evidence_need,
    estimate_tokens,
    list_pieces,
    split_into_units,
)
from lab.evaluation.ranking.metrics import (
    all_at,
    coverage_within,
    hit_at,
    ndcg_at,
    recall_at,
    reciprocal_rank,
)

NOTHING: frozenset[int] = frozenset()
# Of four wanted turns the second memory brings one, the third the same again, the fourth two, the sixth the last.
BROUGHT = [NOTHING, {0}, {0}, {1, 2}, NOTHING, {3}]


def test_recall_counts_each_turn_once() -> None:
    assert [recall_at(BROUGHT, 4, k) for k in (1, 2, 3, 4, 6, 50)] == [0, 0.25, 0.25, 0.75, 1, 1]


def test_a_hit_needs_one_turn() -> None:
    assert [hit_at(BROUGHT, k) for k in (1, 2, 50)] == [0, 1, 1]


def test_all_evidence_needs_every_turn() -> None:
    assert [all_at(BROUGHT, 4, k) for k in (4, 5, 6)] == [0, 0, 1]


def test_the_reciprocal_rank_is_that_of_the_first_find() -> None:
    assert reciprocal_rank(BROUGHT) == 1 / 2
    assert reciprocal_rank([NOTHING, NOTHING]) == 0


def test_a_gain_is_discounted_by_its_rank_and_counts_once() -> None:
    gained = 1 / math.log2(3) + 1 / math.log2(5) + 1 / math.log2(7)  # ranks 2, 4 and 6; rank 3 brings nothing new
    best = 1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert ndcg_at(BROUGHT, 4, 10) == pytest.approx(gained / best)
    assert ndcg_at(BROUGHT, 4, 1) == 0


def test_the_best_order_gains_one() -> None:
    assert ndcg_at([{0}, {1}], 2, 10) == 1
    assert ndcg_at([{i} for i in range(20)], 20, 10) == pytest.approx(1)


def test_an_empty_answer_has_no_figures_above_zero() -> None:
    assert [recall_at([], 2, 5), hit_at([], 5), all_at([], 2, 5), reciprocal_rank([]), ndcg_at([], 2, 10)] == [0] * 5


def test_units_are_words_and_single_characters() -> None:
    assert split_into_units("Don’t go, 我爱NYC 2!") == ["don't", "go", "我", "爱", "nyc", "2"]


def test_words_cost_more_than_characters() -> None:
    assert estimate_tokens("one two three") == 4  # 3.9
    assert estimate_tokens("我爱 you") == 4  # 2 + 1.3
    assert estimate_tokens("") == 0


def test_sixty_percent_of_the_runs_make_a_turn_present() -> None:
    turn = build_evidence_need("a b c d e f g")  # five runs of three
    assert [turn.is_met(held) for held in (2, 3)] == [False, True]


def test_a_short_turn_wants_all_its_words() -> None:
    turn = build_evidence_need("Yes, yes!")
    assert turn.pieces == (("yes",),)
    assert [turn.is_met(held) for held in (0, 1)] == [False, True]


def test_a_text_offers_its_words_and_its_runs() -> None:
    assert list_pieces("a b c") == {("a",), ("b",), ("c",), ("a", "b", "c")}


def test_coverage_ends_with_the_first_memory_that_does_not_fit() -> None:
    wanted = [EvidenceNeed((("a",), ("b",)), 1.0), EvidenceNeed((("c",),), 1.0)]
    occurring = [[0b01, 0], [0b10, 0], [0, 1]]  # the first turn is spread over two memories
    found = coverage_within([9, 20, 29, 30], tokens=[10, 10, 10], occurring=occurring, needs=wanted)
    assert found == {9: 0, 20: 0.5, 29: 0.5, 30: 1}


def test_a_large_memory_at_the_head_hides_what_follows() -> None:
    found = coverage_within([20], tokens=[21, 1], occurring=[[0], [1]], needs=[EvidenceNeed((("a",),), 1.0)])
    assert found == {20: 0}
