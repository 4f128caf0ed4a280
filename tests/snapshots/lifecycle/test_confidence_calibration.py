"""Confidence follows what came of injected memories, exactly as promised. Rows: E4, P4."""

from itertools import product
from typing import Any
from uuid import UUID

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Preference, ProfileFact, Subject
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import select_as_of
from snapshots.lifecycle.confidence_calibration import (
    Reception,
    calibrate_confidence,
    calibrate_tenant,
    choose_calibration_rule,
    preview_calibration,
)
from snapshots.lifecycle.config import CALIBRATION, CalibrationConfig
from snapshots.lifecycle.selectors import load_snapshot_history
from snapshots.models import (
    BeliefCounter,
    Calibration,
    CalibrationRule,
    MemoryReview,
    ReviewReason,
    Snapshot,
    SnapshotCounter,
    SubjectMemory,
)
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import know, prefer, remember

LIKED, CORRECTED, DISLIKED = CalibrationRule.LIKED, CalibrationRule.CORRECTED, CalibrationRule.DISLIKED
OBSERVED, CONFIRMED = Provenance.OBSERVATION, Provenance.CONFIRMED_BY_USER


@pytest.mark.parametrize(
    ("seen", "rule"),
    [
        (Reception(10, 10, 9, 0), LIKED),
        (Reception(9, 9, 9, 0), None),
        (Reception(10, 10, 8, 0), None),  # 0.8 is not above 0.8
        (Reception(10, 3, 3, 0), LIKED),  # of the three that were judged
        (Reception(10, 2, 2, 0), None),  # two judgements make no share
        (Reception(6, 1, 0, 0), None),
        (Reception(50, 2, 0, 1), None),
        (Reception(5, 3, 0, 0), DISLIKED),
        (Reception(5, 2, 0, 2), CORRECTED),  # corrections are counted, not shared
        (Reception(50, 0, 0, 0), None),  # nothing was heard
        (Reception(5, 5, 3, 2), CORRECTED),
        (Reception(4, 4, 2, 2), None),
        (Reception(5, 5, 4, 1), None),
        (Reception(5, 5, 1, 0), DISLIKED),
        (Reception(10, 10, 3, 0), None),  # 0.3 is not below 0.3
        (Reception(4, 4, 0, 0), None),
        (Reception(20, 20, 17, 2), CORRECTED),  # liked, too: a correction says that it is wrong
        (Reception(5, 5, 0, 5), DISLIKED),  # corrected, too: the larger cut
    ],
)
def test_the_rule_that_holds(seen: Reception, rule: CalibrationRule | None) -> None:
    assert choose_calibration_rule(seen) == rule


@pytest.mark.parametrize(
    ("before", "provenance", "rule", "after"),
    [
        (0.4, OBSERVED, LIKED, 0.5),
        (0.55, OBSERVED, LIKED, 0.6),
        (0.75, Provenance.ANALYSIS, LIKED, 0.8),
        (0.95, CONFIRMED, LIKED, 1.0),
        (0.7, OBSERVED, LIKED, 0.7),  # above its ceiling from before: liking it does not lower it
        (0.6, OBSERVED, CORRECTED, 0.45),
        (0.6, OBSERVED, DISLIKED, 0.4),
        (0.25, OBSERVED, DISLIKED, 0.1),
        (0.05, OBSERVED, CORRECTED, 0.05),
    ],
)
def test_steps_ceiling_and_floor(before: float, provenance: Provenance, rule: CalibrationRule, after: float) -> None:
    assert calibrate_confidence(before, provenance, rule) == pytest.approx(after)


def store_reception(house: House, snapshot_id: UUID, **counts: int) -> SnapshotCounter:
    with tenant_tx(house.tenant.id):
        counter, _ = SnapshotCounter.objects.update_or_create(
            snapshot_id=snapshot_id, defaults={"subject": house.subject, **counts}
        )
    return counter


def belief_received(house: House, lane: str, memory: UUID, **counts: int) -> None:
    with tenant_tx(house.tenant.id):
        BeliefCounter.objects.create(subject=house.subject, lane=lane, memory_ref=memory, **counts)


