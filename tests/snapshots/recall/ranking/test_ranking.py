"""The factors of the final score. Rows: R3, P5."""

from dataclasses import fields, replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from memory_platform.kernel.number_sources import source_of_numbers
from snapshots.recall.config import DEFAULT_RECALL, RankingPolicy, ScoringPolicy
from snapshots.recall.ranking.score_factors import (
    blend_episode_score,
    compute_effective_confidence,
    compute_factors,
    compute_frequency,
    compute_recency,
)
from snapshots.recall.values import MemoryRow
from tests.snapshots.recall.world import NOW, index_of, memory

R3 = RankingPolicy(recency_values=(1.2, 1.0, 0.8, 0.6))


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def one(factor: object, policy: RankingPolicy = R3, **columns: object) -> float:
    index = index_of([replace(memory("aisle"), **columns)])  # type: ignore[arg-type]
    assert callable(factor)
    return float(factor(index.columns, np.array([0]), NOW, policy)[0])


@pytest.mark.parametrize(
    ("days", "value"), [(0, 1.2), (7, 1.2), (7.1, 1.0), (30, 1.0), (31, 0.8), (91, 0.6), (900, 0.6)]
)
def test_recency_falls_in_steps(days: float, value: float) -> None:
    assert one(compute_recency, said_at=days_ago(days)) == value


def test_recency_goes_by_said_at_then_valid_at_and_the_future_is_today() -> None:
    assert one(compute_recency, said_at=None, valid_at=days_ago(40)) == 0.8
    assert one(compute_recency, said_at=days_ago(40), valid_at=NOW) == 0.8
    assert one(compute_recency, said_at=days_ago(-5)) == 1.2
    assert one(compute_recency, said_at=None) == 1.2


def test_the_other_curve_is_hyperbolic() -> None:
    assert one(compute_recency, RankingPolicy(recency_curve="hyperbolic"), said_at=days_ago(5)) == pytest.approx(0.5)


def test_the_episode_score_blends_similarity_recency_and_importance() -> None:
    episode = RankingPolicy(recency_curve="episode")
    index = index_of([memory("aisle", said_at=days_ago(2), importance=0.9), memory("window", said_at=days_ago(0))])
    blended = blend_episode_score(np.array([0.6, 0.0]), index.columns, np.array([0, 1]), NOW, episode)
    assert blended == pytest.approx([0.5 * 0.6 + 0.3 * 0.95**2 + 0.2 * 0.9, 0.3 + 0.2 * 0.5])
    assert compute_factors(index.columns, np.array([0, 1]), NOW, episode)[0].tolist() == [1, 1]


@pytest.mark.parametrize("policy", [R3, RankingPolicy(recency_curve="episode", use_recency=False)])
def test_without_the_episode_curve_similarity_stands_alone(policy: RankingPolicy) -> None:
    index = index_of([memory("aisle")])
    assert blend_episode_score(np.array([0.6]), index.columns, np.array([0]), NOW, policy).tolist() == [0.6]


def test_the_measured_steps_keep_the_order_of_the_promised_ones() -> None:
    assert list(RankingPolicy().recency_values) == sorted(RankingPolicy().recency_values, reverse=True)


@pytest.mark.parametrize(("days", "share"), [(0, 1.0), (30, 1.0), (31, 0.85), (91, 0.6), (181, 0.3)])
def test_confidence_fades_since_it_was_last_validated(days: float, share: float) -> None:
    faded = one(compute_effective_confidence, confidence=0.8, last_validated_at=days_ago(days))
    assert faded == pytest.approx(0.8 * share)


def test_a_memory_never_validated_counts_from_its_recording() -> None:
    assert one(compute_effective_confidence, confidence=0.5, created_at=days_ago(100)) == pytest.approx(0.3)


@pytest.mark.parametrize("policy", [R3, RankingPolicy(recency_curve="hyperbolic")])
def test_what_is_vital_does_not_age(policy: RankingPolicy) -> None:
    held = {"said_at": days_ago(900), "created_at": days_ago(900), "last_validated_at": days_ago(900)}
    assert (
        one(compute_recency, policy, vital=True, **held)
        == one(compute_recency, policy, said_at=NOW)
        > one(compute_recency, policy, **held)
    )
    assert one(compute_effective_confidence, policy, confidence=0.9, vital=True, **held) == pytest.approx(0.9)
    assert one(compute_effective_confidence, policy, confidence=0.9, **held) == pytest.approx(0.27)


def test_what_is_vital_does_not_age_by_the_episode_curve() -> None:
    rows = [memory("aisle", said_at=days_ago(900), vital=True), memory("window", said_at=days_ago(900))]
    blended = blend_episode_score(
        np.zeros(2), index_of(rows).columns, np.arange(2), NOW, RankingPolicy(recency_curve="episode")
    )
    assert blended == pytest.approx([0.3 + 0.2 * 0.5, 0.2 * 0.5])


@pytest.mark.parametrize(
    ("injected", "positive", "value"), [(4, 4, 1.0), (5, 4, 1.1), (10, 7, 1.0), (10, 2, 0.7), (0, 0, 1.0)]
)
def test_frequency_waits_for_five_injections(injected: int, positive: int, value: float) -> None:
    columns = index_of([memory("aisle", injected=injected, positive=positive)]).columns
    assert compute_frequency(columns, np.array([0]), R3)[0] == value


def test_what_the_user_confirmed_weighs_more_than_what_was_seen() -> None:
    rows = [memory(p, provenance=p) for p in ("observation", "analysis", "corrected_by_staff", "confirmed_by_user")]
    assert compute_factors(index_of(rows).columns, np.arange(4), NOW, R3)[2].tolist() == [0.6, 0.8, 0.9, 1.0]


def test_each_factor_can_be_switched_off() -> None:
    row = memory("aisle", said_at=days_ago(100), confidence=0.5, injected=9)
    off = RankingPolicy(use_recency=False, use_confidence=False, use_provenance=False, use_frequency=False)
    assert compute_factors(index_of([row]).columns, np.array([0]), NOW, off).ravel().tolist() == [1, 1, 1, 1]


def test_every_number_of_the_policies_says_where_it_comes_from() -> None:
    for policy in (ScoringPolicy, RankingPolicy):
        assert len(source_of_numbers(policy)) == len(fields(policy))
    assert isinstance(DEFAULT_RECALL.ranking, RankingPolicy)
    assert MemoryRow.__slots__
