"""Subjects belong to arms by a stable hash, and move no more than they must. Rows: T5."""

from collections import Counter
from uuid import UUID

import pytest

from tenants.policies.arms import BUCKETS, Arm, arms_to_json, assign_buckets, compute_bucket, list_owners, read_arms

ONE, OTHER = UUID(int=1), UUID(int=2)
SUBJECTS = [f"用户-{n}" if n % 2 else f"customer-{n}" for n in range(10_000)]
THREE = [Arm("short", 1, 20), Arm("long", 2, 30), Arm("计划", 3, 10)]
CHI_SQUARE_99 = 148.23
"""0.999 quantile of chi-square with 99 degrees of freedom."""


def arms_by_subject(arms: list[Arm]) -> dict[str, str | None]:
    held = list_owners(arms)
    found = {subject: held.get(compute_bucket(ONE, subject)) for subject in SUBJECTS}
    return {subject: arm.name if arm else None for subject, arm in found.items()}


def test_ten_thousand_subjects_spread_evenly_over_the_buckets() -> None:
    for experiment in (ONE, OTHER):
        counts = Counter(compute_bucket(experiment, subject) for subject in SUBJECTS)
        expected = len(SUBJECTS) / BUCKETS
        assert sum((counts[bucket] - expected) ** 2 / expected for bucket in range(BUCKETS)) < CHI_SQUARE_99


def test_two_experiments_deal_independently() -> None:
    pairs = Counter((compute_bucket(ONE, subject) // 10, compute_bucket(OTHER, subject) // 10) for subject in SUBJECTS)
    assert sum((pairs[a, b] - 100) ** 2 / 100 for a in range(10) for b in range(10)) < CHI_SQUARE_99


def test_a_subject_stays_where_it_is() -> None:
    assert [compute_bucket(ONE, subject) for subject in ("ada", "小林", "gil")] == [18, 8, 86]


def test_each_arm_gets_its_share() -> None:
    counts = Counter(arms_by_subject(assign_buckets(THREE)).values())
    for name, percent in (("short", 20), ("long", 30), ("计划", 10), (None, 40)):
        assert abs(counts[name] / len(SUBJECTS) - percent / 100) < 0.02


def test_an_arm_that_keeps_its_percentage_keeps_every_subject() -> None:
    before = assign_buckets(THREE)
    shares = {"short": 50, "long": 30, "计划": 0}
    after = assign_buckets([Arm(arm.name, arm.policy_version, shares[arm.name], arm.buckets) for arm in before])
    was, now = arms_by_subject(before), arms_by_subject(after)
    moved = Counter((was[subject], now[subject]) for subject in SUBJECTS if was[subject] != now[subject])
    assert {was for was, _ in moved} == {None, "计划"}
    assert {now for _, now in moved} == {"short"}
    assert [len(arm.buckets) for arm in after] == [50, 30, 0]


def test_what_an_arm_gives_up_and_takes_back_is_the_same() -> None:
    before = assign_buckets(THREE)
    less = assign_buckets([Arm("short", 1, 5, before[0].buckets), *before[1:]])
    assert assign_buckets([Arm("short", 1, 20, less[0].buckets), *less[1:]]) == before


def test_arms_are_kept_and_read_again() -> None:
    assert read_arms(arms_to_json(assign_buckets(THREE))) == assign_buckets(THREE)


def test_more_than_all_subjects_cannot_be_dealt() -> None:
    with pytest.raises(ValueError, match="more than all"):
        assign_buckets([Arm("a", 1, 60), Arm("b", 1, 41)])
