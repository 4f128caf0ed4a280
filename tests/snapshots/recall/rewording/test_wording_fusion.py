"""Several wordings of one question, ranked as one: whose order counts how much, and why. Rows: R5, R7."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from snapshots.recall.config import DEFAULT_RECALL, RewriteConfig
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import OtherWording
from snapshots.recall.ranking.memory_ranking import score_all_rows
from snapshots.recall.rewording.wording_fusion import rank_members, rank_wordings
from snapshots.recall.values import RankedHit, RecallQuery
from tests.snapshots.recall.world import NOW, ask, id_of, index_of, memory, probe_of

CAT, SHOP, REX, TAX = "the cat sleeps on the sofa", "shop for cat food", "our puppy Rex is ill", "tax is due"
K = RewriteConfig().rank_k
PLAIN = replace(DEFAULT_RECALL, scoring=replace(DEFAULT_RECALL.scoring, longer=0.0))


def together(
    index: MemoryIndex, *texts: str, own_words: float = 2.0, top_k: int = 8, explain: bool = True
) -> list[RankedHit]:
    """Return what ``index`` answers to ``texts``, the first of which are the question's own words; without vectors."""
    query = RecallQuery(text=texts[0], asked_at=NOW, top_k=top_k, explain=explain)
    own, *others = [OtherWording(text, probe_of(text, dense=False)) for text in texts]
    judged = score_all_rows(query, own.probe, index, PLAIN)
    return rank_wordings(query, judged, others, index, PLAIN, RewriteConfig(own_words=own_words))


def ids(hits: list[RankedHit]) -> list[object]:
    return [hit.id for hit in hits]


def test_ranks_count_from_one_equals_share_theirs_and_others_have_none() -> None:
    scores = np.array([3, 9, 3, 7, 1], np.float32)
    members = np.array([True, False, True, True, True])
    assert rank_members(scores, members).tolist() == [2, np.inf, 2, 1, 4]


def test_the_own_words_weigh_most_and_every_wording_brings_its_own() -> None:
    index = index_of([memory(text) for text in (CAT, REX, TAX)])
    assert ids(together(index, "sofa", "Rex", "tax")) == [id_of(CAT), *ids(together(index, "", "Rex", "tax"))]
    assert ids(together(index, "sofa", "Rex", own_words=0.5)) == [id_of(REX), id_of(CAT)]
    assert set(ids(together(index, "sofa", "Rex", "tax"))) == {id_of(CAT), id_of(REX), id_of(TAX)}


def test_a_memory_that_all_wordings_find_beats_one_that_a_single_wording_likes_best() -> None:
    index = index_of([memory(text) for text in (CAT, SHOP, REX)])
    own, others = "cat on a sofa", ("cat food", "shop food")
    alone, found = ids(ask(own, index, PLAIN, dense=False)), ids(together(index, own, *others))
    assert alone == [id_of(CAT), id_of(SHOP)]
    assert found == [id_of(SHOP), id_of(CAT)]
    assert ids(together(index, own, *others, own_words=200)) == alone


def test_fused_is_the_sum_of_weighed_reciprocal_ranks_and_semantic_times_factors_is_the_score() -> None:
    aged = memory(REX, confidence=0.3, said_at=NOW - timedelta(days=200))
    index = index_of([memory(CAT), memory(SHOP), aged])
    hits, alone = together(index, "cat sofa", "shop food puppy"), ask("shop food puppy", index, PLAIN, dense=False)
    assert len(hits) == 3
    for hit in hits:
        assert hit.explain is not None
        assert hit.explain.semantic == hit.semantic
        assert hit.score == pytest.approx(hit.semantic * hit.explain.factors.product)
    fused = {hit.id: hit.explain.fused for hit in hits if hit.explain}
    other = ids(sorted(alone, key=lambda hit: -hit.explain.fused if hit.explain else 0))
    assert fused[id_of(CAT)] == pytest.approx(2 / (K + 1), rel=1e-5)
    assert fused[id_of(REX)] == pytest.approx(1 / (K + 1 + other.index(id_of(REX))), rel=1e-5)
    assert fused[id_of(SHOP)] == pytest.approx(2 / (K + 2) + 1 / (K + 1 + other.index(id_of(SHOP))), rel=1e-5)


def test_an_explanation_is_that_of_the_wording_which_ranks_the_memory_highest() -> None:
    index = index_of([memory(text) for text in (CAT, REX)])
    why = {hit.id: hit.explain for hit in together(index, "sofa", "puppy Rex")}
    rex = why[id_of(REX)]
    assert rex is not None
    assert rex.keyword is not None
    assert rex.keyword.rank == 1
    assert all(hit.explain is None for hit in together(index, "sofa", "puppy Rex", explain=False))


def test_what_two_wordings_find_in_two_memories_that_say_the_same_is_said_once() -> None:
    again = replace(memory(REX, said_at=NOW - timedelta(days=3)), id=id_of("again"))
    index = index_of([memory(REX), again, memory(CAT)])
    assert len(together(index, "puppy", "Rex", "ill")) == 1


def test_top_k_bounds_the_answer_and_an_empty_memory_answers_nothing() -> None:
    index = index_of([memory(f"cat number {i}") for i in range(9)])
    assert len(together(index, "cat", "number", top_k=3)) == 3
    assert together(index_of([]), "cat", "dog") == []
    assert together(index, "", "\u200b") == []
