"""Several wordings of one question ranked as one: each orders the same image, and the orders are fused.

Scores of two questions cannot be compared, ranks can: reciprocal rank fusion (Cormack et al., SIGIR 2009), in which the
question's own words weigh most. Factors and deduplication follow as for any question.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from snapshots.embedding.rows import Float32
from snapshots.recall.images.columns import Float64
from snapshots.recall.images.image import Image
from snapshots.recall.policy import REWRITE_POLICY, RecallPolicy, RewritePolicy
from snapshots.recall.question import Wording, asked_at
from snapshots.recall.ranking.explained import explain
from snapshots.recall.ranking.factors import DIGITS, Ranked
from snapshots.recall.ranking.pipeline import Mask, Scored, passing_rows, told_apart
from snapshots.recall.ranking.relevance import Judged
from snapshots.recall.ranking.scoring import Scores, score_memories
from snapshots.recall.values import Explain, RankedHit, RecallQuery


def rank_wordings(
    query: RecallQuery,
    own: Scored,
    others: Sequence[Wording],
    image: Image,
    policy: RecallPolicy,
    rewriting: RewritePolicy = REWRITE_POLICY,
) -> list[RankedHit]:
    """Return the best ``query.top_k`` memories for the question's ``own`` words and its other wordings.

    ``explain.fused`` holds the fused ranks; the rest of an explanation is that of the wording that ranks the memory
    highest. The best memory of the fused order gets the relevance of the best by the own words, and so on down.
    """
    others_scored = (
        score_memories(image, asked_at(one.probe, one.text, query.read_at), policy.scoring) for one in others
    )
    scored = [own.scores, *others_scored]
    alive = own.held & passing_rows(image.columns, query)
    ranks = np.stack([ranks_of(scores.fused, alive & scores.found) for scores in scored])
    weights = np.ones(len(scored))
    weights[0] = rewriting.own_words
    fused = np.asarray(weights @ (1 / (rewriting.rank_k + ranks)), np.float32)
    found = np.asarray(np.isfinite(ranks).any(axis=0), np.bool_)
    best, _ = told_apart(fused, in_order_of(own.judged.standing, fused), found, query, image, policy)
    relevance = in_order_of(own.judged.near, fused)[best.rows].round(DIGITS).tolist()
    why = _explained(scored, own.judged, ranks, fused, alive, best) if query.explain else [None] * len(best.rows)
    ids = map(image.id, best.rows.tolist())
    return list(map(RankedHit, ids, best.final.tolist(), best.near.tolist(), why, relevance))


def in_order_of(near: Float64, fused: Float32) -> Float64:
    """Return the numbers of ``near`` in the order of ``fused``: its best memory gets the greatest."""
    ordered = np.empty_like(near)
    ordered[np.argsort(-fused, kind="stable")] = np.sort(near)[::-1]
    return ordered


def ranks_of(scores: Float32, members: Mask) -> Float64:
    """Return the rank of each member by its score, from 1, equals sharing theirs; infinite for others."""
    ranks = np.full(len(scores), np.inf)
    found = -scores[members]
    ranks[members] = 1 + np.searchsorted(np.sort(found), found)
    return ranks


def _explained(
    scored: Sequence[Scores], judged: Judged, ranks: Float64, fused: Float32, alive: Mask, best: Ranked
) -> Iterator[Explain]:
    """Yield an Explain per row of ``best``, by the wording that ranks it highest; of several the first."""
    asked = Judged(judged.near, judged.standing, judged.need, judged.is_named)  # the rest is of the own words' order
    views = [list(explain(replace(scores, fused=fused), asked, alive, best)) for scores in scored]
    highest = ranks[:, best.rows].argmin(axis=0).tolist()
    return (views[wording][place] for place, wording in enumerate(highest))
