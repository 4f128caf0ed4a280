"""Indicators of a day say how well memory served, and the same when they are rolled up again. Rows: E9, G5."""

from datetime import timedelta

import numpy as np
import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from snapshots.feedback.tallies.arm_figures import ShareEstimate, estimate_share, load_arm_figures
from snapshots.feedback.tallies.indicator_roll_up import roll_up_indicators, roll_up_recent_indicators
from snapshots.feedback.values import ProductVerdict, Signal
from snapshots.jobs import roll_up_indicators_job
from snapshots.models import FastLaneChange, Indicator, Receipt, Snapshot
from snapshots.scheduled_job_registry import CARE
from tenants.isolation import tenant_tx
from tenants.models import JobRun
from tests.conftest import House, World
from tests.snapshots.feedback.telling import ask, tell, today
from tests.snapshots.held import remember


def indicators(house: House) -> list[Indicator]:
    with tenant_tx(house.tenant.id):
        return list(Indicator.objects.order_by("day", "policy_version"))


def test_a_day_is_counted_by_policy_version_and_again_the_same(world: World) -> None:
    _, bristol = remember(world.acme, "Ada is allergic to peanuts", "Ada lives in Bristol")
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=bristol).update(last_validated_at=utc_now() - timedelta(days=31))
        for took in (10.0, 20.0, 400.0):
            FastLaneChange.objects.create(subject=world.acme.subject, took_ms=took)
    ask(world.acme, "lunch?", policy_version="1")
    told = ask(world.acme, "lunch?", policy_version="2")
    tell(world.acme, told, reply="Without peanuts.", next="Perfect!")
    tell(world.acme, told, verdicts=[ProductVerdict(bristol, Signal.CORRECTED)])
    for _ in "12":
        assert roll_up_recent_indicators(world.acme.tenant.id) == 2
    first, second = indicators(world.acme)
    assert (first.day, first.policy_version, first.arm) == (today(), "1", "")
    assert (first.contexts, first.injected, first.replied, first.judged, first.stale) == (1, 2, 0, 0, 1)
    assert (second.contexts, second.injected, second.replied, second.utilised) == (1, 2, 2, 1)
    assert (second.judged, second.positive, second.negative, second.corrected, second.stale) == (2, 1, 0, 1, 1)
    assert second.tokens > 0
    assert (first.fast_lane_changes, first.fast_lane_p95_ms) == (0, None)
    assert second.fast_lane_changes == 3
    assert 300 < (second.fast_lane_p95_ms or 0) <= 400
    assert indicators(world.globex) == []


def test_a_preview_tells_what_the_job_will_change_and_changes_nothing(world: World) -> None:
    ask(world.acme, "lunch?", policy_version="1")
    ask(world.acme, "晚饭?", policy_version="2")
    assert foreseen(world.acme) == {"changed": 2, "gone": 0}
    assert indicators(world.acme) == []
    roll_up_indicators_job()
    assert len(indicators(world.acme)) == 2
    assert foreseen(world.acme) == {"changed": 0, "gone": 0}
    told = ask(world.acme, "lunch?", policy_version="2")
    assert foreseen(world.acme) == {"changed": 1, "gone": 0}
    with tenant_tx(world.acme.tenant.id):
        Receipt.objects.exclude(id=told.id).delete()
    assert foreseen(world.acme) == {"changed": 1, "gone": 1}
    assert foreseen(world.globex) == {"changed": 0, "gone": 0}
    run = JobRun.objects.get(job="roll-up-indicators")
    assert (run.rows, run.errors, run.ended_at is None) == (2, 0, False)


def foreseen(house: House) -> dict[str, int]:
    return dict(CARE["roll-up-indicators"].preview(house.tenant.id).counts)


def test_what_is_no_longer_there_leaves_the_day(world: World) -> None:
    ask(world.acme, "lunch?")
    roll_up_indicators(world.acme.tenant.id, today())
    with tenant_tx(world.acme.tenant.id):
        Receipt.objects.all().delete()
    assert roll_up_indicators(world.acme.tenant.id, today()) == 0
    assert indicators(world.acme) == []


def test_a_day_of_another_is_left_alone(world: World) -> None:
    ask(world.acme, "lunch?")
    roll_up_indicators(world.acme.tenant.id, today())
    assert roll_up_indicators(world.acme.tenant.id, today() - timedelta(days=3)) == 0
    assert len(indicators(world.acme)) == 1


def test_arms_are_told_apart_and_a_correction_belongs_to_its_subjects_arm(world: World) -> None:
    remember(world.acme, "Ada is allergic to peanuts")
    with tenant_tx(world.acme.tenant.id):
        other = Subject.objects.create(external_id="小林")
        for n, (subject, arm) in enumerate(((world.acme.subject, "短"), (other, "as it is"), (other, "as it is"))):
            Receipt.objects.create(
                subject=subject, policy_version=str(n), experiment="trial", arm=arm, tokens={"total": 100 * n}
            )
        Receipt.objects.update(policy_version="2")
        FastLaneChange.objects.create(subject=world.acme.subject, took_ms=30)
        FastLaneChange.objects.create(subject=Subject.objects.create(external_id="never asked"), took_ms=40)
    assert roll_up_indicators(world.acme.tenant.id, today()) == 3
    with tenant_tx(world.acme.tenant.id):
        plain, short = load_arm_figures("trial")
        (apart,) = load_arm_figures("")
    assert (apart.arm, apart.policy_version, apart.contexts, apart.fast_lane_changes) == ("", "2", 0, 1)
    assert (plain.arm, plain.contexts, plain.tokens_per_context, plain.fast_lane_changes) == ("as it is", 2, 150.0, 0)
    assert (short.arm, short.contexts, short.fast_lane_changes, short.fast_lane_p95_ms) == ("短", 1, 1, 30.0)
    assert plain.degraded == estimate_share(0, 2)
    with tenant_tx(world.globex.tenant.id):
        assert load_arm_figures("trial") == []


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)],
)
def test_intervals_are_those_of_the_literature(count: int, of: int, low: float, high: float) -> None:
    found = estimate_share(count, of)
    assert [found.low, found.high] == pytest.approx([low, high], abs=1e-4)


def test_a_share_of_nothing_is_none() -> None:
    assert estimate_share(0, 0) == ShareEstimate(0, 0, None, None, None)


def test_of_a_hundred_intervals_ninety_five_hold_the_truth() -> None:
    held = [estimate_share(int(count), 200) for count in np.random.default_rng(5).binomial(200, 0.07, 1_000)]
    inside = sum((one.low or 0) <= 0.07 <= (one.high or 0) for one in held)
    assert 925 <= inside <= 975
