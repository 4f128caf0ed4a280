"""Weights of a search of documents are tried on questions with and without an answer. Rows: K3, D4."""

import numpy as np

from lab.teaching.documents.search_weights import ScoredQuestion, try_fusion, try_relevance
from snapshots.knowledge.search.chunk_candidates import LaneScores


def score(coverage: list[float], right: set[int]) -> ScoredQuestion:
    """Return a question whose pieces 7, 8 and on have these scores by words, and the opposite order by meaning."""
    held = np.array(coverage)
    return ScoredQuestion(range(7, 7 + len(held)), LaneScores(held, held, held[::-1] / 2), right)


def test_a_limit_that_lets_answers_pass_says_how_many_others_pass() -> None:
    lines = list(
        try_relevance([score([0.8, 0.1], {7}), score([0.6, 0.0], {7})], [score([0.7], set()), score([0], set())])
    )
    assert lines[0].startswith("  cosine 0.3: ")
    assert lines[0].endswith("1.00 from 0.420 on, and 1 of 2 others")


def test_weights_of_the_lanes_move_what_is_found() -> None:
    far = score([1.0, *[0.9] * 9, 0.0], {17})
    lines = list(try_fusion([far], is_chinese=False))
    assert len(lines) == 18
    assert "hit@5 0.000" in lines[0]
    assert all("hit@5 1.000" in line for line in try_fusion([score([1.0, 0.2], {7})], is_chinese=False))
