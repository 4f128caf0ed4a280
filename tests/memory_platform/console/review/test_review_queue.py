"""What waits is decided one after the other, with its evidence and what it contradicts. Rows: E2, D2, T3, T7, E8."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from memory_platform.console.review.review_queue import ALREADY_DECIDED_TEXT, ReviewForm, ReviewQueuePage
from memory_platform.console.shared.value_rendering import build_change_address
from memory_platform.kernel.ids import new_id
from profiles.models import Candidate, Subject, Tag
from snapshots.models import Message
from snapshots.understanding.noteless_beliefs_backfill import add_notes_for_noteless_beliefs
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.held import know, prefer
from tests.snapshots.understanding.making import preferences, say, settle

QUEUE = "/console/profiles/candidate/review/"
REASON = "asked her on the phone"
MOST_QUERIES = 30
COOL, WARM = {"value": 22, "unit": "°C"}, {"value": 26, "unit": "°C"}


@pytest.fixture
def waiting(acme: House) -> list[Candidate]:
    """Three that wait: two against what is known, one a tag's."""
    say(
        acme,
        "I think I like the AC at 22 degrees",
        "Hi! <b>空调好像26度最舒服</b>。",
        "空调好像26度最舒服",
        "I love jazz.",
    )
    settle(acme)
    with tenant_tx(acme.tenant.id):
        known = Candidate.objects.filter(verdict="pending").latest("created_at")
        proposal = {"label": "老家", "kind": "place", "address": "人民路1号", "phone": None, "relation": None}
        tag: dict[str, Any] = {"type": "tag", "said_at": "2026-11-16T09:00:00+00:00", "aliases": [], **proposal}
        shared = {"subject": acme.subject, "verdict": "pending", "provenance": "observation", "confidence": 0.4}
        again = {**(known.proposal or {}), "value": "18度"}
        Candidate.objects.create(**shared, kind="tag", target="老家", proposal=tag, reason="unsure")
        Candidate.objects.create(
            **shared, kind="preference", target=known.target, value="18度", proposal=again, reason="contradiction"
        )
        return list(Candidate.objects.filter(verdict="pending").order_by("created_at", "id"))


def decide_candidate(client: Client, row: Candidate, verb: str, **fields: Any) -> str:
    body = {"candidate": str(row.pk), "verb": verb, "reason": REASON, **fields}
    return client.post(QUEUE, body, follow=True).content.decode()


def list_refusals(house: House) -> list[AuditRecord]:
    with tenant_tx(house.tenant.id):
        return list(AuditRecord.objects.filter(refused=True))


def candidate_on(page: str) -> str:
    found = re.search(r'name="candidate" value="([^"]+)"', page)
    return found[1] if found else ""


def since_on(page: str) -> str:
    found = re.search(r'name="since" value="([^"]*)"', page)
    return found[1] if found else ""


def began_of(row: Candidate) -> str:
    return str(row.created_at.isoformat())


def take_back(client: Client, row: Candidate) -> str:
    return client.post(QUEUE, {"verb": "undo", "decided": str(row.pk)}, follow=True).content.decode()


def audit_rows(house: House) -> list[tuple[str, str]]:
    with tenant_tx(house.tenant.id):
        rows = AuditRecord.objects.filter(action__startswith="candidate.").exclude(action__regex="viewed|listed")
        return list(rows.order_by("at", "id").values_list("action", "reason"))


def test_the_oldest_stands_first_with_its_words_marked_and_what_it_contradicts(
    acme: House, staff: Staff, waiting: list[Candidate]
) -> None:
    page = staff.sam.get(QUEUE).content.decode()
    assert candidate_on(page) == str(waiting[0].pk)
    assert "<mark>空调好像26度最舒服</mark>" in page
    assert "&lt;b&gt;" in page
    assert "I think I like the AC at 22 degrees" in page, "the message before it"
    against = page.split('id="review-against"')[1]
    assert "22 °C" in against.split("</section>")[0]
    assert "3 proposals are waiting." in page
    know(acme, name="Ada Low")
    named = staff.sam.get(QUEUE).content.decode().split('id="review-what"')[1].split("</h2>")[0]
    assert "Ada Low" in named
    assert f'href="{build_change_address(Subject, acme.subject.pk)}"' in named
    assert QUEUE in staff.sam.get("/console/profiles/candidate/").content.decode()


