"""Answers are listed by their question; the page of one shows question, reply, and why each memory is there.

Rows: D2, T3.
"""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from profiles.models import Preference
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import OutcomePart
from snapshots.models import Note, Receipt, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import PolicyVersion
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.explanation.test_receipt_explanation import receipt_address
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import know, prefer, remember, say
from tests.snapshots.notes.world import ALLERGY, note

LIST = "/console/snapshots/receipt/"
HOSTILE = "</a><script>alert(1)</script>\u202eevil"
MOST_QUERIES = 30
TEXTS = ("I am allergic to peanuts", "I love tea", "My sister likes peanuts")


@pytest.fixture
def acme_with_memories(acme: House) -> House:
    remember(acme, *TEXTS, messages=say(acme, *TEXTS))
    know(acme, name="Ada")
    prefer(acme, "food", "diet", "vegetarian")
    return acme


def open_page(client: Any, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return str(answer.content.decode())


def delete_question(house: House) -> None:
    with tenant_tx(house.tenant.id):
        Receipt.objects.update(rendered=None)


@pytest.mark.parametrize("words", ["peanuts FINE", "可以", "cashews", "ada trip"])
def test_answers_are_found_by_the_words_of_question_and_reply(world: World, staff: Staff, words: str) -> None:
    acme = world.acme
    say(acme, "Hello")
    for house, query in (
        (acme, "Are peanuts fine? 可以吗"),
        (acme, "Where is home?"),
        (world.globex, "peanuts fine 可以"),
    ):
        ask(house, query)
        if house is acme:
            say(acme, "Eat cashews instead." if "fine" in query else "12 Elm Street", role="assistant")
    page = open_page(staff.vic, f"{LIST}?q={words}")
    assert "Are peanuts fine?" in page
    assert ("Where is home?" in page) is (words == "ada trip")
    assert "Nothing matches" in open_page(staff.vic, f"{LIST}?q=pistachios")
    assert "peanuts fine 可以" in open_page(staff.gus, f"{LIST}?q=peanuts")


def test_a_long_question_is_searched_as_far_as_it_is_read(acme: House, staff: Staff) -> None:
    ask(acme, "Peanuts? " + " ".join(f"word{number}" for number in range(2_000)))
    assert "Peanuts?" in open_page(staff.vic, f"{LIST}?q=peanuts")


def test_answers_of_a_figure_name_it_with_its_days(acme: House, staff: Staff) -> None:
    ask(acme, "Are peanuts fine?")
    address = f"{LIST}?outcome=unused&created_at__gte=2026-11-23T00:00Z"
    page = open_page(staff.mia, address)
    assert "Answers behind “Utilisation” since 2026-11-23." in page
    assert re.search(r"<option selected[^>]*>2026-11-23 – today</option>", page)
    assert "Back to Quality" not in open_page(staff.vic, address), "the dashboard is for managers"
    assert "Answers behind" not in open_page(staff.mia, f"{LIST}?outcome=unused")
    refused = staff.mia.get(f"{LIST}?outcome=unused&created_at__gte=<script>x")
    assert refused.status_code == 302 and refused["Location"] == f"{LIST}?e=1"


def test_columns_and_filters_without_any_value_take_no_room(acme: House, staff: Staff) -> None:
    ask(acme, "Are peanuts fine?")
    page = open_page(staff.vic, LIST)
    assert 'aria-label="Arm"' not in page and 'aria-label="Experiment"' not in page
    assert "column-degraded_reason" not in page and "1 answer" in page
    with tenant_tx(acme.tenant.id):
        Receipt.objects.update(experiment="tone", arm="warm", degraded_reason="replica_lag")
    page = open_page(staff.vic, LIST)
    assert 'aria-label="Arm"' in page and "column-degraded_reason" in page


def test_answers_are_listed_by_their_question(acme_with_memories: House, staff: Staff) -> None:
    receipt = ask(acme_with_memories, "Are peanuts fine? 可以吗", intent="navigation")
    pages = (LIST, f"/console/profiles/subject/{acme_with_memories.subject.pk}/change/")
    for page in (open_page(staff.vic, one) for one in pages):
        assert f'{receipt.pk}/change/"><bdi class="line">Are peanuts fine? 可以吗</bdi></a>' in page
        assert f'title="{receipt.created_at:%Y-%m-%d %H:%M:%S} UTC">just now</time>' in page
    delete_question(acme_with_memories)
    for page in (open_page(staff.vic, one) for one in pages):
        assert "Question no longer kept" in page
        assert "Are peanuts fine?" not in page
        assert "just now" in page


def test_a_memory_lists_its_answers_by_their_question(acme_with_memories: House, staff: Staff) -> None:
    ask(acme_with_memories, "Are peanuts fine?")
    with tenant_tx(acme_with_memories.tenant.id):
        diet = Preference.objects.get()
    assert "Are peanuts fine?" in open_page(staff.vic, f"/console/profiles/preference/{diet.pk}/change/")


def test_hostile_questions_and_replies_do_nothing(acme_with_memories: House, staff: Staff) -> None:
    say(acme_with_memories, HOSTILE)
    receipt = ask(acme_with_memories, HOSTILE)
    say(acme_with_memories, HOSTILE, role="assistant")
    subject = f"/console/profiles/subject/{acme_with_memories.subject.pk}/change/"
    for address in (LIST, subject, receipt_address(receipt)):
        page = open_page(staff.sam, address)
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_full_list_asks_few_questions(acme_with_memories: House, staff: Staff) -> None:
    for number in range(60):
        ask(acme_with_memories, f"Question number {number}?")
    mia = staff.mia
    with CaptureQueriesContext(connection) as asked:
        page = open_page(mia, LIST)
    assert page.count("Question number") >= 50
    assert len(asked) <= MOST_QUERIES, [query["sql"][:90] for query in asked.captured_queries]


def test_the_page_shows_the_reply_that_the_product_posted(acme_with_memories: House, staff: Staff) -> None:
    say(acme_with_memories, "Are peanuts fine?")
    receipt = ask(acme_with_memories, "Are peanuts fine?")
    assert "The product has not reported a reply." in open_page(staff.vic, receipt_address(receipt))
    with tenant_tx(acme_with_memories.tenant.id):
        record_outcome(receipt.pk, OutcomePart(reply="No, you are allergic to peanuts."))
    told = open_page(staff.vic, receipt_address(receipt))
    assert "The product reported the reply. Its text is not kept" in told
    (reply,) = say(acme_with_memories, "No, you are allergic to peanuts.", role="assistant")
    page = open_page(staff.vic, receipt_address(receipt))
    assert 'why-reply stored" dir="auto">No, you are allergic to peanuts.</blockquote>' in page
    assert f"?message={reply.pk}#turn-{reply.pk}" in page
    assert "not kept" not in page


def test_used_memories_come_first_and_the_rest_is_folded(acme_with_memories: House, staff: Staff) -> None:
    remember(acme_with_memories, "My doctor is Marlow Finch in Harbour Street")
    receipt = ask(acme_with_memories, "What is my doctor called?", min_relevance=0.0)
    with tenant_tx(acme_with_memories.tenant.id):
        record_outcome(receipt.pk, OutcomePart(reply="Your doctor is Marlow Finch, in Harbour Street."))
    page = open_page(staff.vic, receipt_address(receipt))
    assert "memories were used.</strong>" in page
    used, _, others = page.partition('<details class="why-fold"><summary>In the prompt, not used')
    assert "the reply repeats" in used
    assert "not used in the reply" not in used
    assert "not used in the reply" in others


def test_every_card_says_why_it_is_there(acme: House, staff: Staff) -> None:
    (said,) = say(acme, f"{ALLERGY}.")
    note(acme, ALLERGY, [said], vital_class="allergy", grade_probability=0.93)
    know(acme, name="Ada")
    prefer(acme, "navigation", "wishes", "highway")
    page = open_page(staff.vic, receipt_address(ask(acme, "How do I get to work?")))
    assert "Always sent: a vital note." in page
    assert page.count("Always sent if it fits: part of the profile.") >= 2
    assert "Why this order?" in page


def test_what_was_left_out_names_the_room_of_its_section(acme: House, staff: Staff) -> None:
    for number in range(60):
        prefer(acme, "food", f"dish_{number}", f"a long description of dish number {number} with all its parts")
    receipt = ask(acme, "Good morning")
    page = open_page(staff.sam, receipt_address(receipt))
    with tenant_tx(acme.tenant.id):
        version = PolicyVersion.objects.get()
    setting = f"/console/tenants/policyversion/{version.pk}/change/#setting-context.profile"
    assert f'<a class="why-limit" href="{setting}">The profile section has at most 600 tokens' in page
    assert 'id="setting-context.profile"' in open_page(staff.sam, setting)


def test_a_card_offers_to_correct_and_to_retire_what_is_in_use(acme_with_memories: House, staff: Staff) -> None:
    (said,) = say(acme_with_memories, f"{ALLERGY}.")
    note(acme_with_memories, ALLERGY, [said], vital_class="allergy", grade_probability=0.93)
    receipt = ask(acme_with_memories, "Are peanuts fine?", min_relevance=0.0)
    with tenant_tx(acme_with_memories.tenant.id):
        diet, peanuts = Preference.objects.get(), Snapshot.objects.get(text=TEXTS[0])
        allergy = Note.objects.get()
    acts = [
        f"/console/{kind}/{one}/act/{verb}/"
        for kind, one in (
            ("profiles/preference", diet.pk),
            ("snapshots/snapshot", peanuts.pk),
            ("snapshots/note", allergy.snapshot_id),
        )
        for verb in ("correct", "retire")
    ]
    page = open_page(staff.sam, receipt_address(receipt))
    for act in acts:
        assert f'href="{act}?answer={receipt.pk}"' in page, act
        open_page(staff.sam, act)
    assert "/act/" not in open_page(staff.vic, receipt_address(receipt)), "whoever only looks is offered nothing"
    with tenant_tx(acme_with_memories.tenant.id):
        Snapshot.objects.filter(pk=peanuts.pk).update(retired_at=receipt.created_at)
    assert f"snapshot/{peanuts.pk}/act/" not in open_page(staff.sam, receipt_address(receipt))


def test_another_tenant_sees_no_question_and_no_answer(world: World, staff: Staff) -> None:
    say(world.acme, "Ada's secret question")
    receipt = ask(world.acme, "Ada's secret question")
    subject = world.acme.subject.pk
    for query in ("", f"?subject={subject}", f"?conversation={receipt.conversation_id}", f"?q={receipt.pk}"):
        theirs = staff.gus.get(f"{LIST}{query}", follow=True)
        assert b"secret" not in theirs.content, query
    seen, nobodys = (staff.gus.get(f"{LIST}{one}/change/") for one in (receipt.pk, uuid4()))
    assert (seen.status_code, seen.headers.get("Location")) == (nobodys.status_code, nobodys.headers.get("Location"))


def test_the_list_and_the_page_speak_chinese(acme_with_memories: House, staff: Staff) -> None:
    receipt = ask(acme_with_memories, "可以吃花生吗？")
    delete_question(acme_with_memories)
    staff.sam.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    page = open_page(staff.sam, LIST) + open_page(staff.sam, receipt_address(receipt))
    for words in (
        "问题已不再保存",
        "刚刚",
        "产品尚未上报回复。",
        "为何是这个顺序？",
        "有空间时始终放入：画像内容。",
    ):
        assert words in page, words
    for words in ("no longer kept", "just now", "has not reported", "Why this order"):
        assert words not in page, words
