"""What staff do to a memory, and take back: one verb, one audit record, history kept. Rows: D2, P4, T7, E8."""

from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import VersionMismatch
from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.selectors import details_of, preferences_at
from profiles.services.preferences import record_preference
from profiles.services.value_claims import make_stated_claim
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.learned.forget_whole_belief import forget_preference
from snapshots.lifecycle.edit_snapshot import edit_snapshot
from snapshots.lifecycle.memory_reviews import decide_review, request_review
from snapshots.lifecycle.selectors import load_snapshot_history
from snapshots.lifecycle.staff_actions.memory_actions import (
    ActContext,
    ActedMemory,
    KeyTaken,
    NoLongerHeld,
    add_preference,
    build_correction,
    confirm_memory,
    correct_belief,
    correct_tag,
    move_preference,
    retire_memory,
)
from snapshots.lifecycle.staff_actions.merge_memories import MergeRefused, merge_memories
from snapshots.lifecycle.staff_actions.undo_act import (
    UndoImpossible,
    find_last_act,
    find_retired_tag,
    undo_act,
    undo_correction,
)
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import (
    SOURCES,
    MemoryAct,
    MemoryLane,
    MemoryReview,
    Message,
    ReviewDecision,
    ReviewReason,
    Snapshot,
    SnapshotVersion,
    SnapshotWords,
)
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord
from tenants.services.audit import Actor
from tests.conftest import House, World
from tests.memory_platform.console.rows import make_one_of_each
from tests.snapshots.held import know, label, prefer, remember

SAM = ActContext(Actor(ActorKind.STAFF, "7"), "she said so on the phone 电话")


@pytest.fixture
def acme(world: World) -> House:
    return world.acme


def only(model: type[Any], **filters: Any) -> Any:
    return model.objects.select_related("subject").get(**filters)


def audited_actions() -> list[str]:
    return list(AuditRecord.objects.filter(reason=SAM.reason).order_by("at", "id").values_list("action", flat=True))


def believed_values(house: House) -> dict[str, Any]:
    return {one.key: one.value for one in preferences_at(house.subject)}


def undo(memory: ActedMemory) -> Any:
    act = find_last_act(memory)
    assert act is not None
    return undo_act(memory.subject, act.id, SAM)


def test_a_corrected_preference_has_a_past_and_can_be_put_back(acme: House) -> None:
    prefer(acme, "navigation", "avoid", "tunnels", statement="no tunnels please")
    with tenant_tx(acme.tenant.id):
        row = only(Preference)
        made = correct_belief(row, "高速公路", SAM, statement="")
        corrected_at = utc_now()
        assert believed_values(acme) == {"avoid": "高速公路"}
        assert (made.provenance, made.confidence) == ("corrected_by_staff", 0.9)
        assert audited_actions() == ["memory.corrected"]
    with tenant_tx(acme.tenant.id):
        assert undo(made) == row.id
        assert believed_values(acme) == {"avoid": "tunnels"}
        then = preferences_at(acme.subject, known_at=corrected_at)
        assert [one.value for one in then] == ["高速公路"]
        assert audited_actions() == ["memory.corrected", "memory.corrected_undone"]
        assert find_last_act(made) is None