def test_accepting_and_rejecting_lead_to_the_next_at_once(acme: House, staff: Staff, waiting: list[Candidate]) -> None:
    page = decide_candidate(staff.sam, waiting[0], "accept", reason="", since=began_of(waiting[0]))
    assert "Accepted" in page
    assert candidate_on(page) == str(waiting[2].pk), "what waits for one place stands together"
    assert preferences(acme)["climate"]["temperature"] == WARM
    page = decide_candidate(staff.sam, waiting[2], "reject", since=since_on(page))
    assert "Rejected" in page
    assert candidate_on(page) == str(waiting[1].pk)
    page = decide_candidate(staff.sam, waiting[1], "reject")
    assert "Nothing is waiting for review." in page
    said_so = "accepted in the review queue: the words say so"
    assert audit_rows(acme) == [
        ("candidate.approved", said_so),
        ("candidate.rejected", REASON),
        ("candidate.rejected", REASON),
    ]


def test_a_rejected_question_about_an_old_belief_says_that_it_is_believed_no_longer(acme: House, staff: Staff) -> None:
    prefer(acme, "weather", "likes", "rain")
    with tenant_tx(acme.tenant.id):
        Candidate.objects.create(
            subject=acme.subject,
            kind="preference",
            target="weather/likes",
            verdict="stored",
            provenance="observation",
            confidence=0.6,
            message_ref=new_id(),
        )
    add_notes_for_noteless_beliefs(acme.tenant.id, acme.subject.id)
    page = staff.sam.get(QUEUE).content.decode()
    assert "rejecting retires it" in page
    with tenant_tx(acme.tenant.id):
        (row,) = Candidate.objects.filter(verdict="pending")
    assert "the memory was retired" in decide_candidate(staff.sam, row, "reject")
    assert "weather" not in preferences(acme)


def test_a_rejection_is_taken_back_once_and_waits_for_what_it_had_waited_for(
    acme: House, staff: Staff, waiting: list[Candidate]
) -> None:
    at = QUEUE[: -len("review/")]
    decide_candidate(staff.sam, waiting[0], "reject")
    body = {"action": "reopen", "_selected_action": [str(row.pk) for row in waiting], "reason": "误点"}
    staff.vic.post(at, body)
    assert "give a reason" in staff.sam.post(at, {**body, "reason": " "}, follow=True).content.decode()
    assert len(audit_rows(acme)) == 1
    page = staff.sam.post(at, body, follow=True).content.decode()
    assert "1 row: done." in page
    assert page.count("decided already") == 2, "they still wait"
    assert audit_rows(acme)[-1] == ("candidate.reopened", "误点")
    page = staff.sam.get(QUEUE).content.decode()
    assert candidate_on(page) == str(waiting[0].pk)
    assert "contradicts a known value" in page
    assert "Accepted" in decide_candidate(staff.sam, waiting[0], "accept")
    assert preferences(acme)["climate"]["temperature"] == WARM


def test_the_last_decision_is_taken_back_in_its_place(acme: House, staff: Staff, waiting: list[Candidate]) -> None:
    page = staff.sam.get(QUEUE).content.decode()
    assert "Accepting replaces <bdi>22 °C</bdi> with <bdi>26 °C</bdi>." in page
    assert "2 proposals are about this value." in page
    assert "review-undo" not in page
    page = decide_candidate(staff.sam, waiting[0], "accept", since=since_on(page))
    assert 'id="review-undo"' in page and "Undo: accepted climate, temperature: 26 °C" in page
    listed = re.findall(r"candidate=([0-9a-f-]+)", page.split('class="review-list"')[1].split("</nav>")[0])
    assert len(listed) == len(set(listed)), "the one that waits is listed once"
    assert preferences(acme)["climate"]["temperature"] == WARM
    page = take_back(staff.sam, waiting[0])
    assert "Undone. It waits again." in page
    assert candidate_on(page) == str(waiting[0].pk)
    assert preferences(acme)["climate"]["temperature"] == COOL
    assert "already waiting for review" in take_back(staff.sam, waiting[0])
    assert "Undo: rejected" in decide_candidate(staff.sam, waiting[0], "reject")
    assert candidate_on(take_back(staff.sam, waiting[0])) == str(waiting[0].pk)
    assert [action for action, _reason in audit_rows(acme)] == [
        "candidate.approved",
        "candidate.reopened",
        "candidate.rejected",
        "candidate.reopened",
    ]


