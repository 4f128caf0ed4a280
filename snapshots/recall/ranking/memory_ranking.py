"""Rank the memories of one index: score, filter, rank, deduplicate, explain. Reads ids and numbers, no text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import repeat
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.text import index_form
from memory_platform.observability.metrics import SIMILARITY
from snapshots.embedding.index_row_packing import Float32
from snapshots.embedding.near_duplicates import REPEATS_NOTHING
from snapshots.recall.config import DEFAULT_RECALL, RankingPolicy, RecallPolicy
from snapshots.recall.filtering.filter_grammar import Condition
from snapshots.recall.filtering.filter_matching import FilterMatcher
from snapshots.recall.memory_indexes.index_columns import Float64, IndexColumns
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import Probe
from snapshots.recall.ranking.explanations import explain_hits
from snapshots.recall.ranking.keyword_scores import find_named_rows
from snapshots.recall.ranking.memory_relevance import (
    JudgedMemories,
    judge_notes,
    judge_statements,
    raise_notes_to_message_relevance,
)
from snapshots.recall.ranking.memory_scores import MemoryScores, score_memories, score_said_in_time
from snapshots.recall.ranking.score_factors import DIGITS, RankedRows, rank_by_factors
from snapshots.recall.values import MEMORY_KINDS, Explanation, LeftOut, RankedHit, RecallQuery, WhyLeftOut
from snapshots.relevance.config import RELEVANCE

_SAID_EN = (
    r"(?:said|told|recommended|suggested|advised|promised|mentioned|proposed|gave|named|quoted|showed|sent|listed|found|"
    r"picked|booked|offered|explained|wrote|answered|reserved|ordered|calculated|looked up|came up with)"
)
_SAY_EN = (
    r"(?:say|tell|recommend|suggest|advise|promise|mention|propose|give|name|quote|show|send|list|find|pick|book|offer|"
    r"explain|write|answer|reserve|order|calculate|look up|come up with)"
)
_SAID_ZH = "(?:推荐|建议|说|提|讲|告诉|答应|承诺|保证|介绍|报|给|发|查|订|列|选|找|起|回答|算)"
_EARLIER_ZH = "(?:上次|上回|之前|先前|刚才|刚刚|昨天|前天|那天|以前|曾经|上周|早上|当时|不是|是不是|有没有)"
# Asks for what was said to the user before. "What do you recommend" does not match: it asks for something new.
# Questions in other words ("which shoes were it again") are read by `snapshots.relevance.question_needs_model`.
_ASKS = re.compile(
    rf"\byou (?:(?:had|have|just|also|once|already|then|previously|earlier|originally|kindly) ){{0,2}}{_SAID_EN}\b"
    rf"|\byou(?:'ve|'d) (?:just |already |once |also )?{_SAID_EN}\b"
    rf"|\b(?:did|didn't|didnt) you (?:\w+ )?{_SAY_EN}\b|\b(?:have|haven't|had|hadn't) you (?:\w+ )?{_SAID_EN}\b"
    r"|\byour (?:\w+ ){0,2}(?:recommendations?|suggestions?|advice|promises?|tips?|answers?|proposals?|reply|idea)\b"
    rf"|\b{_SAID_EN} by (?:you|the assistant)\b|\b(?:the )?assistant (?:had )?{_SAID_EN}\b"
    r"|\byou (?:were|was) (?:going|supposed|meant) to\b|\byou (?:promised|offered|agreed)\b"
    rf"|(?:你|您|助手).{{0,3}}{_EARLIER_ZH}.{{0,6}}{_SAID_ZH}|{_EARLIER_ZH}.{{0,4}}(?:你|您|助手).{{0,6}}{_SAID_ZH}"
    rf"|(?:你|您|助手).{{0,4}}{_SAID_ZH}.{{0,3}}(?:过|了|的(?!话))"
    r"|(?:你|您)的?(?:建议|推荐|承诺|回答|答复)是|(?:你|您)答应"
)


def asks_for_replies(question: str) -> bool:
    return _ASKS.search(index_form(question[: DEFAULT_RECALL.asking_chars])) is not None


Mask = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScoredIndex:
    """One index scored for a question: scores, which rows are held at its moments, and how probably each helps."""

    scores: MemoryScores
    valid_rows: Mask
    judged: JudgedMemories


def rank_memories(query: RecallQuery, probe: Probe, index: MemoryIndex, policy: RecallPolicy) -> list[RankedHit]:
    """Return the best ``query.top_k`` snapshots of ``index``, best first, then those that the answer leaves out.

    ``probe`` knows the times that the question names. Any text is accepted; no match gives an empty list.
    """
    return rank_scored_snapshots(query, score_all_rows(query, probe, index, policy), index, policy)


def score_all_rows(query: RecallQuery, probe: Probe, index: MemoryIndex, policy: RecallPolicy) -> ScoredIndex:
    """Return the scores of all memories; the filters of ``query`` change none of them."""
    held = find_valid_rows(index.columns, query, skew=policy.clock_skew_seconds)
    scores = score_memories(index, probe, policy.scoring)
    return ScoredIndex(scores, held, judge_statements(index, held, scores, probe))


def rank_scored_snapshots(
    query: RecallQuery, scored: ScoredIndex, index: MemoryIndex, policy: RecallPolicy
) -> list[RankedHit]:
    scores, judged = scored.scores, scored.judged
    may_answer = scored.valid_rows & find_filtered_rows(index.columns, query)
    alive = may_answer if query.whole else may_answer & scores.matches
    near = scores.dense[0][alive & scores.dense_held]
    if near.size:
        SIMILARITY.observe(float(near.max()))
    alive &= find_relevant_rows(judged.near, scores.keyword[0], query, index)
    by = judged.near if query.by_relevance else judged.standing
    best, said_again = deduplicate_best(scores.fused, by, alive, query, index, policy)
    hits = make_hits(
        best, index, judged.near, explain_hits(scores, judged, alive, best) if query.explain else repeat(None)
    )
    return [*hits, *list_left_out_memories(query, index, scores, may_answer, said_again)] if query.left_out else hits


def rank_notes_or_replies(
    query: RecallQuery,
    probe: Probe,
    index: MemoryIndex,
    policy: RecallPolicy,
    *,
    asks_reply: float | None = None,
    scored_statements: tuple[MemoryIndex, ScoredIndex] | None = None,
) -> list[RankedHit]:
    """Return the best ``query.notes_top_k`` notes, or replies, of an index of their own, by how probably they help.

    ``asks_reply``, for replies: how probably the question asks for one. ``scored_statements``, for notes: the index of
    the statements and their scores, because a note is as relevant as its message. ``query.kinds`` does not apply.
    """
    if not len(index.ids):
        return []
    top_k = query.top_k if query.notes_top_k is None else query.notes_top_k
    query = replace(query, kinds=frozenset(), top_k=top_k)
    scores = score_memories(index, probe, policy.scoring)
    held = find_valid_rows(index.columns, query, skew=policy.clock_skew_seconds)
    in_time = score_said_in_time(index, probe.times.spans, policy.scoring)
    judged = judge_notes(index, held, scores, probe, in_time, asks_reply=asks_reply)
    if scored_statements is not None:
        statements, scored = scored_statements
        judged = raise_notes_to_message_relevance(judged, index, statements, scored.judged, query.at, policy.ranking)
    alive = (
        held
        & find_filtered_rows(index.columns, query)
        & find_relevant_rows(judged.near, scores.keyword[0], query, index)
    )
    best, _ = deduplicate_best(judged.standing.astype(np.float32), judged.standing, alive, query, index, policy)
    return make_hits(
        best, index, judged.near, explain_hits(scores, judged, alive, best) if query.explain else repeat(None)
    )


def rank_replies(query: RecallQuery, probe: Probe, index: MemoryIndex, policy: RecallPolicy) -> list[RankedHit]:
    """Return the best replies; where nobody asks for them, only those that very probably help."""
    asked = 1.0 if query.replies_named or asks_for_replies(query.text) else probe.replies
    least = query.min_relevance if asked >= RELEVANCE.asked_from else max(query.min_relevance, RELEVANCE.unasked_reply)
    return rank_notes_or_replies(replace(query, min_relevance=least), probe, index, policy, asks_reply=asked)


def find_relevant_rows(near: Float64, words: Float32, query: RecallQuery, index: MemoryIndex) -> Mask:
    """Return which rows are relevant enough: by their relevance ``near``, the BM25 of their own ``words``, and whether
    the query names them."""
    relevant = near >= query.min_relevance
    if query.strict:
        very = (near >= RELEVANCE.strict_relevance) | (words >= RELEVANCE.strict_words)
        relevant &= very | find_named_rows(index, query.text)
    return np.asarray(relevant, np.bool_)


def make_hits(
    best: RankedRows, index: MemoryIndex, relevance: Float64, why: Iterable[Explanation | None]
) -> list[RankedHit]:
    """Return the hits of ``best``; ``relevance`` is that of all rows, ``why`` explains each hit."""
    near = relevance[best.rows].round(DIGITS).tolist()
    return list(map(RankedHit, list_ids(index, best.rows), best.final.tolist(), best.near.tolist(), why, near))


def list_ids(index: MemoryIndex, rows: Int64) -> list[UUID]:
    return [UUID(bytes=one.tobytes()) for one in index.ids[rows]]


def deduplicate_best(
    fused: Float32, near: Float64, alive: Mask, query: RecallQuery, index: MemoryIndex, policy: RecallPolicy
) -> tuple[RankedRows, Int64]:
    """Return the best ``query.top_k`` memories that repeat no better one, and the rows of those that do. Candidates
    are chosen by ``fused`` and ranked by ``near`` times their factors."""
    candidates = choose_candidates(fused, alive, query.top_k, index.columns, policy)
    ranked = rank_by_factors(near, candidates, query, index.columns, policy.ranking)
    first = mark_first_of_repeats(index.columns, ranked.rows, policy.ranking)
    return ranked.select_positions(np.flatnonzero(first)[: query.top_k]), ranked.rows[~first]


def choose_candidates(fused: Float32, alive: Mask, top_k: int, columns: IndexColumns, policy: RecallPolicy) -> Int64:
    """Return the best rows, best first: as many as the policy takes, or until ``2 * top_k`` of them differ."""
    depth = max(policy.lane_depth, 2 * top_k)
    rows = choose_best_rows(fused, alive, depth)
    if len(rows) == depth and mark_first_of_repeats(columns, rows, policy.ranking).sum() < 2 * top_k:
        rows = choose_best_rows(fused, alive, len(fused))
        said = mark_first_of_repeats(columns, rows, policy.ranking).cumsum()
        rows = rows[: max(depth, int(np.searchsorted(said, 2 * top_k)) + 1)]
    return rows


def mark_first_of_repeats(columns: IndexColumns, rows: Int64, policy: RankingPolicy) -> Mask:
    """Return which of ``rows``, best first, repeat no row before them; all if the policy keeps repeats."""
    if not policy.say_once:
        return np.ones(len(rows), np.bool_)
    said = columns.saying[rows]
    first: Mask = said == REPEATS_NOTHING
    _, firsts = np.unique(said, return_index=True)
    first[firsts] = True
    return first


def choose_best_rows(scores: Float32, alive: Mask, limit: int) -> Int64:
    """Return the best ``limit`` alive rows, best first; among equals the newer row first."""
    rows = np.flatnonzero(alive)
    if len(rows) > limit:
        # A partition is cheaper than a sort of all rows; of those equal to the last one only the newest stay.
        found = scores[rows]
        least = np.partition(found, -limit)[-limit]
        better, equal = rows[found > least], rows[found == least]
        rows = np.concatenate([better, equal[len(better) - limit :]])
    return rows[np.lexsort((-rows, -scores[rows]))]


def find_valid_rows(columns: IndexColumns, query: RecallQuery, *, skew: float) -> Mask:
    """Return which rows are known and valid at the moments asked for, and not expired."""
    # Clocks of products and of our machines may run ahead of this one: what was said "just now" counts as said.
    at = query.at.timestamp() + (0 if query.as_of else skew)
    known = query.known_at.timestamp() if query.known_at else np.inf
    starts = np.where(np.isfinite(columns.valid_at), columns.valid_at, -np.inf)
    alive = (starts <= at) & (at < columns.invalid_at)
    alive &= columns.expires_at > query.asked_at.timestamp()
    return alive & (columns.created_at <= known) & ((columns.retired_at > known) | np.isposinf(columns.retired_at))


def find_filtered_rows(columns: IndexColumns, query: RecallQuery) -> Mask:
    alive = np.ones(len(columns.kind), np.bool_)
    if query.since or query.until:
        alive &= _find_said_between(columns, query.since, query.until)
    if query.kinds:
        alive &= np.isin(columns.kind, [MEMORY_KINDS.index(kind) for kind in MEMORY_KINDS if kind in query.kinds])
    if query.topics:
        alive &= FilterMatcher(columns.field_values).match_rows(Condition("topics", "in", tuple(query.topics)))
    if query.filter is not None:
        alive &= FilterMatcher(columns.field_values).match_rows(query.filter)
    return alive


def _find_said_between(columns: IndexColumns, since: datetime | None, until: datetime | None) -> Mask:
    said = columns.said_at
    after = said >= (since.timestamp() if since else -np.inf)
    return after & (said <= (until.timestamp() if until else np.inf))


def list_left_out_memories(
    query: RecallQuery, index: MemoryIndex, scores: MemoryScores, alive: Mask, said_again: Int64
) -> Iterator[RankedHit]:
    """Yield the nearest ``query.left_out`` memories for each reason to leave one out, for receipts.

    ``alive`` marks those that may answer, ``said_again`` are rows that repeat a better one. The score is the cosine of
    the nearer view, 0 without a vector.
    """
    near, columns = scores.dense.max(axis=0), index.columns
    over = (columns.expires_at <= query.asked_at.timestamp()) & np.isposinf(columns.retired_at)
    expired = over & (query.at.timestamp() < columns.invalid_at) & scores.matches
    below = alive & ~scores.matches & scores.dense_held & (not query.whole)
    reasons: tuple[tuple[WhyLeftOut, Int64], ...] = (
        ("said_again", said_again),
        ("expired", np.flatnonzero(expired)),
        ("below_floor", np.flatnonzero(below)),
    )
    for why, rows in reasons:
        nearest = rows[np.argsort(-near[rows], kind="stable")][: query.left_out]
        for memory_id, row in zip(list_ids(index, nearest), nearest.tolist(), strict=True):
            cosine = float(near[row])
            yield RankedHit(memory_id, cosine, cosine, left_out=LeftOut(why, MEMORY_KINDS[int(columns.kind[row])]))
