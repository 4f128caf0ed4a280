"""Memories that somebody should look at. Rows: E5, R3, T7."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.db.models import F

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.ids import new_id
from profiles.models import Preference, ProfileFact
from snapshots.lifecycle.config import REVIEW, ReviewConfig
from snapshots.lifecycle.memory_reviews import (
    ReviewDecided,
    compute_effective_confidence,
    decide_review,
    preview_review,
    review_tenant,
)
from snapshots.models import MemoryLane, MemoryReview, ReviewDecision, ReviewReason, Snapshot
from snapshots.recall.config import RankingPolicy
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.held import know, prefer, remember

DAY = timedelta(days=1)


def set_validation(house: House, days: int, snapshot_id: UUID | None = None) -> None:
    """Let memories have been validated so long ago."""
    with tenant_tx(house.tenant.id):
        rows = Snapshot.objects.filter(id=snapshot_id) if snapshot_id else Snapshot.objects.all()
        rows.update(last_validated_at=utc_now() - days * DAY)


def open_reviews(house: House) -> dict[UUID, tuple[str, str]]:
    with tenant_tx(house.tenant.id):
        rows = MemoryReview.objects.filter(decided_at__isnull=True)
        return {row.memory_ref: (row.lane, row.reason) for row in rows}


def preview(house: House) -> dict[str, int]:
    with tenant_tx(house.tenant.id):
        return dict(preview_review().counts)


def decide(house: House, decision: ReviewDecision) -> MemoryReview:
    with tenant_tx(house.tenant.id):
        review = MemoryReview.objects.get(decided_at__isnull=True)
        return decide_review(house.subject, review.id, decision, by=COMMAND_LINE, reason="looked at")


@pytest.mark.parametrize(("days", "share"), [(0, 1.0), (30, 1.0), (31, 0.85), (91, 0.6), (181, 0.3), (900, 0.3)])
def test_effective_confidence_is_that_of_ranking(days: int, share: float) -> None:
    now = utc_now()
    assert compute_effective_confidence(0.5, now - days * DAY, now) == pytest.approx(0.5 * share)
    assert (REVIEW.days, REVIEW.shares) == (RankingPolicy().validation_days, RankingPolicy().validation_values)


def test_the_unsure_and_the_stale_are_asked_about_once(world: World) -> None:
    house = world.acme
    unsure, decayed, stale, fresh = remember(house, "may like tea", "likes rain", "住在上海", "likes quiet hotels")
    with tenant_tx(house.tenant.id):
        Snapshot.objects.filter(id=unsure).update(confidence=0.19)
        Snapshot.objects.filter(id=decayed).update(confidence=0.3)
        Snapshot.objects.filter(id=stale).update(confidence=1.0)
    set_validation(house, 100, decayed)
    set_validation(house, 181, stale)
    assert preview(house) == {"unsure": 2, "stale": 1, "gone": 0}
    assert review_tenant(house.tenant.id) == 3
    assert preview(house) == {"unsure": 0, "stale": 0, "gone": 0}
    assert review_tenant(house.tenant.id) == 0
    assert open_reviews(house) == {
        unsure: (MemoryLane.SNAPSHOTS, ReviewReason.UNSURE),
        decayed: (MemoryLane.SNAPSHOTS, ReviewReason.UNSURE),
        stale: (MemoryLane.SNAPSHOTS, ReviewReason.STALE),
    }
    assert fresh not in open_reviews(house)
    assert open_reviews(world.globex) == {}


def test_beliefs_are_asked_about_too(world: World) -> None:
    house = world.acme
    prefer(house, "food", "likes", ["拉面"])
    know(house, occupation="pilot")
    with tenant_tx(house.tenant.id):
        for table in (Preference, ProfileFact):
            table.objects.update(last_validated_at=F("last_validated_at") - 181 * DAY)
    assert review_tenant(house.tenant.id) == 2
    assert {lane for lane, _ in open_reviews(house).values()} == {MemoryLane.PREFERENCES, MemoryLane.PROFILE}


def test_what_is_no_longer_in_question_is_taken_back(world: World) -> None:
    house = world.acme
    renewed, retired = remember(house, "may like tea", "likes rain")
    set_validation(house, 200)
    review_tenant(house.tenant.id)
    set_validation(house, 0, renewed)
    with tenant_tx(house.tenant.id):
        Snapshot.objects.filter(id=retired).update(retired_at=utc_now())
    assert preview(house) == {"unsure": 0, "stale": 0, "gone": 2}
    assert review_tenant(house.tenant.id) == 2
    with tenant_tx(house.tenant.id):
        assert set(MemoryReview.objects.values_list("decision", flat=True)) == {ReviewDecision.GONE}


def test_what_a_person_keeps_is_validated_and_not_asked_about_again(world: World) -> None:
    house = world.acme
    (one,) = remember(house, "may like tea", confidence=0.15)
    review_tenant(house.tenant.id)
    assert decide(house, ReviewDecision.KEPT).decided_by == "command-line"
    assert review_tenant(house.tenant.id) == 0
    with tenant_tx(house.tenant.id):
        assert Snapshot.objects.get(id=one).version == 2
        assert AuditRecord.objects.get(action="memory.kept").object_id == str(one)
        MemoryReview.objects.update(decided_at=utc_now() - 181 * DAY)
    assert review_tenant(house.tenant.id) == 1


def test_what_a_person_retires_leaves_recall_with_its_history(world: World) -> None:
    house = world.acme
    prefer(house, "food", "likes", ["拉面"])
    know(house, occupation="pilot")
    remember(house, "may like tea")
    with tenant_tx(house.tenant.id):
        for table in (Preference, ProfileFact, Snapshot):
            table.objects.update(last_validated_at=F("last_validated_at") - 181 * DAY)
    review_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        for review in MemoryReview.objects.all():
            retired = ReviewDecision.RETIRED
            decided = decide_review(house.subject, review.id, retired, by=COMMAND_LINE, reason="no longer so")
            assert decided.decision == retired
        assert Snapshot.objects.get().retired_at is not None
        assert Preference.objects.filter(retired_at__isnull=True).get().invalid_at is not None
        assert ProfileFact.objects.filter(retired_at__isnull=True).get().invalid_at is not None
        assert AuditRecord.objects.filter(reason="no longer so").count() == 3


def test_two_people_decide_once(world: World) -> None:
    house = world.acme
    remember(house, "may like tea", confidence=0.15)
    review_tenant(house.tenant.id)
    review = decide(house, ReviewDecision.RETIRED)
    for tenant, error in ((house, ReviewDecided), (world.globex, NotFound)):
        with tenant_tx(tenant.tenant.id), pytest.raises(error):
            decide_review(tenant.subject, review.id, ReviewDecision.KEPT, by=COMMAND_LINE, reason="")
    with tenant_tx(house.tenant.id), pytest.raises(NotFound):
        decide_review(house.subject, new_id(), ReviewDecision.KEPT, by=COMMAND_LINE, reason="")
    with tenant_tx(house.tenant.id):
        again = decide_review(house.subject, review.id, ReviewDecision.RETIRED, by=COMMAND_LINE, reason="again")
        assert again.decided_at == review.decided_at
        assert not AuditRecord.objects.filter(reason="again").exists()


def test_no_more_questions_than_a_team_can_answer(world: World) -> None:
    house = world.acme
    remember(house, *(f"memory number {n}" for n in range(7)), confidence=0.1)
    few = ReviewConfig(open_most=5, batch=2)
    assert review_tenant(house.tenant.id, config=few) == 5
    assert review_tenant(house.tenant.id, config=few) == 0