def test_a_decision_is_not_taken_back_once_the_memory_has_changed(
    acme: House, staff: Staff, waiting: list[Candidate]
) -> None:
    decide_candidate(staff.sam, waiting[0], "accept")
    prefer(acme, "climate", "temperature", 19)
    assert "the memory has changed since" in take_back(staff.sam, waiting[0])
    assert preferences(acme)["climate"]["temperature"] == 19
    assert len(audit_rows(acme)) == 1
    assert staff.vic.post(QUEUE, {"verb": "undo", "decided": str(waiting[0].pk)}).status_code == 403
    refused = len(list_refusals(acme))
    take_back(staff.gus, waiting[0])
    assert len(audit_rows(acme)) == 1
    assert len(list_refusals(acme)) == refused, "what gus was refused is on record where gus works"


def test_a_rejection_whose_words_were_erased_is_not_taken_back(
    acme: House, staff: Staff, waiting: list[Candidate]
) -> None:
    decide_candidate(staff.sam, waiting[0], "reject")
    with tenant_tx(acme.tenant.id):
        Candidate.objects.filter(pk=waiting[0].pk).update(value=None, target="", proposal=None)
    body = {"action": "reopen", "_selected_action": [str(waiting[0].pk)], "reason": REASON}
    page = staff.sam.post(QUEUE[: -len("review/")], body, follow=True).content.decode()
    assert "no longer exists" in page
    assert len(audit_rows(acme)) == 1


def test_a_rejection_needs_a_reason_and_a_form_without_a_choice_does_nothing(
    acme: House, staff: Staff, waiting: list[Candidate]
) -> None:
    assert "Give a reason for the rejection." in decide_candidate(staff.sam, waiting[0], "reject", reason="  ")
    page = decide_candidate(staff.sam, waiting[0], "", reason="half written")
    assert "half written" in page
    assert audit_rows(acme) == []


def test_what_was_edited_is_what_is_written(acme: House, staff: Staff, waiting: list[Candidate]) -> None:
    assert "with your changes" in decide_candidate(staff.sam, waiting[0], "edit", value="24度")
    assert preferences(acme)["climate"]["temperature"] == "24度"
    page = decide_candidate(staff.sam, waiting[1], "edit", label="老家", address="<b>人民路2号", phone="", relation="")
    assert "with your changes" in page
    with tenant_tx(acme.tenant.id):
        assert Tag.objects.get().address == "<b>人民路2号"
        assert Candidate.objects.get(pk=waiting[0].pk).value == "24度"


@pytest.mark.parametrize("value", ["", "4111 1111 1111 1111", "x" * 70_000, "a\x00b"])
def test_an_edit_that_may_not_be_remembered_is_refused_with_its_text_kept(
    acme: House, staff: Staff, waiting: list[Candidate], value: str
) -> None:
    page = decide_candidate(staff.sam, waiting[0], "edit", value=value)
    assert "Nothing was done." in page
    assert candidate_on(page) == str(waiting[0].pk)
    assert preferences(acme)["climate"]["temperature"] == COOL


def test_skipping_shows_the_next_and_comes_round_again(staff: Staff, waiting: list[Candidate]) -> None:
    page, seen = staff.sam.get(QUEUE).content.decode(), []
    for _ in range(4):
        seen.append(candidate_on(page))
        found = re.search(r'href="([^"]+)" class="act-second" id="review-skip"', page)
        assert found
        page = staff.sam.get(unescape(found[1])).content.decode()
    first, tag, beside = waiting
    assert seen == [str(row.pk) for row in (first, beside, tag, first)]


@pytest.mark.parametrize(("first", "second"), [("accept", "accept"), ("accept", "reject"), ("reject", "accept")])
def test_of_two_who_decide_one_wins_and_the_other_is_told(
    acme: House, staff: Staff, waiting: list[Candidate], first: str, second: str
) -> None:
    decide_candidate(staff.mia, waiting[0], first)
    page = decide_candidate(staff.sam, waiting[0], second)
    assert "Somebody else has already decided this one" in page
    assert candidate_on(page) == str(waiting[2].pk)
    assert len(audit_rows(acme)) == 1
    assert "You have already decided this one yourself" in decide_candidate(staff.mia, waiting[0], second)


