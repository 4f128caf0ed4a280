"""Lanes alone and simple rankings, each on memories whose order is known. Rows: D4, R2."""

from dataclasses import replace

from lab.evaluation.ranking.ablation import disable_optimisations
from lab.evaluation.ranking.inputs import LoadedSubject
from lab.evaluation.ranking.rankers import (
    DENSE,
    KEYWORD,
    Ranker,
    make_lane_ranker,
    make_own_vectors_policy,
    make_own_words_policy,
    make_policy_ranker,
    rank_most_recent,
)
from lab.evaluation.ranking.runner import AskingPlan, ask_all, mean_figures
from snapshots.recall.config import DEFAULT_RECALL
from tests.lab.evaluation.memories import subject

TURNS = [
    "I planted tomatoes on the balcony.",
    "They need a lot of water in August.",
    "My cousin plays the cello in Ghent.",
    "我昨天去了植物园。",
]


def lin(*, dense: bool = True) -> LoadedSubject:
    return subject("lin", TURNS, {"Which tomatoes were planted?": [0], "Who plays the cello?": [2]}, dense=dense)


def order(rank: Ranker, of: LoadedSubject, question: int = 0, top_k: int = 10) -> list[int] | None:
    found = rank(of, of.questions[question], top_k)
    return None if found is None else [TURNS.index(of.memories[memory].text) for memory in found]


def test_the_product_ranks_with_the_policy_it_is_given() -> None:
    fused = order(make_policy_ranker(DEFAULT_RECALL), lin())
    assert fused is not None
    assert fused[0] == 0

    plain = order(make_policy_ranker(make_own_words_policy(DEFAULT_RECALL)), lin(dense=False))
    assert plain is not None
    assert plain[0] == 0
    assert plain != fused


def test_keywords_alone_find_nothing_that_shares_no_word() -> None:
    found = order(make_lane_ranker(DEFAULT_RECALL, KEYWORD), lin())
    assert found is not None
    assert found[0] == 0
    assert 3 not in found  # its window holds the cello, not the tomatoes


def test_a_lane_without_a_model_is_silent() -> None:
    assert order(make_lane_ranker(DEFAULT_RECALL, DENSE), lin(dense=False)) is None
    assert ask_all([lin(dense=False)], make_lane_ranker(DEFAULT_RECALL, DENSE), AskingPlan()) == []
    assert mean_figures([]) == {}


def test_a_lane_whose_model_finds_nothing_near_has_found_nothing() -> None:
    asked = subject("lin", TURNS, {"Zebra?": [0]})
    floors = tuple((space.name, 0.99) for space in asked.index.spaces)
    far = make_lane_ranker(
        replace(DEFAULT_RECALL, scoring=replace(DEFAULT_RECALL.scoring, cosine_floors=floors)), DENSE
    )

    assert order(far, asked) == []
    assert ask_all([asked], far, AskingPlan())[0].figures["recall@10"] == 0


def test_keywords_that_match_nothing_are_an_answer_all_the_same() -> None:
    nobody = subject("lin", TURNS, {"Zebra?": [0]})

    assert order(make_lane_ranker(DEFAULT_RECALL, KEYWORD), nobody) == []
    assert ask_all([nobody], make_lane_ranker(DEFAULT_RECALL, KEYWORD), AskingPlan())[0].figures["recall@10"] == 0


def test_nearness_alone_compares_every_memory_with_a_vector() -> None:
    found = order(make_policy_ranker(make_own_vectors_policy(DEFAULT_RECALL)), lin())
    assert found is not None
    assert sorted(found) == [0, 1, 2, 3]


def test_the_most_recent_comes_first_whatever_is_asked() -> None:
    assert order(rank_most_recent, lin(), top_k=3) == [3, 2, 1]


def test_a_bare_policy_keeps_what_is_left_to_it() -> None:
    assert disable_optimisations(DEFAULT_RECALL, named_speaker=0.25).scoring.named_speaker == 0.25
    assert disable_optimisations(DEFAULT_RECALL).scoring.keyword_window == 0
    assert not disable_optimisations(DEFAULT_RECALL).ranking.use_recency


def test_the_figures_of_an_answer_follow_its_order() -> None:
    first, second = ask_all([lin()], rank_most_recent, AskingPlan(top_k=10, budgets=(9, 100)))

    assert (second.figures["mrr"], second.figures["hit@5"]) == (1 / 2, 1)  # turn 2 stands behind turn 3
    assert first.figures["mrr"] == 1 / 4
    assert (first.category, second.category) == ("0", "1")
    assert first.figures["coverage@9"] == 0
    assert first.figures["coverage@100"] == 1
