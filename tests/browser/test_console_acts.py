"""Support reviews what waits by key. Rows: D2, E2, P4."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from profiles.models import Candidate
from profiles.selectors import current_preferences, group_preference_values
from tenants.isolation import tenant_tx
from tests.browser.test_console import create_staff, log_in
from tests.conftest import World
from tests.snapshots.understanding.making import say, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]
QUEUE = "/console/profiles/candidate/review/"


def save_screenshot(page: Page, name: str) -> None:
    """Keep a picture of the page where somebody wants to look at it."""
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


@pytest.fixture
def ada_with_waiting(world: World) -> World:
    """Three things of Ada's wait for somebody."""
    create_staff("sam", world.acme.tenant)
    create_staff("mia", world.acme.tenant)
    say(world.acme, "I think I like the AC at 22 degrees", "Good morning! 空调好像26度最舒服。", "I love jazz.")
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        known = Candidate.objects.filter(verdict="pending").latest("created_at")
        for value in ("18度", "20度"):
            Candidate.objects.create(
                subject=world.acme.subject,
                kind="preference",
                target=known.target,
                value=value,
                verdict="pending",
                reason="contradiction",
                provenance="observation",
                confidence=0.4,
                message_ref=known.message_ref,
                quote_start=known.quote_start,
                quote_end=known.quote_end,
                proposal={**(known.proposal or {}), "value": value},
            )
    return world


def read_preferences(world: World) -> dict[str, object]:
    with tenant_tx(world.acme.tenant.id):
        found = group_preference_values(current_preferences(world.acme.subject))
        return {f"{category}/{key}": value for category, held in found.items() for key, value in held.items()}


def test_what_waits_is_walked_by_key_and_never_while_typing(ada_with_waiting: World, site: str, page: Page) -> None:
    log_in(page, site, "sam")
    page.goto(f"{site}{QUEUE}")
    expect(page.locator("mark")).to_have_text("空调好像26度最舒服")
    save_screenshot(page, "review")
    first = page.input_value("[name=candidate]")
    page.keyboard.press("j")
    page.wait_for_url("**after=*")
    assert page.input_value("[name=candidate]") != first
    page.keyboard.press("k")
    page.wait_for_url("**candidate=*")
    assert page.input_value("[name=candidate]") == first
    page.keyboard.press("?")
    expect(page.locator("#review-keys li").first).to_be_visible()
    page.fill("#id_reason", "")
    page.locator("#id_reason").press_sequentially("a rare eskimo ?")
    assert page.input_value("[name=candidate]") == first
    page.keyboard.press("Enter")
    page.wait_for_load_state()
    assert page.input_value("#id_reason") == "a rare eskimo ?", "Enter decides nothing by itself"


def test_what_waits_is_decided_by_key(ada_with_waiting: World, site: str, page: Page) -> None:
    log_in(page, site, "sam")
    page.goto(f"{site}{QUEUE}")
    page.locator("#review-what").focus()
    page.keyboard.press("a")
    expect(page.locator(".messagelist")).to_contain_text("Accepted")
    assert read_preferences(ada_with_waiting)["climate/temperature"] == {"value": 26, "unit": "°C"}
    expect(page.locator("#reason-needed")).to_be_hidden()
    page.keyboard.press("r")
    expect(page.locator("#reason-needed")).to_be_visible()
    expect(page.locator("[name=verb][value=accept]")).to_be_in_viewport()
    expect(page.locator("#id_reason")).to_be_focused()
    page.keyboard.type("said in jest")
    page.keyboard.press("Enter")
    expect(page.locator(".messagelist")).to_contain_text("Rejected")
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.press("e")
    expect(page.locator("#id_value")).to_be_focused()
    save_screenshot(page, "review-phone")
    page.fill("#id_value", "21度")
    page.get_by_role("button", name="Accept as edited").click()
    expect(page.locator("#content")).to_contain_text("Nothing is waiting for review.")
    assert read_preferences(ada_with_waiting)["climate/temperature"] == "21度"