def test_a_correction_that_was_said_again_is_not_taken_back(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")
    with tenant_tx(acme.tenant.id):
        made = correct_belief(only(Preference), "coffee", SAM)
    prefer(acme, "food", "likes", "coffee")
    with tenant_tx(acme.tenant.id), pytest.raises(UndoImpossible):
        undo(made)


def test_what_staff_typed_is_not_confirmed_until_the_user_says_it(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")
    with tenant_tx(acme.tenant.id):
        typed = correct_belief(only(Preference), "coffee", SAM)
    prefer(acme, "food", "likes", "coffee")
    with tenant_tx(acme.tenant.id):
        said = only(Preference, id=typed.id)
        assert (said.value, said.provenance, said.confidence) == ("coffee", "confirmed_by_user", 1.0)


def test_the_user_may_take_back_what_staff_typed(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")
    with tenant_tx(acme.tenant.id):
        correct_belief(only(Preference), "coffee", SAM)
    prefer(acme, "food", "likes", "tea")
    with tenant_tx(acme.tenant.id):
        assert believed_values(acme) == {"likes": "tea"}


def test_the_same_value_again_confirms_it(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")
    with tenant_tx(acme.tenant.id):
        made = correct_belief(only(Preference), "tea", SAM)
        assert (made.provenance, made.confidence) == ("confirmed_by_user", 1.0)


def test_corrected_columns_of_a_tag_are_from_staff_and_go_back(acme: House) -> None:
    label(acme, "home", address="5 Oak Road")
    with tenant_tx(acme.tenant.id):
        before = only(Tag)
        tag = correct_tag(before, {"address": "15 Oak Road"}, SAM)
        assert (tag.address, tag.provenance, tag.confidence) == ("15 Oak Road", "corrected_by_staff", 0.9)
    with tenant_tx(acme.tenant.id):
        undo(tag)
        back = only(Tag)
        assert (back.address, back.provenance) == ("5 Oak Road", "confirmed_by_user")


def test_a_profile_field_is_corrected_found_by_it_and_put_back(acme: House) -> None:
    know(acme, name="Ada")
    with tenant_tx(acme.tenant.id):
        made = correct_belief(only(ProfileFact), "艾达", SAM)
        version = Subject.objects.get(id=acme.subject.id)
        assert "艾达" in version.search_text
        undo(made)
        after = Subject.objects.get(id=acme.subject.id)
        assert "艾达" not in after.search_text
        assert after.profile_version > version.profile_version


def test_retired_beliefs_hold_again_unless_another_took_their_place(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")
    know(acme, occupation="nurse")
    with tenant_tx(acme.tenant.id):
        tea, nurse = only(Preference), only(ProfileFact)
        for row in (tea, nurse):
            retire_memory(row, SAM)
        assert believed_values(acme) == {}
        undo(nurse)
        assert only(ProfileFact, retired_at=None).is_current
        record_preference(acme.subject, "food", "likes", make_stated_claim("coffee"))
        with pytest.raises(UndoImpossible):
            undo(tea)


def test_confirming_makes_sure_and_can_be_taken_back(acme: House) -> None:
    remember(acme, "may like tea", confidence=0.3)
    label(acme, "home", address="12 Elm Street")
    with tenant_tx(acme.tenant.id):
        Tag.objects.update(provenance="observation", confidence=0.5)
        for model in (Snapshot, Tag):
            row = only(model)
            confirm_memory(row, SAM)
            sure = only(model)
            assert (sure.provenance, sure.confidence) == ("confirmed_by_user", 1.0)
            undo(sure)
            assert only(model).confidence == row.confidence
            assert only(model).provenance == row.provenance


def test_a_corrected_snapshot_is_found_by_its_new_words_and_says_the_old_again(acme: House) -> None:
    (snapshot_id,) = remember(acme, "She lives in Graz.")
    address = SnapshotAddress(acme.subject.external_id, snapshot_id)
    mask = lambda text: (text, 0)  # noqa: E731 - as short as that
    edit_snapshot(acme.tenant.id, address, build_correction("她住在维也纳", SAM, mask), active_embedders())
    with tenant_tx(acme.tenant.id):
        row = only(Snapshot)
        assert row.text == "她住在维也纳"
        assert "graz" not in str(SnapshotWords.objects.get().words).lower()
        act = find_last_act(row)
        assert act is not None
    undo_correction(acme.tenant.id, act, SAM, mask=mask, embedders=active_embedders())
    with tenant_tx(acme.tenant.id):
        assert only(Snapshot).text == "She lives in Graz."
        assert next(state.snapshot.text for state in load_snapshot_history(only(Snapshot))) == "She lives in Graz."
        assert audited_actions() == ["memory.corrected", "memory.corrected_undone"]


def test_a_retired_snapshot_holds_again(acme: House) -> None:
    remember(acme, "She lives in Graz.")
    with tenant_tx(acme.tenant.id):
        row = only(Snapshot)
        retire_memory(row, SAM)
        assert only(Snapshot).retired_at is not None
        with pytest.raises(NoLongerHeld):
            confirm_memory(row, SAM)
        undo(row)
        assert only(Snapshot).retired_at is None


def test_merged_preferences_are_one_with_both_sources_and_come_apart_again(acme: House) -> None:
    with tenant_tx(acme.tenant.id):
        rows, others = make_one_of_each("花生"), make_one_of_each("peanuts", 1)
        Message.objects.update(subject=rows[Subject])
        SnapshotVersion.objects.all().delete()
        for model in (Preference, ProfileFact, Tag, Snapshot):
            links = SOURCES[model]
            others[model].subject = rows[model].subject
            model._default_manager.filter(pk=others[model].pk).update(subject=rows[model].subject)
            links._default_manager.filter(memory=others[model].pk).update(subject=rows[model].subject)
            stays, goes = only(model, pk=rows[model].pk), only(model, pk=others[model].pk)
            merge_memories(stays, goes, SAM)
            assert links._default_manager.filter(memory=stays.pk).count() == 2, model
            undo(stays)
            assert links._default_manager.filter(memory=stays.pk).count() == 1, model
            back = only(model, pk=goes.pk)
            assert links._default_manager.filter(memory=goes.pk).count() == 1, model
            assert getattr(back, "invalid_at", None) is None, model
        assert audited_actions() == ["memory.merged", "memory.merged_undone"] * 4
        tag = only(Tag, pk=rows[Tag].pk)
        assert tag.aliases == ["花生"]


def test_only_two_memories_of_one_subject_and_kind_become_one(acme: House) -> None:
    with tenant_tx(acme.tenant.id):
        rows, others = make_one_of_each("one"), make_one_of_each("two", 1)
        for one, other in ((rows[Tag], others[Tag]), (rows[Tag], rows[Tag]), (rows[Preference], rows[ProfileFact])):
            with pytest.raises(MergeRefused):
                merge_memories(one, other, SAM)


def test_a_tag_is_corrected_and_put_back_unless_it_changed_since(acme: House) -> None:
    label(acme, "home", address="12 Elm Street")
    with tenant_tx(acme.tenant.id):
        correct_tag(only(Tag), {"address": "世纪大道100号", "phone": ""}, SAM)
        undo(only(Tag))
        assert only(Tag).address == "12 Elm Street"
        correct_tag(only(Tag), {"address": "3 Oak Street"}, SAM)
        Tag.objects.update(address="elsewhere")
        with pytest.raises(UndoImpossible):
            undo(only(Tag))


def test_a_review_that_retired_asks_again_when_taken_back(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")
    with tenant_tx(acme.tenant.id):
        row = only(Preference)
        review = MemoryReview.objects.create(
            subject=acme.subject, lane="preferences", memory_ref=row.id, reason="stale", effective_confidence=0.1
        )
        decide_review(acme.subject, review.id, "retired", by=SAM.by, reason=SAM.reason)  # type: ignore[arg-type]
        undo(row)
        assert believed_values(acme) == {"likes": "tea"}
        assert MemoryReview.objects.get().decided_at is None


def test_who_saw_another_version_is_refused_and_nothing_is_done(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")

    def stale(_id: object, version: int) -> None:
        if version != 99:
            raise VersionMismatch("changed")

    with tenant_tx(acme.tenant.id):
        row = only(Preference)
        for act in (confirm_memory, retire_memory):
            with pytest.raises(VersionMismatch):
                act(row, ActContext(SAM.by, SAM.reason, stale))
        with pytest.raises(VersionMismatch):
            correct_belief(row, "coffee", ActContext(SAM.by, SAM.reason, stale))
        assert believed_values(acme) == {"likes": "tea"}
        assert audited_actions() == []


def test_an_act_is_taken_back_once_and_only_the_last_one(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")
    with tenant_tx(acme.tenant.id):
        made = correct_belief(only(Preference), "coffee", SAM)
        first = find_last_act(made)
        assert first is not None
        retire_memory(made, SAM)
        with pytest.raises(UndoImpossible):
            undo_act(acme.subject, first.id, SAM)
        undo(made)
        undo(made)
        assert believed_values(acme) == {"likes": "tea"}
        with pytest.raises(UndoImpossible):
            undo_act(acme.subject, first.id, SAM)


def test_forgetting_a_belief_leaves_nothing_to_take_back(acme: House) -> None:
    prefer(acme, "food", "likes", "tea")
    with tenant_tx(acme.tenant.id):
        correct_belief(only(Preference), "coffee", SAM)
        forget_preference(acme.subject, "food", "likes", by=SAM.by)
        assert not MemoryAct.objects.exists()


def test_a_preference_moves_to_another_key_and_back(acme: House) -> None:
    prefer(acme, "navigation", "wishes", "highway")
    prefer(acme, "navigation", "pace", "slow")
    with tenant_tx(acme.tenant.id):
        old = only(Preference, key="wishes")
        with pytest.raises(KeyTaken):
            move_preference(old, "navigation", "pace", "slow", SAM)
        made = move_preference(old, "navigation", "avoid_highway", True, SAM, statement="不走高速")
        assert believed_values(acme) == {"avoid_highway": True, "pace": "slow"}
        assert (made.provenance, made.statement) == ("corrected_by_staff", "不走高速")
        assert undo(made) == old.id
        assert believed_values(acme) == {"wishes": "highway", "pace": "slow"}
        assert audited_actions() == ["memory.corrected", "memory.corrected_undone"]


def test_a_move_is_not_undone_once_either_key_has_news(acme: House) -> None:
    prefer(acme, "navigation", "wishes", "highway")
    with tenant_tx(acme.tenant.id):
        made = move_preference(only(Preference), "navigation", "avoid_highway", True, SAM)
    prefer(acme, "navigation", "wishes", "scenic")
    with pytest.raises(UndoImpossible), tenant_tx(acme.tenant.id):
        undo(made)
    with tenant_tx(acme.tenant.id):
        assert believed_values(acme) == {"avoid_highway": True, "wishes": "scenic"}


def test_an_added_preference_is_taken_back_unless_the_user_said_it_since(acme: House) -> None:
    with tenant_tx(acme.tenant.id):
        made = add_preference(acme.subject, "food", "diet", "vegan", SAM)
        undo(made)
        assert believed_values(acme) == {}
        made = add_preference(acme.subject, "food", "diet", "vegan", SAM)
    prefer(acme, "food", "diet", "vegan")
    with pytest.raises(UndoImpossible), tenant_tx(acme.tenant.id):
        undo(made)
    with tenant_tx(acme.tenant.id):
        assert audited_actions() == ["memory.added", "memory.added_undone", "memory.added"]


def test_a_retired_tag_comes_back_with_its_past_and_what_was_known_of_it(acme: House) -> None:
    label(acme, "妈妈", relation="mother", phone="13800000000")
    label(acme, "妈妈", phone="13900000000")
    prefer(acme, "people", "妈妈_allergies", ["peanuts"])
    with tenant_tx(acme.tenant.id):
        tag = only(Tag)
        past = sorted(tag_past(tag))
        retire_memory(tag, SAM)
        assert not Tag.objects.exists()
        assert find_retired_tag(tag.id) is not None
        undo(tag)
        assert sorted(tag_past(only(Tag))) == past
        assert believed_values(acme) == {"妈妈_allergies": ["peanuts"]}
        retire_memory(only(Tag), SAM)
    label(acme, "妈妈", phone="1")
    with pytest.raises(UndoImpossible), tenant_tx(acme.tenant.id):
        undo(tag)


def test_a_memory_kept_in_a_review_is_reviewed_again_after_an_undo(acme: House) -> None:
    prefer(acme, "food", "diet", "vegan")
    with tenant_tx(acme.tenant.id):
        row = only(Preference)
        request_review(row, MemoryLane.PREFERENCES, ReviewReason.STALE)
        review = MemoryReview.objects.get()
        decide_review(acme.subject, review.id, ReviewDecision.KEPT, by=SAM.by, reason=SAM.reason)
        undo(row)
        review.refresh_from_db()
        assert (review.decision, review.decided_at) == ("", None)
        assert only(Preference).last_validated_at == row.last_validated_at
        assert audited_actions() == ["memory.kept", "memory.kept_undone"]


def tag_past(tag: Tag) -> list[tuple[str, str, bool]]:
    rows = details_of(tag).filter(version_of=None)
    return [(row.detail, str(row.value), row.invalid_at is None) for row in rows]
