"""Relevance of passages: a question whose best passage is doubtful has none. Rows: K3."""

import numpy as np
import pytest

from snapshots.knowledge.search.chunk_candidates import LaneScores
from snapshots.knowledge.search.config import ANSWER_LIMITS
from snapshots.knowledge.search.lane_fusion import estimate_relevance


def relate(coverage: list[float], cosine: list[float], *, is_chinese: bool) -> list[bool]:
    """Return whether each passage is relevant enough for an answer."""
    scores = LaneScores(np.zeros(len(coverage)), np.array(coverage), np.array(cosine))
    relevance = estimate_relevance(scores, is_chinese=is_chinese)
    return [one >= ANSWER_LIMITS.min_relevance for one in relevance.tolist()]


@pytest.mark.parametrize(("is_chinese", "scale"), [(False, 1.0), (True, 0.7)])
def test_a_passage_below_the_limit_of_the_best_stands_only_beside_a_better_one(is_chinese: bool, scale: float) -> None:
    weak, strong = 0.27 * scale, 0.45 * scale
    assert relate([weak], [weak], is_chinese=is_chinese) == [False]
    assert relate([weak, strong], [weak, strong], is_chinese=is_chinese) == [True, True]
    assert relate([0.1 * scale, strong], [0.1 * scale, strong], is_chinese=is_chinese) == [False, True]
