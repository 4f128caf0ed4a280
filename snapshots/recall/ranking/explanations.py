"""Why a memory stands where it does: made while ranking, and rendered for answers."""

from collections.abc import Iterator, Sequence
from itertools import repeat, starmap
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.keyword_terms import shared_words
from memory_platform.kernel.text import detect_language
from snapshots.embedding.index_row_packing import Float32
from snapshots.embedding.indexed_text import render_spoken_date
from snapshots.recall.ranking.memory_relevance import JudgedMemories
from snapshots.recall.ranking.memory_scores import MemoryScores
from snapshots.recall.ranking.score_factors import DIGITS, RankedRows
from snapshots.recall.values import Explanation, RecalledMemory
from snapshots.receipts.candidate_packing import name_explanation_values

KEYWORD_VIEWS = ("own", "window")
DENSE_VIEWS = ("own", "continued")

Mask = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]


def explain_hits(scores: MemoryScores, judged: JudgedMemories, alive: Mask, best: RankedRows) -> Iterator[Explanation]:
    """Yield an Explain per row of ``best``; ranks count among the memories that may answer."""
    rows = best.rows
    dense = _make_lane_hits(DENSE_VIEWS, scores.dense, np.stack([alive & scores.dense_held] * 2), rows)
    keyword = _make_lane_hits(KEYWORD_VIEWS, scores.keyword, alive & (scores.keyword > 0), rows)
    parts = np.stack((scores.fused, scores.smoothed, scores.conversation, scores.preferred))[:, rows]
    numbers = (
        *_round_numbers(parts),
        best.near.tolist(),
        repeat(None),
        *best.weights.tolist(),
        *judged.list_parts(rows),
    )
    return starmap(Explanation, zip(*dense, *keyword, *numbers, strict=False))  # repeat() has no end


def _make_lane_hits(views: tuple[str, str], scores: Float32, members: Mask, rows: Int64) -> tuple[Sequence[Any], ...]:
    """Return each row's rank, score and view in the view that ranks it higher; rank None where neither found it."""
    places = np.stack([_rank_rows_of_view(*view, rows) for view in zip(scores, members, strict=True)])
    better = places.argmin(axis=0)
    best, most = places.min(axis=0).tolist(), scores.shape[1]
    ranks = [rank if rank <= most else None for rank in best]
    return ranks, _round_numbers(scores[better, rows]), [views[view] for view in better.tolist()]


def _round_numbers(numbers: Float32) -> list[Any]:
    return np.asarray(numbers, np.float64).round(DIGITS).tolist()  # type: ignore[no-any-return]  # as deep as the array


def _rank_rows_of_view(scores: Float32, members: Mask, rows: Int64) -> Int64:
    """Return the rank of each row among the members of one view; a rank after all others for a row that is not a
    member."""
    ordered = np.sort(scores[members])
    ranks = 1 + len(ordered) - np.searchsorted(ordered, scores[rows], side="right")
    return np.where(members[rows], ranks, len(scores) + 1)


def render_explanation(why: Explanation, question: str, memory: RecalledMemory) -> dict[str, Any]:
    """Return the fields of ``why`` as plain values for an answer; a lane that did not find the memory is None.

    ``keyword.words`` are the words that question and memory share. They are missing where the memory was found by its
    neighbours' words, or by words near in meaning.
    """
    shown = name_explanation_values(why)
    words = list_matched_words(question, memory) if shown["keyword"] is not None else []
    if words:
        shown["keyword"]["words"] = words
    return shown


def list_matched_words(question: str, memory: RecalledMemory) -> list[str]:
    """Return the words of ``question`` that stand in a memory, its speaker, date, topics or aliases, each once."""
    date = render_spoken_date(memory.said_locally, detect_language(memory.text))
    held = (memory.text, memory.name or "", date, memory.category or "", *memory.topics, *memory.aliases)
    return shared_words(question, " ".join(held))
