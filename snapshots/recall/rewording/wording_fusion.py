"""Several wordings of one question ranked as one: each orders the same index, and the orders are fused.

Scores of two questions cannot be compared, ranks can: reciprocal rank fusion (Cormack et al., SIGIR 2009), in which the
question's own words weigh most. Factors and deduplication follow as for any question.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np

from snapshots.embedding.index_row_packing import Float32
from snapshots.recall.config import REWRITE_CONFIG, RecallPolicy, RewriteConfig
from snapshots.recall.memory_indexes.index_columns import Float64
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import OtherWording, resolve_probe_times
from snapshots.recall.ranking.explanations import explain_hits
from snapshots.recall.ranking.memory_ranking import Mask, ScoredIndex, deduplicate_best, find_filtered_rows, make_hits
from snapshots.recall.ranking.memory_relevance import JudgedMemories
from snapshots.recall.ranking.memory_scores import MemoryScores, score_memories
from snapshots.recall.ranking.score_factors import RankedRows
from snapshots.recall.values import Explanation, RankedHit, RecallQuery


def rank_wordings(
    query: RecallQuery,
    own: ScoredIndex,
    others: Sequence[OtherWording],
    index: MemoryIndex,
    policy: RecallPolicy,
    rewriting: RewriteConfig = REWRITE_CONFIG,
) -> list[RankedHit]:
    """Return the best ``query.top_k`` memories for the question's ``own`` words and its other wordings.

    ``explain.fused`` holds the fused ranks; the rest of an explanation is that of the wording that ranks the memory
    highest. The best memory of the fused order gets the relevance of the best by the own words, and so on down.
    """
    others_scored = (
        score_memories(index, resolve_probe_times(one.probe, one.text, query.read_at), policy.scoring) for one in others
    )
    scored = [own.scores, *others_scored]
    alive = own.valid_rows & find_filtered_rows(index.columns, query)
    ranks = np.stack([rank_members(scores.fused, alive & scores.matches) for scores in scored])
    weights = np.ones(len(scored))
    weights[0] = rewriting.own_words
    fused = np.asarray(weights @ (1 / (rewriting.rank_k + ranks)), np.float32)
    found = np.asarray(np.isfinite(ranks).any(axis=0), np.bool_)
    best, _ = deduplicate_best(fused, reassign_in_order(own.judged.standing, fused), found, query, index, policy)
    why = _explain_by_best_wording(scored, own.judged, ranks, fused, alive, best) if query.explain else repeat(None)
    return make_hits(best, index, reassign_in_order(own.judged.near, fused), why)


def reassign_in_order(near: Float64, fused: Float32) -> Float64:
    """Return the numbers of ``near`` in the order of ``fused``: its best memory gets the greatest."""
    ordered = np.empty_like(near)
    ordered[np.argsort(-fused, kind="stable")] = np.sort(near)[::-1]
    return ordered


def rank_members(scores: Float32, members: Mask) -> Float64:
    """Return the rank of each member by its score, from 1, equals sharing theirs; infinite for others."""
    ranks = np.full(len(scores), np.inf)
    found = -scores[members]
    ranks[members] = 1 + np.searchsorted(np.sort(found), found)
    return ranks


def _explain_by_best_wording(
    scored: Sequence[MemoryScores],
    judged: JudgedMemories,
    ranks: Float64,
    fused: Float32,
    alive: Mask,
    best: RankedRows,
) -> Iterator[Explanation]:
    """Yield an Explain per row of ``best``, by the wording that ranks it highest; of several the first."""
    asked = JudgedMemories(
        judged.near, judged.standing, judged.need, judged.is_named
    )  # the rest is of the own words' order
    views = [list(explain_hits(replace(scores, fused=fused), asked, alive, best)) for scores in scored]
    highest = ranks[:, best.rows].argmin(axis=0).tolist()
    return (views[wording][place] for place, wording in enumerate(highest))