def preview(house: House) -> dict[str, int]:
    with tenant_tx(house.tenant.id):
        return dict(preview_calibration().counts)


def confidence(house: House, snapshot_id: UUID) -> float:
    with tenant_tx(house.tenant.id):
        return Snapshot.objects.get(id=snapshot_id).confidence


def test_a_snapshot_is_calibrated_once_with_its_history_and_a_record(world: World) -> None:
    house = world.acme
    (wrong, fine) = remember(house, "住在上海浦东", "likes quiet hotels", confidence=0.6)
    store_reception(house, wrong, injected=6, judged=6, positive=3, corrected=2)
    with tenant_tx(house.tenant.id):
        epoch = SubjectMemory.objects.get(subject=house.subject).epoch
    assert preview(house) == {"liked": 0, "corrected": 1, "disliked": 0}
    assert preview(house) == {"liked": 0, "corrected": 1, "disliked": 0}
    assert calibrate_tenant(house.tenant.id) == 1
    assert preview(house) == {"liked": 0, "corrected": 0, "disliked": 0}
    assert calibrate_tenant(house.tenant.id) == 0
    assert [confidence(house, one) for one in (wrong, fine)] == pytest.approx([0.45, 0.6])
    with tenant_tx(house.tenant.id):
        snapshot = Snapshot.objects.get(id=wrong)
        assert [state.snapshot.confidence for state in load_snapshot_history(snapshot)] == pytest.approx([0.6, 0.45])
        assert SubjectMemory.objects.get(subject=house.subject).epoch > epoch, "ranking reads it anew"
        note = Calibration.objects.get()
        assert (note.rule, note.memory_ref, note.injected, note.positive, note.corrected) == (CORRECTED, wrong, 6, 3, 2)


def test_one_turn_taken_badly_moves_nothing_until_more_is_heard(world: World) -> None:
    house = world.acme
    prefer(house, "food", "allergies", ["peanuts"], confidence=0.9)
    with tenant_tx(house.tenant.id):
        allergies = Preference.objects.get().id
    belief_received(house, "preferences", allergies, injected=6, judged=1, positive=0)
    assert preview(house) == {"liked": 0, "corrected": 0, "disliked": 0}
    assert calibrate_tenant(house.tenant.id) == 0
    with tenant_tx(house.tenant.id):
        assert select_as_of(Preference.objects.all()).get().confidence == pytest.approx(0.9)
        tally = BeliefCounter.objects.get()
        assert (tally.calibrated_injected, tally.calibrated_judged) == (0, 0), "what was heard waits for more"
        BeliefCounter.objects.update(judged=3)
    assert calibrate_tenant(house.tenant.id) == 1


def test_only_what_came_since_the_last_calibration_counts(world: World) -> None:
    house = world.acme
    (one,) = remember(house, "likes quiet hotels", confidence=0.3)
    store_reception(house, one, injected=10, judged=10, positive=10)
    assert calibrate_tenant(house.tenant.id) == 1
    store_reception(house, one, injected=19, judged=19, positive=19)
    assert calibrate_tenant(house.tenant.id) == 0
    store_reception(house, one, injected=20, judged=20, positive=20)
    assert calibrate_tenant(house.tenant.id) == 1
    assert confidence(house, one) == pytest.approx(0.5)


def test_what_is_at_its_ceiling_begins_anew_without_a_record(world: World) -> None:
    house = world.acme
    (one,) = remember(house, "likes quiet hotels", confidence=0.6)
    store_reception(house, one, injected=10, judged=10, positive=10)
    assert calibrate_tenant(house.tenant.id) == 0
    with tenant_tx(house.tenant.id):
        assert SnapshotCounter.objects.get().calibrated_injected == 10
        assert not Calibration.objects.exists()


