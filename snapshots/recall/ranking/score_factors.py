"""The final score: relevance times recency, confidence, provenance and frequency.

A vital memory does not age: it counts as said and validated at the moment of the question.
"""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from snapshots.recall.config import RankingPolicy
from snapshots.recall.memory_indexes.index_columns import Float64, IndexColumns
from snapshots.recall.values import RecallQuery

Int64 = npt.NDArray[np.int64]
DAY_SECONDS = 86_400
# Scores are float32: more digits say nothing. What is multiplied is rounded first: a reader can do the same sum.
DIGITS = 6


@dataclass(frozen=True, slots=True)
class RankedRows:
    """Rows in an order: their scores, shape (k,), the factors, shape (4, k), and the products, (k,)."""

    rows: Int64
    near: Float64
    weights: Float64
    final: Float64

    def select_positions(self, places: Int64) -> "RankedRows":
        return RankedRows(self.rows[places], self.near[places], self.weights[:, places], self.final[places])


def rank_by_factors(
    near: Float64, rows: Int64, query: RecallQuery, columns: IndexColumns, policy: RankingPolicy
) -> RankedRows:
    """Return ``rows`` in the order of ``near`` times their factors; of equals the first given stays first."""
    near = blend_episode_score(near[rows], columns, rows, query.at, policy).round(DIGITS)
    weights = compute_factors(columns, rows, query.at, policy).round(DIGITS)
    final = near * weights.prod(axis=0)
    return RankedRows(rows, near, weights, final).select_positions(np.argsort(-final, kind="stable"))


def blend_episode_score(
    near: Float64, columns: IndexColumns, rows: Int64, at: datetime, policy: RankingPolicy
) -> Float64:
    """Return ``near``, or with the curve "episode" its blend with recency and importance."""
    if not uses_episode_curve(policy):
        return near
    similarity, recent, important = policy.episode_shares
    fading = policy.episode_decay ** _days_since_said(columns, rows, at)
    return np.asarray(similarity * near + recent * fading + important * columns.importance[rows], np.float64)


def uses_episode_curve(policy: RankingPolicy) -> bool:
    return policy.use_recency and policy.recency_curve == "episode"


def compute_factors(columns: IndexColumns, rows: Int64, at: datetime, policy: RankingPolicy) -> Float64:
    """Return recency, effective confidence, provenance and frequency of ``rows`` at ``at``, shape (4, k). A factor that
    the policy switches off is 1 throughout."""
    return np.stack(
        [
            compute_recency(columns, rows, at, policy)
            if policy.use_recency and not uses_episode_curve(policy)
            else np.ones(len(rows)),
            compute_effective_confidence(columns, rows, at, policy) if policy.use_confidence else np.ones(len(rows)),
            np.array(policy.provenance_factors)[columns.provenance[rows]]
            if policy.use_provenance
            else np.ones(len(rows)),
            compute_frequency(columns, rows, policy) if policy.use_frequency else np.ones(len(rows)),
        ]
    )


def compute_recency(columns: IndexColumns, rows: Int64, at: datetime, policy: RankingPolicy) -> Float64:
    """Return the recency of ``rows``: a step by their age, or hyperbolic."""
    days = _days_since_said(columns, rows, at)
    if policy.recency_curve == "hyperbolic":
        return 1 / (1 + policy.hyperbolic_rate * days)
    return _pick_step_value(days, policy.recency_days, policy.recency_values)


def compute_effective_confidence(columns: IndexColumns, rows: Int64, at: datetime, policy: RankingPolicy) -> Float64:
    days = np.where(columns.vital[rows], 0, _days_between(columns.last_validated_at[rows], at))
    return columns.confidence[rows] * _pick_step_value(days, policy.validation_days, policy.validation_values)


def compute_frequency(columns: IndexColumns, rows: Int64, policy: RankingPolicy) -> Float64:
    """Return 1 until enough uses of a memory were judged, then a factor by its share of positive signals. Only judged
    uses count: a product that sends no feedback always gets 1."""
    injected, positive = columns.injected[rows], columns.positive[rows]
    share = positive / np.maximum(injected, 1)
    judged = injected >= policy.frequency_injected
    liked = np.where(share > policy.frequency_liked, policy.frequency_bonus, 1.0)
    return np.where(judged, np.where(share < policy.frequency_disliked, policy.frequency_malus, liked), 1.0)


def _days_since_said(columns: IndexColumns, rows: Int64, at: datetime) -> Float64:
    said, valid = columns.said_at[rows], columns.valid_at[rows]
    moment = np.where(np.isfinite(said), said, np.where(np.isfinite(valid), valid, columns.created_at[rows]))
    return np.where(columns.vital[rows], 0, _days_between(moment, at))


def _days_between(moment: Float64, at: datetime) -> Float64:
    days = (at.timestamp() - moment) / DAY_SECONDS
    return np.where(np.isfinite(days), np.maximum(days, 0), 0)


def _pick_step_value(days: Float64, limits: tuple[float, ...], values: tuple[float, ...]) -> Float64:
    """Return the value of each day's bucket: ``values[i]`` up to and with ``limits[i]``, the last beyond all."""
    return np.array(values)[np.searchsorted(limits, days, side="left")]
