"""What care leaves to people is decided in the console: with a reason, on record, never by viewers.

Rows: E3, E4, E5, E7, E8, D2, T3, T7.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db.models import F, Model
from django.test import Client

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.registry import embedders
from profiles.models import Erasure, Preference, ProfileFact, Tag
from profiles.services.erasure_certificates import build_certificate, is_genuine
from snapshots.consolidation.pipeline import consolidate_subject
from snapshots.lifecycle.memory_reviews import review_tenant
from snapshots.lifecycle.retention.message_archive import archive_tenant
from snapshots.models import (
    Calibration,
    Consolidation,
    Conversation,
    ConversationStatus,
    MemoryReview,
    Message,
    Snapshot,
    SnapshotCounter,
    Work,
    WorkState,
)
from snapshots.scheduled_job_registry import CALIBRATE, CARE
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, JobRun
from tenants.services.job_runs import run_by_hand
from tests.conftest import House
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.held import know, label, prefer, remember, say
from tests.snapshots.understanding.making import say as tell
from tests.snapshots.understanding.making import settle

REASON = "asked her on the phone"
SAME = ("I love spicy ramen noodles", "I really love spicy ramen noodles", "I love the spicy ramen noodles")


def list_address_of(model: type[Model], page: str = "") -> str:
    return f"/console/{model._meta.app_label}/{model._meta.model_name}/{page}"


def run_list_action(client: Client, action: str, *rows: Any, reason: str = REASON) -> str:
    body = {"action": action, "_selected_action": [str(row.pk) for row in rows], "reason": reason}
    return client.post(list_address_of(type(rows[0])), body, follow=True).content.decode()


def list_rows(house: House, model: type[Model]) -> list[Any]:
    with tenant_tx(house.tenant.id):
        return list(model._default_manager.order_by("pk"))


def list_audit_actions(house: House) -> set[str]:
    with tenant_tx(house.tenant.id):
        acts = AuditRecord.objects.filter(reason=REASON).exclude(action__endswith=".listed")
        return set(acts.values_list("action", flat=True))


@pytest.fixture
def reviews(acme: House) -> list[MemoryReview]:
    remember(acme, "may like tea <b>", confidence=0.1)
    prefer(acme, "food", "likes", ["拉面"])
    with tenant_tx(acme.tenant.id):
        Preference.objects.update(last_validated_at=F("last_validated_at") - timedelta(days=181))
    assert review_tenant(acme.tenant.id) == 2
    return list_rows(acme, MemoryReview)


@pytest.fixture
def consolidation(acme: House) -> Consolidation:
    remember(acme, *SAME)
    assert consolidate_subject(acme.tenant.id, acme.subject.id, embedders("wordllama,use")) == 3
    row: Consolidation = list_rows(acme, Consolidation)[0]
    return row


@pytest.fixture
def archived_conversation(acme: House) -> Conversation:
    say(acme, "我喜欢靠窗的座位")
    with tenant_tx(acme.tenant.id):
        Work.objects.update(state=WorkState.DONE, done_at=utc_now())
        past = F("last_accepted_at") - timedelta(days=91)
        Conversation.objects.update(status=ConversationStatus.ENDED, last_accepted_at=past)
    assert archive_tenant(acme.tenant.id) == 1
    row: Conversation = list_rows(acme, Conversation)[0]
    return row


def test_what_is_in_question_stands_there_in_its_words(staff: Staff, reviews: list[MemoryReview]) -> None:
    page = staff.vic.get(list_address_of(MemoryReview)).content.decode()
    assert "may like tea &lt;b&gt;" in page
    assert "拉面" in page
    for review in reviews:
        one = staff.vic.get(list_address_of(MemoryReview, f"{review.pk}/change/")).content.decode()
        assert f"{review.memory_ref}/change/" in one


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("negative feedback", "confidence", "changes of confidence")),
        ("zh-hans", ("负面反馈", "置信度", "置信度变化")),
    ],
)
def test_how_confidence_moved_is_seen_with_its_counts_its_memory_and_its_run(
    acme: House, staff: Staff, language: str, words: tuple[str, ...]
) -> None:
    tea = calibrate_memory(acme)
    staff.vic.post("/i18n/setlang/", {"language": language, "next": "/console/"})
    [moved] = list_rows(acme, Calibration)
    run = JobRun.objects.get(job="calibrate-confidence (by hand)")
    listed = staff.vic.get(list_address_of(Calibration)).content.decode()
    page = staff.vic.get(list_address_of(Calibration, f"{moved.pk}/change/")).content.decode()
    of_memory = staff.vic.get(list_address_of(Snapshot, f"{tea}/change/")).content.decode()
    for shown in (listed, page):
        assert all(said in shown for said in ("may like tea &lt;b&gt;", "0.60", "0.40", words[0]))
        assert "拉面" not in shown
    for number in (moved.injected, moved.judged, moved.positive, moved.corrected):
        assert f">{number}<" in listed
    assert f"{tea}/change/" in page
    assert list_address_of(JobRun, f"{run.pk}/change/") in page
    assert words[1].casefold() in page.casefold()
    assert words[2].casefold() in of_memory.casefold()
    assert list_address_of(Calibration, f"?memory_ref={tea}") in of_memory
    assert f"{moved.pk}/change/" in staff.vic.get(list_address_of(Calibration, f"?memory_ref={tea}")).content.decode()
    assert (
        f"{moved.pk}/change/"
        not in staff.vic.get(list_address_of(Calibration, f"?memory_ref={moved.pk}")).content.decode()
    )


def test_confidence_is_nobodys_to_move_in_the_console_and_another_tenant_sees_none(acme: House, staff: Staff) -> None:
    calibrate_memory(acme)
    [moved] = list_rows(acme, Calibration)
    page = list_address_of(Calibration, f"{moved.pk}/change/")
    assert "may like tea" not in staff.gus.get(list_address_of(Calibration)).content.decode()
    assert staff.gus.get(page, follow=True).content.decode().count(str(moved.memory_ref)) == 0
    for client in (staff.vic, staff.sam, staff.mia):
        assert client.post(page, {"after": "1.0"}).status_code == 403
        assert client.get(list_address_of(Calibration, "add/")).status_code == 403
        assert client.post(list_address_of(Calibration, f"{moved.pk}/delete/"), {"post": "yes"}).status_code == 403
    assert list_rows(acme, Calibration) == [moved]


def calibrate_memory(house: House) -> UUID:
    """Let one of two memories be received badly, and the job calibrate it by hand; return its id."""
    tea, _ = remember(house, "may like tea <b>", "拉面", confidence=0.6)
    with tenant_tx(house.tenant.id):
        subject_id = Snapshot.objects.get(id=tea).subject_id
        SnapshotCounter.objects.create(
            subject_id=subject_id, snapshot_id=tea, injected=17, judged=13, positive=2, corrected=1
        )
    assert run_by_hand(CALIBRATE, CARE[CALIBRATE].run, [house.tenant.id]).rows == 1
    return tea


def test_support_keeps_and_retires_with_a_reason(acme: House, staff: Staff, reviews: list[MemoryReview]) -> None:
    tea, ramen = sorted(reviews, key=lambda row: row.lane, reverse=True)
    assert "1 memory was retired" in run_list_action(staff.sam, "retire", tea)
    assert "1 memory was kept" in run_list_action(staff.sam, "keep", tea, ramen)
    assert [row.retired_at is None for row in list_rows(acme, Snapshot)] == [False]
    assert list_audit_actions(acme) == {"snapshot.retired", "memory.kept"}
    assert "0 memories were retired" in run_list_action(staff.sam, "retire", ramen)


def test_support_takes_a_joined_memory_apart(acme: House, staff: Staff, consolidation: Consolidation) -> None:
    page = staff.sam.get(list_address_of(Consolidation, f"{consolidation.pk}/change/")).content.decode()
    assert all(text in page for text in SAME)
    assert "1 merged memory was taken apart" in run_list_action(staff.sam, "take_apart", consolidation)
    assert "0 merged memories were taken apart" in run_list_action(staff.sam, "take_apart", consolidation)
    assert sum(row.invalid_at is None and row.retired_at is None for row in list_rows(acme, Snapshot)) == 3
    assert list_audit_actions(acme) == {"memory.taken_apart"}


def test_support_finds_and_restores_archived_words(
    acme: House, staff: Staff, archived_conversation: Conversation
) -> None:
    [message] = list_rows(acme, Message)
    assert message.content == ""
    assert "我喜欢靠窗的座位" in staff.vic.get(list_address_of(Message, f"{message.pk}/change/")).content.decode()
    found = {
        where: staff.sam.get(list_address_of(Conversation, f"?archive={where}")).content.decode()
        for where in ("away", "here")
    }
    assert (
        f"{archived_conversation.pk}/change/" in found["away"],
        f"{archived_conversation.pk}/change/" in found["here"],
    ) == (True, False)
    assert "1 conversation was restored" in run_list_action(staff.sam, "restore", archived_conversation)
    assert "0 conversations were restored" in run_list_action(staff.sam, "restore", archived_conversation)
    assert [row.content for row in list_rows(acme, Message)] == ["我喜欢靠窗的座位"]
    assert list_audit_actions(acme) == {"conversation.restored"}


def test_a_manager_has_beliefs_forgotten_with_every_value(acme: House, staff: Staff) -> None:
    for value in ("oolong", "assam"):
        prefer(acme, "drinks", "tea", value)
    know(acme, occupation="pilot")
    label(acme, "家", address="人民路")
    for model in (Preference, ProfileFact, Tag):
        rows = list_rows(acme, model)
        assert "forget" not in staff.sam.get(list_address_of(model)).content.decode().split('name="action"')[-1][:400]
        run_list_action(staff.sam, "forget", *rows)
        assert list_rows(acme, model) == rows
        assert "1 row: done." in run_list_action(staff.mia, "forget", *rows)
        assert list_rows(acme, model) == []
    assert list_audit_actions(acme) == {"memory.erased"}
    with tenant_tx(acme.tenant.id):
        erasures = list(Erasure.objects.all())
        assert [is_genuine(build_certificate(one)) for one in erasures] == [True] * 3


@pytest.mark.parametrize("who", ["vic", "gus", "sam"])
def test_viewers_other_tenants_and_the_reasonless_change_nothing(
    acme: House,
    staff: Staff,
    reviews: list[MemoryReview],
    consolidation: Consolidation,
    archived_conversation: Conversation,
    who: str,
) -> None:
    models = (MemoryReview, Consolidation, Conversation, Preference, Snapshot, Erasure)
    before = {model: [vars(row) | {"_state": None} for row in list_rows(acme, model)] for model in models}
    reason = "" if who == "sam" else REASON
    calls = (
        ("keep", reviews[0]),
        ("retire", reviews[1]),
        ("take_apart", consolidation),
        ("restore", archived_conversation),
    )
    for action, row in (*calls, ("forget", list_rows(acme, Preference)[0])):
        run_list_action(getattr(staff, who), action, row, reason=reason)
    assert {model: [vars(row) | {"_state": None} for row in list_rows(acme, model)] for model in models} == before


def test_a_note_that_the_reader_is_unsure_of_waits_in_the_queue(staff: Staff, acme: House) -> None:
    unsure = "last year I had an allergic reaction at a wedding"
    tell(acme, unsure)
    settle(acme)
    assert unsure not in staff.sam.get(list_address_of(MemoryReview)).content.decode()
    review_tenant(acme.tenant.id)
    assert unsure in staff.sam.get(list_address_of(MemoryReview)).content.decode()
    run_list_action(staff.sam, "keep", *list_rows(acme, MemoryReview))
    assert review_tenant(acme.tenant.id) == 0
    assert [row.decision for row in list_rows(acme, MemoryReview)] == ["kept"]