def test_below_a_fifth_somebody_is_asked_once_and_nothing_is_retired(world: World) -> None:
    house = world.acme
    (one,) = remember(house, "likes quiet hotels", confidence=0.3)
    for turns in (5, 10):
        store_reception(house, one, injected=turns, judged=turns, positive=0)
        assert calibrate_tenant(house.tenant.id) == (1 if turns == 5 else 0)
    with tenant_tx(house.tenant.id):
        review = MemoryReview.objects.get()
        assert (review.reason, review.memory_ref, review.decided_at) == (ReviewReason.UNSURE, one, None)
        assert Snapshot.objects.get(id=one).retired_at is None


def test_preferences_and_facts_keep_what_was_believed_before(world: World) -> None:
    house = world.acme
    prefer(house, "food", "likes", ["拉面"], provenance=Provenance.ANALYSIS, confidence=0.7)
    know(house, occupation="pilot")
    with tenant_tx(house.tenant.id):
        preference, fact = Preference.objects.get(), ProfileFact.objects.get()
        version = Subject.objects.get(id=house.subject.id).profile_version
    before = utc_now()
    belief_received(house, "preferences", preference.id, injected=5, judged=5, positive=1)
    belief_received(house, "profile", fact.id, injected=5, judged=5, positive=2, corrected=2)
    belief_received(house, "tags", fact.id, injected=5, judged=5, positive=1)
    assert preview(house) == {"liked": 0, "corrected": 1, "disliked": 1}
    assert calibrate_tenant(house.tenant.id) == 2
    assert calibrate_tenant(house.tenant.id) == 0
    with tenant_tx(house.tenant.id):
        assert select_as_of(Preference.objects.all()).get().confidence == pytest.approx(0.5)
        assert select_as_of(ProfileFact.objects.all()).get().confidence == pytest.approx(0.85)
        assert select_as_of(Preference.objects.all(), known_at=before).get().confidence == pytest.approx(0.7)
        assert select_as_of(ProfileFact.objects.all(), known_at=before).get().confidence == pytest.approx(1.0)
        assert Subject.objects.get(id=house.subject.id).profile_version == version + 1


def test_what_is_no_longer_held_is_left_alone(world: World) -> None:
    house = world.acme
    retired, expired = remember(house, "likes quiet hotels", "likes loud hotels")
    with tenant_tx(house.tenant.id):
        Snapshot.objects.filter(id=retired).update(retired_at=utc_now())
        Snapshot.objects.filter(id=expired).update(expires_at=utc_now())
    for one in (retired, expired):
        store_reception(house, one, injected=5, judged=5)
    assert preview(house) == {"liked": 0, "corrected": 0, "disliked": 0}
    assert calibrate_tenant(house.tenant.id) == 0


def test_it_goes_in_batches_tenant_by_tenant_and_may_be_cut(world: World) -> None:
    house = world.acme
    small = CalibrationConfig(batch=2)
    for each in (world.acme, world.globex):
        for snapshot_id in remember(each, *(f"memory number {n}" for n in range(5)), confidence=0.6):
            store_reception(each, snapshot_id, injected=5, judged=5)
    turns = iter([True, False, False])
    assert calibrate_tenant(house.tenant.id, may_go_on=lambda: next(turns), config=small) == 2
    assert calibrate_tenant(house.tenant.id, config=small) == 3
    assert preview(world.globex) == {"liked": 0, "corrected": 0, "disliked": 5}


def test_the_database_looks_for_what_the_rules_say(world: World) -> None:
    house = world.acme
    cases = list(product((4, 5, 10), (0, 2, 3, 10), (0, 3, 9), (0, 2)))
    ids = remember(house, *(f"memory number {n}" for n in range(len(cases))), confidence=0.5)
    expected: dict[str, Any] = dict.fromkeys(("liked", "corrected", "disliked"), 0)
    for snapshot_id, (injected, judged, positive, corrected) in zip(ids, cases, strict=True):
        store_reception(house, snapshot_id, injected=injected, judged=judged, positive=positive, corrected=corrected)
        rule = choose_calibration_rule(Reception(injected, judged, positive, corrected), CALIBRATION)
        if rule:
            expected[rule] += 1
    assert preview(house) == expected
