"""Ways to rank a subject's memories for a question: the product's own, its lanes alone, and simple ones beside it."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any
from uuid import UUID

import numpy as np

from lab.evaluation.ranking.ablation import disable_optimisations
from lab.evaluation.ranking.inputs import LoadedQuestion, LoadedSubject
from snapshots.recall.config import RecallPolicy, ScoringPolicy
from snapshots.recall.question import make_probe, resolve_probe_times
from snapshots.recall.ranking.memory_ranking import find_filtered_rows, find_valid_rows, list_ids, rank_memories
from snapshots.recall.values import LaneHit, RankedHit, RecallQuery

# Returns the best ``top_k`` memories, best first; None when this way of ranking has nothing to go by.
Ranker = Callable[[LoadedSubject, LoadedQuestion, int], list[UUID] | None]

Lane = Callable[[RankedHit], LaneHit | None]


@dataclass(frozen=True, slots=True)
class SingleLane:
    """Which weights of the scoring policy make a lane, and where an explained hit says that the lane found it."""

    # What the names of the lane's weights begin with.
    weights: str
    find_hit: Lane
    # Whether the lane is silent, not merely empty-handed, where no model knows the question's language.
    needs_model: bool


KEYWORD = SingleLane("keyword_", lambda hit: hit.explain.keyword if hit.explain else None, needs_model=False)
DENSE = SingleLane("dense_", lambda hit: hit.explain.dense if hit.explain else None, needs_model=True)
WEIGHTS = (KEYWORD.weights, DENSE.weights)


def make_policy_ranker(policy: RecallPolicy) -> Ranker:
    """Rank as recall does with ``policy``, all lanes fused."""

    def rank(subject: LoadedSubject, loaded_question: LoadedQuestion, top_k: int) -> list[UUID]:
        return [hit.id for hit in _rank_hits(build_query(loaded_question, top_k), subject, loaded_question, policy)]

    return rank


def make_lane_ranker(policy: RecallPolicy, lane: SingleLane) -> Ranker:
    """Rank as recall does with ``policy`` when only one lane counts; None for a question that the lane cannot read."""
    alone = replace(policy, scoring=_keep_only_lane(policy.scoring, lane))

    def rank(subject: LoadedSubject, loaded_question: LoadedQuestion, top_k: int) -> list[UUID] | None:
        query = replace(build_query(loaded_question, top_k), explain=True)
        if lane.needs_model and not _has_comparable_vector(subject, loaded_question):
            return None
        return [hit.id for hit in _rank_hits(query, subject, loaded_question, alone) if lane.find_hit(hit)]

    return rank


def rank_most_recent(subject: LoadedSubject, loaded_question: LoadedQuestion, top_k: int) -> list[UUID]:
    columns = subject.index.columns
    query = build_query(loaded_question, top_k)
    rows = np.flatnonzero(find_valid_rows(columns, query, skew=0) & find_filtered_rows(columns, query))
    latest = rows[np.argsort(-columns.said_at[rows], kind="stable")][:top_k]
    return list_ids(subject.index, latest)


def make_own_words_policy(policy: RecallPolicy) -> RecallPolicy:
    """Return plain BM25 over each memory's own words: one view, no neighbours, no preference, no factor."""
    return disable_optimisations(policy, keyword_own=1.0, bm25_b=policy.scoring.bm25_b)


def make_own_vectors_policy(policy: RecallPolicy) -> RecallPolicy:
    """Return plain nearness of each memory's own vector: one view, no neighbours, no preference, no factor."""
    return disable_optimisations(policy, dense_dated=1.0)


def _has_comparable_vector(subject: LoadedSubject, loaded_question: LoadedQuestion) -> bool:
    """Return whether the question has a vector in a space that holds memories, near to them or not."""
    return any(
        space.name in loaded_question.vectors and loaded_question.vectors[space.name].any()
        for space in subject.index.spaces
    )


def _rank_hits(
    query: RecallQuery, subject: LoadedSubject, loaded_question: LoadedQuestion, policy: RecallPolicy
) -> list[RankedHit]:
    probe = make_probe(query.text, loaded_question.vectors, policy.scoring, subject.relations)
    return rank_memories(query, resolve_probe_times(probe, query.text, query.read_at), subject.index, policy)


def build_query(loaded_question: LoadedQuestion, top_k: int) -> RecallQuery:
    return RecallQuery(text=loaded_question.question.query, asked_at=loaded_question.asked_at, top_k=top_k)


def _keep_only_lane(scoring: ScoringPolicy, lane: SingleLane) -> ScoringPolicy:
    others = tuple(prefix for prefix in WEIGHTS if prefix != lane.weights)
    off: dict[str, Any] = {f.name: 0.0 for f in fields(scoring) if f.type is float and f.name.startswith(others)}
    return replace(scoring, **off)
