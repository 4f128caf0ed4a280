"""Recall over one image, one page of named stages: score, keep what is alive, rank, say once, explain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat, starmap
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_platform.observability.metrics import SIMILARITY
from snapshots.embedding.rows import Float32
from snapshots.recall.filtering.grammar import Condition
from snapshots.recall.filtering.matching import Matcher
from snapshots.recall.images.columns import Columns, Float64
from snapshots.recall.images.image import Image
from snapshots.recall.policy import RankingPolicy, RecallPolicy
from snapshots.recall.ranking.factors import DIGITS, blend_episode, factors
from snapshots.recall.ranking.left_out import left_out
from snapshots.recall.ranking.probe import Probe
from snapshots.recall.ranking.relevance import Judged, judge_statements, relevant_rows
from snapshots.recall.ranking.repeats import first_sayings
from snapshots.recall.ranking.scoring import Scores, score_memories
from snapshots.recall.values import KINDS, Explain, RankedHit, RecallQuery

KEYWORD_VIEWS = ("own", "window")
DENSE_VIEWS = ("own", "continued")

Mask = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scored:
    """What a question makes of one image before anything is left out: scores, which rows are held at the moments that
    it asks for, and how probably each helps."""

    scores: Scores
    held: Mask
    judged: Judged


@dataclass(frozen=True, slots=True)
class Ranked:
    """Rows in an order: what they are ranked by, shape (k,), its factors, shape (4, k), and the products, (k,)."""

    rows: Int64
    near: Float64
    weights: Float64
    final: Float64

    def only(self, places: Int64) -> "Ranked":
        """Return what stands at ``places``, in their order."""
        return Ranked(self.rows[places], self.near[places], self.weights[:, places], self.final[places])


def rank_memories(query: RecallQuery, probe: Probe, image: Image, policy: RecallPolicy) -> list[RankedHit]:
    """Return the best ``query.top_k`` memories of ``image``, best first; ids and numbers, no text.

    ``probe`` knows the times that the question names (:func:`snapshots.recall.ranking.probe.asked_at`).

    After them come those left out, as far as ``query.left_out`` asks for them. Raises nothing on any text: a question
    that matches nothing gives an empty list.
    """
    return rank_judged(query, judge_memories(query, probe, image, policy), image, policy)


def judge_memories(query: RecallQuery, probe: Probe, image: Image, policy: RecallPolicy) -> Scored:
    """Return the scores of all memories of ``image`` and how probably each that is held helps, whatever the filters of
    ``query`` let through: no filter changes the number of what passes it."""
    scores = score_memories(image, probe, policy.scoring)
    held = held_rows(image.columns, query, skew=policy.clock_skew_seconds)
    return Scored(scores, held, judge_statements(image, held, scores, probe))


def rank_judged(query: RecallQuery, scored: Scored, image: Image, policy: RecallPolicy) -> list[RankedHit]:
    """Return the best of what was judged: see :func:`rank_memories`."""
    scores, judged = scored.scores, scored.judged
    may_answer = scored.held & passing_rows(image.columns, query)
    alive = may_answer if query.whole else may_answer & scores.found
    note_similarity(scores, alive)
    alive &= relevant_rows(judged.near, scores.keyword[0], query, image)
    near = judged.near if query.by_relevance else judged.standing
    best, said_again = told_apart(scores.fused, near, alive, query, image, policy)
    hits = hits_of(best, scores, judged, alive, query, image)
    return [*hits, *left_out(query, image, scores, may_answer, said_again)] if query.left_out else hits


def hits_of(
    best: Ranked, scores: Scores, judged: Judged, alive: Mask, query: RecallQuery, image: Image
) -> list[RankedHit]:
    """Return the rows of ``best`` as hits, explained where ``query`` asks for it."""
    why = explain(scores, judged, alive, best) if query.explain else repeat(None)
    ids = map(image.id, best.rows.tolist())
    relevance = judged.near[best.rows].round(DIGITS).tolist()
    return list(map(RankedHit, ids, best.final.tolist(), best.near.tolist(), why, relevance))


def best_sayings(
    fused: Float32, near: Float64, alive: Mask, query: RecallQuery, image: Image, policy: RecallPolicy
) -> Ranked:
    """Return the best ``query.top_k`` memories that repeat none before them."""
    return told_apart(fused, near, alive, query, image, policy)[0]


def told_apart(
    fused: Float32, near: Float64, alive: Mask, query: RecallQuery, image: Image, policy: RecallPolicy
) -> tuple[Ranked, Int64]:
    """Return the best ``query.top_k`` memories that repeat none before them, and the rows of those that do.

    Candidates are taken by ``fused``, and ranked by ``near``, a share of one.
    """
    candidates = best_candidates(fused, alive, query.top_k, image.columns, policy)
    ranked = rank_rows(near, candidates, query, image.columns, policy.ranking)
    first = first_sayings(image.columns, ranked.rows, policy.ranking)
    return ranked.only(np.flatnonzero(first)[: query.top_k]), ranked.rows[~first]


def best_candidates(fused: Float32, alive: Mask, top_k: int, columns: Columns, policy: RecallPolicy) -> Int64:
    """Return the best rows, best first: as many as the policy takes, and more where they say too few things.

    They hold ``2 * top_k`` sayings that differ, or all that there are.
    """
    depth = max(policy.lane_depth, 2 * top_k)
    rows = best_rows(fused, alive, depth)
    if len(rows) == depth and first_sayings(columns, rows, policy.ranking).sum() < 2 * top_k:
        rows = best_rows(fused, alive, len(fused))
        said = first_sayings(columns, rows, policy.ranking).cumsum()
        rows = rows[: max(depth, int(np.searchsorted(said, 2 * top_k)) + 1)]
    return rows


def rank_rows(near: Float64, rows: Int64, query: RecallQuery, columns: Columns, policy: RankingPolicy) -> Ranked:
    """Return ``rows`` in the order of ``near`` times their factors; of equals the first given stays first."""
    near = blend_episode(near[rows], columns, rows, query.at, policy).round(DIGITS)
    weights = factors(columns, rows, query.at, policy).round(DIGITS)
    final = near * weights.prod(axis=0)
    return Ranked(rows, near, weights, final).only(np.argsort(-final, kind="stable"))


def alive_rows(columns: Columns, query: RecallQuery, *, skew: float) -> Mask:
    """Return which rows may answer: those that are held, and pass the filters."""
    return held_rows(columns, query, skew=skew) & passing_rows(columns, query)


def held_rows(columns: Columns, query: RecallQuery, *, skew: float) -> Mask:
    """Return which rows are known and valid at the moments asked for, and not expired.

    ``skew`` (seconds) lets a product's clock, and those of our own machines, run ahead of this process's: what was said
    or replaced "just now" is not yet to come.
    """
    at = query.at.timestamp() + (0 if query.as_of else skew)
    known = query.known_at.timestamp() if query.known_at else np.inf
    starts = np.where(np.isfinite(columns.valid_at), columns.valid_at, -np.inf)
    alive = (starts <= at) & (at < columns.invalid_at)
    alive &= columns.expires_at > query.asked_at.timestamp()
    return alive & (columns.created_at <= known) & ((columns.retired_at > known) | np.isposinf(columns.retired_at))


def holds_any(columns: Columns, query: RecallQuery, policy: RecallPolicy) -> bool:
    """Return whether any row is held at the moments asked for."""
    return bool(held_rows(columns, query, skew=policy.clock_skew_seconds).any())


def passing_rows(columns: Columns, query: RecallQuery) -> Mask:
    """Return which rows pass the filters of ``query``: time range, kinds, topics, and its own."""
    alive = np.ones(len(columns.kind), np.bool_)
    if query.since or query.until:
        alive &= _said_between(columns, query.since, query.until)
    if query.kinds:
        alive &= np.isin(columns.kind, [KINDS.index(kind) for kind in KINDS if kind in query.kinds])
    if query.topics:
        alive &= Matcher(columns.held).rows(Condition("topics", "in", tuple(query.topics)))
    if query.filter is not None:
        alive &= Matcher(columns.held).rows(query.filter)
    return alive


def note_similarity(scores: Scores, alive: Mask) -> None:
    """Put the best cosine among the memories that may answer into the metrics; nothing where none has a vector."""
    near = scores.dense[0][alive & scores.dense_held]
    if near.size:
        SIMILARITY.observe(float(near.max()))


def best_rows(scores: Float32, alive: Mask, limit: int) -> Int64:
    """Return the row numbers of the best ``limit`` alive memories, best first; among equals the newer row first."""
    rows = np.flatnonzero(alive)
    if len(rows) > limit:
        found = scores[rows]
        least = np.partition(found, -limit)[-limit]
        better, equal = rows[found > least], rows[found == least]
        rows = np.concatenate([better, equal[len(better) - limit :]])
    return rows[np.lexsort((-rows, -scores[rows]))]


def explain(scores: Scores, judged: Judged, alive: Mask, best: Ranked) -> Iterator[Explain]:
    """Yield an Explain per row of ``best``; ranks count among the memories that may answer."""
    rows = best.rows
    dense = _lane_hits(DENSE_VIEWS, scores.dense, np.stack([alive & scores.dense_held] * 2), rows)
    keyword = _lane_hits(KEYWORD_VIEWS, scores.keyword, alive & (scores.keyword > 0), rows)
    parts = np.stack((scores.fused, scores.smoothed, scores.conversation, scores.preferred))[:, rows]
    numbers = (*_rounded(parts), best.near.tolist(), repeat(None), *best.weights.tolist(), *judged.parts(rows))
    return starmap(Explain, zip(*dense, *keyword, *numbers, strict=False))  # repeat() has no end


def _lane_hits(views: tuple[str, str], scores: Float32, members: Mask, rows: Int64) -> tuple[Sequence[Any], ...]:
    """Return each row's rank, score and view in the view of a lane that ranks it higher; no rank where neither found
    it."""
    places = np.stack([_ranks(*view, rows) for view in zip(scores, members, strict=True)])
    better = places.argmin(axis=0)
    best, most = places.min(axis=0).tolist(), scores.shape[1]
    ranks = [rank if rank <= most else None for rank in best]
    return ranks, _rounded(scores[better, rows]), [views[view] for view in better.tolist()]


def _rounded(numbers: Float32) -> list[Any]:
    return np.asarray(numbers, np.float64).round(DIGITS).tolist()  # type: ignore[no-any-return]  # as deep as the array


def _ranks(scores: Float32, members: Mask, rows: Int64) -> Int64:
    """Return the rank of each row among the members of one view; beyond all ranks for a row that is none."""
    ordered = np.sort(scores[members])
    ranks = 1 + len(ordered) - np.searchsorted(ordered, scores[rows], side="right")
    return np.where(members[rows], ranks, len(scores) + 1)


def _said_between(columns: Columns, since: datetime | None, until: datetime | None) -> Mask:
    said = columns.said_at
    after = said >= (since.timestamp() if since else -np.inf)
    return after & (said <= (until.timestamp() if until else np.inf))
