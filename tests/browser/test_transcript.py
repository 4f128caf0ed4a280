"""A transcript and an answer's folded parts in a real browser, on a desk and on a phone. Rows: D2."""

import pytest
from playwright.sync_api import Page, expect

from memory_platform.console.shared.value_rendering import build_change_address
from memory_platform.console.transcript.message_links import build_turn_address
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import OutcomePart
from snapshots.models import Message, Receipt
from tenants.isolation import tenant_tx
from tests.browser.test_console import create_staff, log_in
from tests.browser.test_console_pages import find_overflow
from tests.conftest import World
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import know, remember, say

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DOCTOR = "My doctor is Marlow Finch in Harbour Street"


@pytest.fixture
def talk(world: World) -> list[Message]:
    """Sixty messages, the tenth of which tells something; Sam may see them."""
    create_staff("sam", world.acme.tenant)
    posted = say(world.acme, *(DOCTOR if number == 9 else f"Line {number} of the talk" for number in range(60)))
    remember(world.acme, DOCTOR, messages=[posted[9]])
    return posted


@pytest.mark.parametrize("width", [1280, 390])
def test_a_link_shows_its_message_in_the_transcript(talk: list[Message], site: str, page: Page, width: int) -> None:
    log_in(page, site, "sam")
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{site}{build_turn_address(talk[9].conversation_id, talk[9].pk)}")
    turn = page.locator(".turn.is-linked")
    expect(turn).to_be_in_viewport()
    expect(turn).to_contain_text("the linked message")
    assert find_overflow(page) <= 0
    page.click("text=Later messages")
    expect(page.locator(".turns")).to_contain_text("Line 59 of the talk")


def test_a_place_in_the_prompt_unfolds_its_card(world: World, talk: list[Message], site: str, page: Page) -> None:
    know(world.acme, name="Ada")
    receipt = ask(world.acme, "What is my doctor called?", None, min_relevance=0.0)
    with tenant_tx(world.acme.tenant.id):
        record_outcome(receipt.pk, OutcomePart(reply="Your doctor is Marlow Finch, in Harbour Street."))
    log_in(page, site, "sam")
    address = f"{site}{build_change_address(Receipt, receipt.pk)}"
    page.goto(address)
    folded = page.locator(".why-fold .why-card[data-place]").first
    expect(folded).to_be_hidden()
    expect(page.locator(".why-candidates > .why-cards")).to_contain_text("Marlow Finch")
    name = folded.get_attribute("id")
    page.click(f'.why-place[href="#{name}"]')
    expect(folded).to_be_in_viewport()
    page.goto("about:blank")
    page.goto(f"{address}#{name}")
    expect(folded).to_be_in_viewport()
