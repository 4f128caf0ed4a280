"""The clicks that several tests of bugs share: through the menu, into another tenant; and what every page must be."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.bugs.conftest import Look
from tests.browser.test_console_pages import find_hidden_parts
from tests.browser.test_looks import english_on

# User names, tenants, what tests type, and words that Chinese has from English.
NAMES = frozenset({"sam", "olga", "gus", "gil", "nia", "globex", "new", "colleague", "tests", "usd", "csv", "webhook"})


def open_page(page: Page, look: Look, english: str, chinese: str) -> None:
    """Open a page by its line in the menu. On a phone a button opens the menu; the lines of "All data" are folded."""
    open_menu(page, look)
    menu = page.locator("#menu")
    line = menu.get_by_role("link", name=look.choose(english, chinese), exact=True)
    if not line.is_visible():
        menu.get_by_text(look.choose("All data", "全部数据"), exact=True).click()
    with page.expect_navigation():
        line.click()


def open_menu(page: Page, look: Look) -> None:
    if look.size == "phone":
        page.get_by_role("button", name=look.choose("Menu", "菜单"), exact=True).click()
    expect(page.locator("#menu")).to_be_visible()


def choose_tenant(page: Page, look: Look, tenant: str) -> None:
    """Choose another tenant: on a desk in the header, on a phone in the menu."""
    open_menu(page, look)
    place = page.locator("#menu" if look.size == "phone" else "#header .desk")
    place.get_by_label(look.choose("Tenant", "租户")).select_option(label=tenant)
    with page.expect_navigation():
        place.get_by_role("button", name=look.choose("Switch", "切换"), exact=True).click()


def press_control(page: Page, look: Look, english: str, chinese: str) -> None:
    """Press the button or follow the link of these words in the page itself, and wait for the page it leads to."""
    words = look.choose(english, chinese)
    content = page.locator("#content")
    with page.expect_navigation():
        content.get_by_role("button", name=words, exact=True).or_(
            content.get_by_role("link", name=words, exact=True)
        ).first.click()


def fill_field(page: Page, look: Look, english: str, chinese: str, value: str) -> None:
    """Type into the field of this label, or choose by its words in a list."""
    field = page.locator("#content").get_by_label(look.choose(english, chinese)).first
    if field.evaluate("(one) => one.tagName") == "SELECT":
        field.select_option(label=value)
    else:
        field.fill(value)


def find_row(page: Page, words: str) -> Locator:
    """Return the row of a list, or its card on a phone, that has these words."""
    return page.locator("#result_list tbody tr").filter(has_text=words)


def check_page(page: Page, look: Look, names: str = "") -> None:
    """Nothing of the page hides at its side, and a Chinese page has no English word but those of ``names``."""
    hidden = find_hidden_parts(page)
    assert hidden == [], hidden
    if look.locale == "zh-CN":
        english = english_on(page) - NAMES - set(re.findall("[a-z]+", names.lower()))
        assert english == set(), english


def expect_tenant(page: Page, look: Look, tenant: str) -> None:
    """The header names the tenant one works in: on a desk in the list of tenants, on a phone beside the menu."""
    if look.size == "phone":
        expect(page.locator("#header .desk-now")).to_have_text(tenant)
    else:
        expect(page.locator("#desk-tenant option:checked")).to_have_text(tenant)
