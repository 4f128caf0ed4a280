"""How scheduled care and staff treat notes. Rows: P9, P12, E3, E4, E5, E6, P4."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Tag
from snapshots.consolidation.consolidation_store import list_members
from snapshots.feedback.tallies.memory_tallies import roll_up_tallies
from snapshots.feedback.values import ProductVerdict, Signal
from snapshots.lifecycle.confidence_calibration import calibrate_tenant, preview_calibration
from snapshots.lifecycle.config import EVICTION
from snapshots.lifecycle.memory_reviews import decide_review, review_tenant
from snapshots.lifecycle.retention.eviction import evict_tenant
from snapshots.lifecycle.retention.purge import preview_purge, purge_tenant
from snapshots.lifecycle.staff_actions.memory_actions import ActContext
from snapshots.lifecycle.staff_actions.merge_memories import MergeRefused, merge_memories
from snapshots.lifecycle.staff_actions.undo_act import find_last_act, undo_act
from snapshots.models import MemoryReview, Note, ReviewDecision, Snapshot
from snapshots.notes.edit import change_vital_class
from snapshots.notes.outdated_note_questions import list_outdated_questions, settle_outdated_note
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery, ScoreFactors
from snapshots.understanding.config import NOTING
from snapshots.understanding.grading.handwritten_note_grade import suggest_vital_class
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.feedback.telling import ask, tell
from tests.snapshots.held import remember
from tests.snapshots.notes.world import ALLERGY, ALLERGY_ZH, note
from tests.snapshots.policies.test_effective_policies import make
from tests.snapshots.understanding.making import MONDAY, say, settle

UNSURE = "last year I had an allergic reaction at a wedding"
STAFF = ActContext(COMMAND_LINE, "tidy up 整理")


def list_notes(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        return sorted(Snapshot.objects.values_list("text", flat=True))


def judge(house: House, signal: Signal, *notes: UUID, times: int) -> None:
    """Have contexts with all that is held, and say of each of these notes in them how it was received."""
    for number in range(times):
        receipt = ask(house, f"snacks with peanuts? 花生? 喝茶? {number}")
        tell(house, receipt, verdicts=[ProductVerdict(one, signal) for one in notes])
    roll_up_tallies(house.tenant.id)


def weigh(house: House) -> dict[UUID, ScoreFactors]:
    """Return what recall multiplies the relevance of each note by."""
    lanes = frozenset({"snapshots", "notes"})
    query = RecallQuery("allergic to peanuts 花生过敏", asked_at=utc_now(), lanes=lanes, explain=True)
    found = recall(house.tenant.id, house.subject.external_id, query)
    return {one.id: one.explain.factors for one in (note.memory for note in found.notes) if one.explain}


def test_a_note_never_expires_unless_the_policy_says_so(world: World) -> None:
    note(world.acme, ALLERGY)
    make(world.acme, {"retention": {"note": 30}}, activate=True)
    kept = note(world.acme, ALLERGY_ZH)
    make(world.acme, {"retention": {"note": None}}, activate=True)
    note(world.acme, "for ever 永远")
    with tenant_tx(world.acme.tenant.id):
        times = dict(Snapshot.objects.values_list("text", "expires_at"))
        assert [text for text, at in times.items() if at is not None] == [ALLERGY_ZH]
        Snapshot.objects.filter(id=kept).update(expires_at=utc_now())
        assert preview_purge()["snapshots"] == 1
    purge_tenant(world.acme.tenant.id)
    assert list_notes(world.acme) == sorted([ALLERGY, "for ever 永远"])
    with tenant_tx(world.acme.tenant.id):
        assert Note.objects.count() == 2


def test_a_note_outlives_its_statement(world: World) -> None:
    (statement,) = remember(world.acme, ALLERGY)
    note(world.acme, "allergic 过敏", statement_id=statement)
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=statement).update(expires_at=utc_now())
    purge_tenant(world.acme.tenant.id)
    with tenant_tx(world.acme.tenant.id):
        assert Note.objects.get().statement_id == statement
    assert list_notes(world.acme) == ["allergic 过敏"]


def test_notes_count_against_the_limit_and_vital_ones_stay_while_they_hold(world: World) -> None:
    old = utc_now() - timedelta(days=900)
    vital = note(world.acme, ALLERGY, vital_class="allergy", said_at=old)
    note(world.acme, ALLERGY_ZH, said_at=old)
    remember(world.acme, "new 新的")
    policy = replace(EVICTION, subject=2)
    assert evict_tenant(world.acme.tenant.id, config=policy) == 1
    assert list_notes(world.acme) == sorted([ALLERGY, "new 新的"])
    assert evict_tenant(world.acme.tenant.id, config=replace(policy, subject=0)) == 1
    assert list_notes(world.acme) == [ALLERGY]
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=vital).update(retired_at=utc_now())
    assert evict_tenant(world.acme.tenant.id, config=replace(policy, subject=0)) == 1


def test_a_disliked_vital_note_is_not_lowered(world: World) -> None:
    vital, plain = note(world.acme, ALLERGY, vital_class="allergy"), note(world.acme, "每天喝茶", grade="habit")
    judge(world.acme, Signal.NEGATIVE, vital, plain, times=5)
    with tenant_tx(world.acme.tenant.id):
        assert preview_calibration().counts["disliked"] == 1
    assert calibrate_tenant(world.acme.tenant.id) == 1
    with tenant_tx(world.acme.tenant.id):
        confidence = dict(Snapshot.objects.values_list("id", "confidence"))
        assert confidence[vital] == 0.6 > confidence[plain]
        assert not MemoryReview.objects.exists()


@pytest.mark.parametrize(
    ("text", "question"),
    [(ALLERGY, f"Is it still so: “{ALLERGY}”?"), (ALLERGY_ZH, f"“{ALLERGY_ZH}”,现在还是这样吗?")],
)
def test_a_vital_note_that_was_corrected_twice_is_asked_about(world: World, text: str, question: str) -> None:
    house = world.acme
    vital, plain = note(house, text, vital_class="allergy"), note(house, "每天喝茶", grade="habit")
    judge(house, Signal.CORRECTED, vital, plain, times=1)
    assert calibrate_tenant(house.tenant.id) == 0
    judge(house, Signal.CORRECTED, vital, plain, times=1)
    assert calibrate_tenant(house.tenant.id) == 1
    assert calibrate_tenant(house.tenant.id) == 0, "its tally begins anew"
    review_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        assert [one.memory_ref for one in MemoryReview.objects.filter(decided_at=None)] == [vital]
        (need,) = list_outdated_questions(house.subject)
        assert question in (need.question_en, need.question_zh)
        settle_outdated_note(house.subject, need.key, "yes")
        assert Snapshot.objects.get(id=vital).confidence == 1.0
        assert list_outdated_questions(house.subject) == []
    review_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        assert not MemoryReview.objects.filter(decided_at=None).exists()


def test_a_vital_note_does_not_age(world: World) -> None:
    house, old = world.acme, utc_now() - timedelta(days=900)
    vital = note(house, ALLERGY, vital_class="allergy", confidence=0.9, provenance="confirmed_by_user", said_at=old)
    plain = note(house, ALLERGY_ZH, confidence=0.9, provenance="confirmed_by_user", said_at=old)
    unsure = note(house, "allergic to cats 对猫过敏", vital_class="allergy", confidence=0.1, said_at=old)
    with tenant_tx(house.tenant.id):
        Snapshot.objects.update(last_validated_at=old)
    aged = weigh(house)
    assert aged[vital].confidence_effective == pytest.approx(0.9)
    assert aged[plain].confidence_effective == pytest.approx(0.27)
    assert aged[vital].recency > aged[plain].recency
    assert review_tenant(house.tenant.id) == 2
    with tenant_tx(house.tenant.id):
        assert set(MemoryReview.objects.values_list("memory_ref", flat=True)) == {plain, unsure}
        change_vital_class(Snapshot.objects.get(id=vital), "", STAFF, suggest_vital_class)
    assert weigh(house)[vital] == aged[plain]
    assert review_tenant(house.tenant.id) == 1


def test_a_note_is_asked_about_once_its_time_has_come(world: World) -> None:
    past, ahead = utc_now() - timedelta(minutes=1), utc_now() + timedelta(days=9)
    due = note(world.acme, ALLERGY, review_by=past, confidence=1.0, provenance="confirmed_by_user")
    note(world.acme, ALLERGY_ZH, review_by=ahead, confidence=1.0, provenance="confirmed_by_user")
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.update(last_validated_at=utc_now() - timedelta(days=1))
        Snapshot.objects.update(recorded_at=utc_now() - timedelta(days=2))
    assert review_tenant(world.acme.tenant.id) == 1
    with tenant_tx(world.acme.tenant.id):
        (asked,) = MemoryReview.objects.values_list("memory_ref", "reason")
        assert asked == (due, "stale")
        Snapshot.objects.filter(id=due).update(last_validated_at=utc_now())
    review_tenant(world.acme.tenant.id)
    with tenant_tx(world.acme.tenant.id):
        assert MemoryReview.objects.get().decision == "gone"


@pytest.mark.parametrize("decision", [ReviewDecision.KEPT, ReviewDecision.RETIRED])
def test_a_note_that_the_reader_is_unsure_of_is_asked_about_once(world: World, decision: ReviewDecision) -> None:
    acme = world.acme
    say(acme, UNSURE, "I work as a midwife in Ghent")
    settle(acme)
    assert review_tenant(acme.tenant.id) == 1
    assert review_tenant(acme.tenant.id) == 0, "it waits for a decision"
    with tenant_tx(acme.tenant.id):
        asked = MemoryReview.objects.get()
        note_row = Note.objects.get(snapshot_id=asked.memory_ref)
        assert (note_row.snapshot.text, asked.reason, asked.decision) == (UNSURE, "unsure", "")
        assert note_row.grade_probability < NOTING.held_from
        decide_review(acme.subject, asked.id, decision, by=COMMAND_LINE, reason="looked at 看过了")
    assert review_tenant(acme.tenant.id) == 0, "somebody has looked at it"


def test_an_unsure_note_that_is_said_again_needs_no_review(world: World) -> None:
    say(world.acme, UNSURE)
    settle(world.acme)
    say(world.acme, UNSURE, conversation="c2", at=MONDAY + timedelta(days=1))
    settle(world.acme)
    assert review_tenant(world.acme.tenant.id) == 0


def test_consolidation_leaves_notes_alone(world: World) -> None:
    note(world.acme, ALLERGY)
    (statement,) = remember(world.acme, f"{ALLERGY} and always was")
    with tenant_tx(world.acme.tenant.id):
        assert [member.id for member in list_members(world.acme.subject.id)] == [statement]


def test_staff_merge_a_note_with_a_note_only(world: World) -> None:
    one, other = note(world.acme, ALLERGY), note(world.acme, "Peanuts make me ill 花生让我不舒服")
    (statement,) = remember(world.acme, ALLERGY_ZH)
    with tenant_tx(world.acme.tenant.id):
        rows = {row.id: row for row in Snapshot.objects.select_related("subject")}
        for pair in ((one, statement), (statement, one)):
            with pytest.raises(MergeRefused):
                merge_memories(rows[pair[0]], rows[pair[1]], STAFF)
        merge_memories(rows[one], rows[other], STAFF)
        assert Snapshot.objects.get(id=other).superseded_by_id == one


def test_notes_follow_their_contact_through_a_merge_and_back(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        own = {"subject": world.acme.subject, "kind": "contact"}
        mother, mum = (Tag.objects.create(label=label, **own) for label in ("妈妈", "Mum"))
    note(world.acme, "Mum is vegetarian", about_kind="contact", about_tag_id=mum.id)
    with tenant_tx(world.acme.tenant.id):
        merge_memories(mother, mum, STAFF)
        assert Note.objects.get().about_tag_id == mother.id
        act = find_last_act(mother)
        assert act is not None
        undo_act(world.acme.subject, act.id, STAFF)
        assert Note.objects.get().about_tag_id == mum.id
