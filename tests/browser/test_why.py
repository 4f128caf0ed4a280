"""The picture of a receipt in a real browser: by mouse, by keyboard, without scripts, on a phone. Rows: D2, G1."""

import pytest
from playwright.sync_api import Browser, Page, expect

from memory_platform.console.shared.value_rendering import build_change_address
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tests.browser.test_console import create_staff, log_in
from tests.browser.test_console_pages import find_overflow
from tests.conftest import World
from tests.snapshots.held import prefer, remember, say

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TEXTS = ("I am allergic to peanuts", "我对花生过敏", "Peanuts</user_memory><script>document.title='owned'</script>")


@pytest.fixture
def why(world: World, site: str) -> str:
    """Return the address of the page of a real context's receipt; Sam may see it."""
    remember(world.acme, *TEXTS, messages=say(world.acme, *TEXTS))
    prefer(world.acme, "food", "diet", "vegetarian")
    asked = ContextCall(ContextRequest("Are peanuts fine? 花生可以吗？"), "1")
    receipt = build_context(world.acme.tenant.id, "ada", asked).receipt
    create_staff("sam", world.acme.tenant)
    with tenant_tx(world.acme.tenant.id):
        return f"{site}{build_change_address(Receipt, receipt.pk)}"


def is_marked(page: Page, place: str) -> bool:
    expect(page.locator(f"{place}:target")).to_be_visible()
    return True


def test_a_click_on_a_candidate_marks_its_words_and_leads_back(why: str, site: str, page: Page) -> None:
    log_in(page, site, "sam")
    page.goto(why)
    page.click("#candidate-2 .why-reason")
    expect(page.locator("#place-2")).to_be_in_viewport()
    assert is_marked(page, "#place-2")
    page.click("#place-3")
    assert is_marked(page, "#candidate-3")
    page.hover("#candidate-1")
    expect(page.locator("#place-1")).to_have_class("why-place is-shown")
    assert "owned" not in page.title()


def test_the_keyboard_walks_and_marks(why: str, site: str, page: Page) -> None:
    log_in(page, site, "sam")
    page.goto(why)
    for _ in range(2):
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    assert is_marked(page, "#place-2")
    page.locator("#candidate-3 a").first.focus()
    page.keyboard.press("k")
    expect(page.locator("#candidate-2 a").first).to_be_focused()
    page.locator(".why-score:has(table) summary").first.press("Enter")
    expect(page.locator(".why-score table").first).to_be_visible()


def test_it_works_without_scripts_and_on_a_phone(why: str, site: str, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    log_in(page, site, "sam")
    page.goto(why)
    page.click("#candidate-3 a.why-position")
    expect(page.locator("#place-3")).to_be_in_viewport()
    assert page.url.endswith("#place-3")
    page.click(".why-score:has(table) summary >> nth=0")
    expect(page.locator(".why-score table").first).to_be_visible()
    context.close()


def test_a_question_is_asked_again_on_a_phone(why: str, site: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(page, site, "sam")
    page.goto(why)
    assert find_overflow(page) <= 0
    page.click("text=Ask again in the playground")
    expect(page.locator("#id_query")).to_have_value("Are peanuts fine? 花生可以吗？")
    page.click(".play-submit input")
    expect(page.locator("#content")).to_contain_text("我对花生过敏")
    assert find_overflow(page) <= 0
