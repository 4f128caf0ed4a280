"""Menu, start page and heads of pages in a real browser, on a wide screen and on a phone. Rows: D2."""

import re

import pytest
from playwright.sync_api import Page, expect

from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Preference, Subject
from tenants.isolation import tenant_tx
from tenants.models import Role
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.browser.test_console_pages import find_overflow
from tests.conftest import House, World
from tests.memory_platform.console.rows import make_one_of_each
from tests.snapshots.held import prefer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE = {"width": 390, "height": 844}
# Of a phone's screen, how much the header may take.
MAX_HEADER_SHARE = 0.12
WIDTHS = (320, 390, 767, 768, 1199, 1200, 1440, 1920)


@pytest.fixture
def acme(world: World) -> House:
    prefer(world.acme, "navigation", "route", "highway")
    create_staff("sam", world.acme.tenant)
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    return world.acme


def load_wish_address(house: House) -> str:
    with tenant_tx(house.tenant.id):
        return build_change_address(Preference, Preference.objects.get(key="route").pk)


def test_the_entry_where_one_is_stands_in_view_in_the_menu(acme: House, sit_down: SitDown) -> None:
    page = sit_down("mia", viewport={"width": 1280, "height": 420})
    for end in ("", "tenants/auditrecord/", "snapshots/workremoved/"):
        page.goto(f"/console/{end}")
        expect(page.locator("#menu")).to_be_visible()
        if end:
            expect(page.locator("#menu [aria-current]")).to_be_in_viewport()
    page.mouse.wheel(0, 3_000)
    expect(page.locator("#menu [aria-current]")).to_be_in_viewport()


def test_on_a_phone_a_button_opens_the_menu_and_escape_or_a_tap_beside_it_closes_it(
    acme: House, sit_down: SitDown
) -> None:
    page = sit_down("sam", viewport=PHONE, has_touch=True)
    page.goto("/console/snapshots/workremoved/")
    menu, button = page.locator("#menu"), page.get_by_role("button", name="Menu")
    expect(menu).to_be_hidden()
    button.tap()
    expect(menu.locator("[aria-current]")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    button.tap()
    page.touchscreen.tap(380, 600)
    expect(menu).to_be_hidden()
    page.get_by_role("button", name="Your account").tap()
    expect(page.locator("#logout-form")).to_be_visible()


def test_the_header_leaves_a_phone_s_screen_to_the_page(acme: House, sit_down: SitDown) -> None:
    page = sit_down("sam", viewport=PHONE)
    for address in ("/console/", load_wish_address(acme)):
        page.goto(address)
        assert page.locator("#header").evaluate("(one) => one.offsetHeight") <= PHONE["height"] * MAX_HEADER_SHARE


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(acme: House, sit_down: SitDown, width: int) -> None:
    with tenant_tx(acme.tenant.id):
        person = make_one_of_each("W" * 80)[Subject]
    page = sit_down("mia", viewport={"width": width, "height": 900})
    pages = ("/console/", "/console/playground/", build_change_address(Subject, person.pk), load_wish_address(acme))
    wide = {}
    for address in pages:
        page.goto(address)
        wide[address] = find_overflow(page)
    assert {address: pixels for address, pixels in wide.items() if pixels > 0} == {}


def test_the_search_box_has_the_focus_and_leads_to_the_person(acme: House, sit_down: SitDown) -> None:
    page = sit_down("sam")
    page.goto("/console/")
    page.keyboard.type("ada")
    page.keyboard.press("Enter")
    expect(page.locator(".object-header h1")).to_have_text("ada")
    expect(page).to_have_title(re.compile("^ada"))
    page.goto("/console/")
    page.click("section[aria-labelledby=start-recent] a")
    expect(page.locator(".object-header h1")).to_have_text("ada")


def test_an_id_and_a_call_are_copied(acme: House, site: str, sit_down: SitDown) -> None:
    page = sit_down("mia", permissions=["clipboard-read", "clipboard-write"])
    page.goto("/console/")
    copy_by(page, "button[data-copy-from=call-message]")
    assert f"BASE={site}\nKEY=YOUR_KEY\ncurl -s $BASE/v1/subjects" in read_clipboard(page)
    page.goto(build_change_address(Subject, acme.subject.pk))
    copy_by(page, ".object-facts .copy >> nth=-1")
    assert read_clipboard(page) == acme.subject.external_id


def test_without_the_browser_s_clipboard_a_copy_works_all_the_same(acme: House, sit_down: SitDown) -> None:
    page = sit_down("mia", permissions=["clipboard-read", "clipboard-write"])
    page.goto(build_change_address(Subject, acme.subject.pk))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    copy_by(page, ".object-facts .copy >> nth=-1")
    assert read_clipboard(page) == acme.subject.external_id


def copy_by(page: Page, button: str) -> None:
    page.click(button)
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()


def read_clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_acts_stand_at_the_right_of_the_title(acme: House, sit_down: SitDown) -> None:
    page = sit_down("sam", viewport={"width": 1440, "height": 900})
    page.goto(load_wish_address(acme))
    title, acts = (page.locator(f".object-header {one}").bounding_box() for one in ("h1", ".acts"))
    assert title is not None
    assert acts is not None
    assert acts["x"] >= title["x"] + title["width"]
    assert acts["y"] < title["y"] + title["height"]
