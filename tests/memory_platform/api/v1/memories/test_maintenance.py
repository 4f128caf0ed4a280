"""What care leaves to people, over the API: reviews, consolidations, archived words. Rows: E3, E5, E7, D1, T7."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.providers.registry import embedders
from profiles.models import Preference, ProfileFact
from snapshots.consolidation.pipeline import consolidate_subject
from snapshots.lifecycle.memory_reviews import review_tenant
from snapshots.lifecycle.retention.message_archive import archive_tenant
from snapshots.models import Conversation, ConversationStatus, MessageArchive, Snapshot, Work, WorkState
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.held import know, prefer, remember, say

ADA = "/v1/subjects/ada"
GIL = "/v1/subjects/gil"
SAME = ("我坐飞机喜欢靠窗的座位", "坐飞机我喜欢靠窗座位", "我坐飞机都喜欢靠窗的座位")


def list_rows(caller: Caller, path: str) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = body_of(caller("GET", path))["data"]
    return data


@pytest.fixture
def in_question(world: World) -> House:
    """A snapshot, a preference and a fact that nobody has validated for half a year."""
    house = world.acme
    remember(house, "may like tea")
    prefer(house, "food", "likes", ["拉面"])
    know(house, occupation="pilot")
    with tenant_tx(house.tenant.id):
        for table in (Snapshot, Preference, ProfileFact):
            table.objects.update(last_validated_at=F("last_validated_at") - timedelta(days=181))
    review_tenant(house.tenant.id)
    return house


@pytest.fixture
def house_with_merge(world: World) -> House:
    """Three memories that are one."""
    remember(world.acme, *SAME)
    assert consolidate_subject(world.acme.tenant.id, world.acme.subject.id, embedders("wordllama,use")) == 3
    return world.acme


@pytest.fixture
def house_with_archive(world: World) -> House:
    """A conversation that ended long ago, its words in the archive."""
    house = world.acme
    say(house, "我喜欢靠窗的座位", "and aisle seats on trains")
    with tenant_tx(house.tenant.id):
        Work.objects.update(state=WorkState.DONE, done_at=utc_now())
        Conversation.objects.update(
            status=ConversationStatus.ENDED, last_accepted_at=F("last_accepted_at") - timedelta(days=91)
        )
    assert archive_tenant(house.tenant.id) == 2
    return house


@pytest.mark.usefixtures("in_question")
def test_a_review_says_what_is_in_question_and_why(acme: Caller) -> None:
    rows = {row["lane"]: row for row in list_rows(acme, f"{ADA}/reviews?state=open")}
    assert {lane: (row["name"], row["value"]) for lane, row in rows.items()} == {
        "snapshots": (None, "may like tea"),
        "preferences": ("food/likes", ["拉面"]),
        "profile": ("occupation", "pilot"),
    }
    assert {(row["reason"], row["state"], row["decided_at"]) for row in rows.values()} == {("stale", "open", None)}
    assert list_rows(acme, f"{ADA}/reviews?state=kept") == []


def test_what_is_retired_leaves_recall_and_what_is_kept_is_not_asked_about_again(
    acme: Caller, in_question: House
) -> None:
    for row in list_rows(acme, f"{ADA}/reviews"):
        decision = "keep" if row["lane"] == "preferences" else "retire"
        said = {"decision": decision, "reason": "问过她 4111 1111 1111 1111"}
        decided = acme("POST", f"{ADA}/reviews/{row['review_id']}/decide", said)
        assert body_of(decided)["state"] == {"keep": "kept", "retire": "retired"}[decision]
        assert body_of(decided)["decided_by"]
    found = body_of(acme("POST", f"{ADA}/recall", {"query": "tea"}))
    assert (found["memories"], found["preferences"]) == ([], {"food": {"likes": ["拉面"]}})
    assert body_of(acme("GET", f"{ADA}/profile"))["occupation"] is None
    assert review_tenant(in_question.tenant.id) == 0
    with tenant_tx(in_question.tenant.id):
        reasons = set(AuditRecord.objects.filter(reason__startswith="问过她").values_list("reason", flat=True))
    assert len(reasons) == 1
    assert "4111" not in reasons.pop()


def test_a_decision_may_be_sent_again_and_not_turned_round(acme: Caller, in_question: House) -> None:
    one = list_rows(acme, f"{ADA}/reviews")[0]
    path = f"{ADA}/reviews/{one['review_id']}/decide"
    first = body_of(acme("POST", path, {"decision": "keep"}))
    assert body_of(acme("POST", path, {"decision": "keep"})) == first
    assert problem_of(acme("POST", path, {"decision": "retire"}), 409)["code"] == "review_decided"
    assert fields_of(problem_of(acme("POST", path, {"decision": "gone"}), 400)) == {"decision"}
    assert fields_of(problem_of(acme("GET", f"{ADA}/reviews?state=perhaps"), 400)) == {"state"}
    problem_of(acme("POST", f"{ADA}/reviews/{new_id()}/decide", {"decision": "keep"}), 404)


@pytest.mark.usefixtures("in_question")
def test_reviews_are_the_subjects_own(acme: Caller, globex: Caller) -> None:
    acme("PUT", "/v1/subjects/bob", {})
    one = list_rows(acme, f"{ADA}/reviews")[0]
    for caller, subject in ((acme, "/v1/subjects/bob"), (globex, ADA), (globex, GIL)):
        problem_of(caller("POST", f"{subject}/reviews/{one['review_id']}/decide", {"decision": "retire"}), 404)
    assert list_rows(globex, f"{GIL}/reviews") == []
    assert {row["state"] for row in list_rows(acme, f"{ADA}/reviews")} == {"open"}


def test_a_joined_memory_is_taken_apart_with_a_reason(acme: Caller, globex: Caller, house_with_merge: House) -> None:
    [row] = list_rows(acme, f"{ADA}/consolidations")
    assert [one["id"] for one in list_rows(acme, f"{ADA}/snapshots")] == [row["memory_id"]]
    assert (len(row["members"]), row["undone_at"]) == (3, None)
    path = f"consolidations/{row['consolidation_id']}/undo"
    acme("PUT", "/v1/subjects/bob", {})
    for caller, subject in ((acme, "/v1/subjects/bob"), (globex, ADA), (globex, GIL)):
        problem_of(caller("POST", f"{subject}/{path}", {}), 404)
    undone = body_of(acme("POST", f"{ADA}/{path}", {"reason": "不是一回事"}, Idempotency_Key="k1"))
    assert undone["undone_at"] is not None
    assert {one["id"] for one in list_rows(acme, f"{ADA}/snapshots")} == set(row["members"])
    assert body_of(acme("POST", f"{ADA}/{path}", {"reason": "不是一回事"}, Idempotency_Key="k1")) == undone
    assert problem_of(acme("POST", f"{ADA}/{path}", {}), 409)["code"] == "consolidation_undone"
    assert list_rows(acme, f"{ADA}/consolidations") == [undone]
    with tenant_tx(house_with_merge.tenant.id):
        record = AuditRecord.objects.get(action="memory.taken_apart")
        assert (record.reason, record.object_id) == ("不是一回事", row["consolidation_id"])


def test_archived_words_come_back(acme: Caller, globex: Caller, house_with_archive: House) -> None:
    path = f"{ADA}/conversations/trip"
    before = list_rows(acme, f"{path}/messages")
    assert before[0]["content"] == "我喜欢靠窗的座位"
    for subject in (ADA, GIL):
        problem_of(globex("POST", f"{subject}/conversations/trip/restore", {}), 404)
    restored = body_of(acme("POST", f"{path}/restore", {}))
    assert restored == {"conversation_id": "trip", "restored": 2}
    assert body_of(acme("POST", f"{path}/restore", {}))["restored"] == 0
    assert list_rows(acme, f"{path}/messages") == before
    with tenant_tx(house_with_archive.tenant.id):
        assert not MessageArchive.objects.exists()
        assert AuditRecord.objects.filter(action="conversation.restored").count() == 1
    problem_of(acme("POST", f"{ADA}/conversations/none/restore", {}), 404)