def test_who_had_it_on_screen_when_it_was_decided_is_told(acme: House, staff: Staff, waiting: list[Candidate]) -> None:
    decide_candidate(staff.mia, waiting[0], "accept")
    assert "Somebody else has already decided" in staff.sam.get(f"{QUEUE}?candidate={waiting[0].pk}").content.decode()
    sent = {"candidate": str(waiting[0].pk), "verb": "accept", "reason": REASON}
    request = RequestFactory().post(QUEUE, sent)
    request.user = User.objects.get(username="sam")
    with tenant_tx(acme.tenant.id):
        form = ReviewForm(waiting[0], sent)
        assert form.is_valid()
        assert ReviewQueuePage(None, request)._decide(waiting[0], form) == ALREADY_DECIDED_TEXT
    assert len(audit_rows(acme)) == 1


def test_what_was_erased_meanwhile_is_told(acme: House, staff: Staff, waiting: list[Candidate]) -> None:
    with tenant_tx(acme.tenant.id):
        Candidate.objects.filter(pk=waiting[0].pk).update(value=None, target="", proposal=None)
        Candidate.objects.filter(pk=waiting[1].pk).delete()
    for row, verb in ((waiting[0], "accept"), (waiting[1], "reject")):
        page = decide_candidate(staff.sam, row, verb)
        assert "erased in the meantime" in page
        assert candidate_on(page) == str(waiting[2].pk)
    assert audit_rows(acme) == []
    bulk = {"action": "approve", "_selected_action": [str(waiting[0].pk)], "reason": REASON}
    assert "no longer exists" in staff.sam.post(QUEUE[: -len("review/")], bulk, follow=True).content.decode()


def test_a_message_that_is_gone_is_told(acme: House, staff: Staff, waiting: list[Candidate]) -> None:
    with tenant_tx(acme.tenant.id):
        Candidate.objects.filter(pk=waiting[0].pk).update(message_ref=acme.subject.pk)
        assert Message.objects.exists()
    assert "The message is gone." in staff.sam.get(QUEUE).content.decode()


def test_viewers_look_on_and_other_tenants_see_nothing(acme: House, staff: Staff, waiting: list[Candidate]) -> None:
    page = staff.vic.get(QUEUE).content.decode()
    assert "空调好像26度最舒服" in page
    assert "<form" not in page.split('class="review-card"')[1].split("</main>")[0]
    assert staff.vic.post(QUEUE, {"candidate": str(waiting[0].pk), "verb": "accept"}).status_code == 403
    for at in (QUEUE, f"{QUEUE}?candidate={waiting[0].pk}", f"{QUEUE}?after={waiting[0].pk}"):
        theirs = staff.gus.get(at).content.decode()
        assert "Nothing is waiting for review." in theirs
        assert "26" not in candidate_on(theirs)
    decide_candidate(staff.gus, waiting[0], "accept")
    assert preferences(acme)["climate"]["temperature"] == COOL
    with tenant_tx(acme.tenant.id):
        assert AuditRecord.objects.filter(refused=True, object_kind="profiles_candidate_review").count() == 1
        assert AuditRecord.objects.filter(action="candidate.viewed", object_id=str(waiting[0].pk)).exists()


@pytest.mark.parametrize("query", ["candidate=x", "after=%00", "candidate=%00&after=x", "candidate="])
def test_a_queue_asked_for_nonsense_never_fails(staff: Staff, waiting: list[Candidate], query: str) -> None:
    assert staff.sam.get(f"{QUEUE}?{query}").status_code == 200
    assert staff.sam.post(QUEUE, {"candidate": query, "verb": query}).status_code == 302


def test_the_queue_asks_little_of_the_database(staff: Staff, waiting: list[Candidate]) -> None:
    sam = staff.sam
    with CaptureQueriesContext(connection) as asked:
        sam.get(QUEUE)
    assert len(asked) <= MOST_QUERIES


def test_the_queue_speaks_chinese(staff: Staff, waiting: list[Candidate]) -> None:
    page = staff.sam.get(QUEUE, headers={"Accept-Language": "zh-hans"}).content.decode()
    assert "<title>审核 |" in page
    assert "与已知信息矛盾" in page
