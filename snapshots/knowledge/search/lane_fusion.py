"""One order and one relevance from each candidate's scores in both lanes."""

from dataclasses import dataclass

import numpy as np

from snapshots.knowledge.search.chunk_candidates import LaneScores
from snapshots.knowledge.search.config import FUSION, RELEVANCE_OF_CHUNKS, ChunkRelevanceConfig, FusionConfig
from snapshots.knowledge.search.keyword_lane import Float64


@dataclass(frozen=True, slots=True)
class FusedScores:
    """Of each candidate: its score for the order, its relevance, and its rank in each lane, from 1; shapes (n,)."""

    fused: Float64
    relevance: Float64
    dense_ranks: Float64
    keyword_ranks: Float64


def fuse_lanes(scores: LaneScores, config: FusionConfig = FUSION, *, is_chinese: bool) -> FusedScores:
    """Return the fused scores of candidates, of which there is at least one."""
    keyword = scores.keyword / max(float(scores.keyword.max()), 1e-9)
    fused = (
        (1 - config.dense_weight) * keyword
        + config.dense_weight * _stretch(scores.cosine)
        + config.coverage_weight * scores.coverage
    )
    return FusedScores(
        fused, estimate_relevance(scores, is_chinese=is_chinese), _rank(scores.cosine), _rank(scores.keyword)
    )


def estimate_relevance(
    scores: LaneScores, config: ChunkRelevanceConfig = RELEVANCE_OF_CHUNKS, *, is_chinese: bool
) -> Float64:
    """Return how relevant each candidate is, 0 to 1, comparable between questions. It is no probability: it tells
    questions with an answer from those without. Where even the best is doubtful, all count less: then nothing among the
    documents answers."""
    base = config.base_chinese if is_chinese else config.base
    odds = base + config.cosine * scores.cosine + config.coverage * scores.coverage
    relevance = np.asarray(1 / (1 + np.exp(-odds)), np.float64)
    return relevance * (config.doubtful_share if relevance.max() < config.doubtful else 1.0)


def _stretch(values: Float64) -> Float64:
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def _rank(values: Float64) -> Float64:
    """Return ranks from 1; infinite where a lane says nothing."""
    ranks = np.full(len(values), np.inf)
    found = np.flatnonzero(values > 0)
    ranks[found[np.argsort(-values[found], kind="stable")]] = np.arange(1, len(found) + 1)
    return ranks
