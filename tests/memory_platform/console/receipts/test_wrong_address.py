"""An answer used a wrong address: what was sent, which memory was wrong, and the verdict on the question asked again.

Rows: D2, G1, G2, T1, T3, T7.
"""

from typing import Any

import pytest
from django.conf import settings

from profiles.models import Tag
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import OutcomePart
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.memory_actions.test_memory_admin import action_address, load_only_row, run_action
from tests.memory_platform.console.receipts.test_ask_again_page import again_address
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import know, label, remember, say

LIST = "/console/snapshots/receipt/"


def tell_story(house: House) -> Receipt:
    """Return the answer that went to the old address; the person corrected it, which changed the memory at once."""
    know(house, city="Portland")
    label(house, "office", address="400 Harbor Street, Portland")
    say(house, "Take me to my office.")
    receipt = ask(house, "Take me to my office.", min_relevance=0.0)
    say(house, "Driving to 400 Harbor Street, Portland.", role="assistant")
    turn = "No, my office is at 88 Mill Avenue, Portland now."
    say(house, turn)
    with tenant_tx(house.tenant.id):
        record_outcome(receipt.pk, OutcomePart(reply="Driving to 400 Harbor Street, Portland.", next=turn))
    return receipt


def find_card(page: str, words: str) -> str:
    """Return the card of a memory by the beginning of its words."""
    return next(card for card in page.split('<li class="why-card')[1:] if f"<bdi>{words}" in card)


def open_page(client: Any, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_the_card_shows_what_was_sent_and_the_feedback_stands_on_it(acme: House, staff: Staff) -> None:
    receipt = tell_story(acme)
    page = open_page(staff.sam, f"{LIST}{receipt.pk}/change/")
    office, city = find_card(page, "office: 400 Harbor Street, Portland"), find_card(page, "city: Portland")
    assert "now: 88 Mill Avenue, Portland · " in office
    assert "the next message said that this memory is wrong" in office
    assert "corrected" not in city
    assert page.index("Corrected by the next message") < page.index("<bdi>office: ") < page.index("<bdi>city: ")
    assert "No, my office is at 88 Mill Avenue, Portland now.</blockquote>" in page


def test_a_memory_that_is_gone_since_says_so(acme: House, staff: Staff) -> None:
    remember(acme, "Ada parks behind the office")
    receipt = tell_story(acme)
    with tenant_tx(acme.tenant.id):
        Tag.objects.all().delete()
    page = open_page(staff.sam, f"{LIST}{receipt.pk}/change/")
    assert "no longer stored" in find_card(page, "office: 400 Harbor Street, Portland")
    assert "now: " not in find_card(page, "Ada parks behind the office")


def test_the_form_says_that_the_memory_has_changed_since_the_answer(acme: House, staff: Staff) -> None:
    receipt = tell_story(acme)
    later = ask(acme, "Where is my office?", min_relevance=0.0)
    tag = load_only_row(acme, Tag)
    page = open_page(staff.sam, f"{action_address(tag, 'correct')}?answer={receipt.pk}")
    assert "This answer used <strong>“400 Harbor Street, Portland”</strong>." in page
    assert "changed to <strong>“88 Mill Avenue, Portland”</strong>." in page
    assert f'<a href="{again_address(receipt.pk)}">Ask the same question again</a>' in page
    for address in ("", f"?answer={later.pk}"):
        assert "This answer used" not in open_page(staff.sam, f"{action_address(tag, 'correct')}{address}")
    assert "autofocus" in page.split('id="id_address"')[0].rsplit("<textarea", 1)[1]
    shown, folded = page.split('<details class="act-more"')
    assert 'id="id_address"' in shown and 'id="id_lat"' in folded.split("</details>")[0]


def test_another_tenants_answer_tells_nothing_in_the_form(world: World, staff: Staff) -> None:
    receipt = tell_story(world.acme)
    label(world.globex, "office", address="1 Low Road")
    tag = load_only_row(world.globex, Tag)
    page = open_page(staff.gus, f"{action_address(tag, 'correct')}?answer={receipt.pk}")
    assert "This answer used" not in page and "Harbor" not in page


@pytest.mark.parametrize(
    ("language", "gone", "left"),
    [
        ("en", "The old value “400 Harbor Street, Portland” no longer occurs.", "still occurs in 1 line:"),
        ("zh-hans", "旧值“400 Harbor Street, Portland”已不再出现。", "仍出现在 1 行中："),
    ],
)
def test_the_proof_ends_with_a_verdict_in_words(acme: House, staff: Staff, language: str, gone: str, left: str) -> None:
    receipt = tell_story(acme)
    staff.sam.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    sam = staff.sam
    talk = open_page(sam, again_address(receipt.pk))
    assert "verdict verdict-warning" in talk, "the window of the conversation holds the old address"
    run_action(
        sam, load_only_row(acme, Tag), "correct", label="office", kind="place", address="90 Mill Avenue, Portland"
    )
    with tenant_tx(acme.tenant.id):
        Receipt.objects.update(conversation=None)
    page = open_page(sam, again_address(receipt.pk))
    assert "verdict verdict-good" in page
    assert "90 Mill Avenue, Portland”" in page and gone in page
    remember(acme, "Ada's office is in 400 Harbor Street")
    page = open_page(sam, again_address(receipt.pk))
    assert "verdict verdict-warning" in page and left in page
    assert f"/act/retire/?answer={receipt.pk}" in page.split('class="verdict')[1].split("</div>")[0]


def test_an_act_that_was_undone_is_not_told(acme: House, staff: Staff) -> None:
    receipt = tell_story(acme)
    fields = {"label": "office", "kind": "place", "address": "90 Mill Avenue, Portland"}
    run_action(staff.sam, load_only_row(acme, Tag), "correct", **fields)
    assert "corrected by staff" in open_page(staff.sam, again_address(receipt.pk))
    run_action(staff.sam, load_only_row(acme, Tag), "undo")
    page = open_page(staff.sam, again_address(receipt.pk))
    assert "by staff" not in page
    assert "The prompt now says “88 Mill Avenue, Portland”." in page


def test_lists_of_answers_tell_reply_and_outcome(acme: House, staff: Staff) -> None:
    tell_story(acme)
    for address in (LIST, f"/console/profiles/subject/{acme.subject.pk}/change/"):
        page = open_page(staff.sam, address)
        assert "Driving to 400 Harbor Street, Portland." in page
        assert '<span class="badge badge-bad">corrected</span>' in page
    assert "column-degraded_reason" not in open_page(staff.sam, LIST), "nothing failed"
