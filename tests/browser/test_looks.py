"""The first pages in Chinese without an English label, and the header on a small screen. Rows: D2."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Subject
from tenants.models import Role, Tenant
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff, log_in
from tests.browser.test_console_pages import find_overflow
from tests.browser.test_stories import CHINESE, ask_for_context, load_newest, tell_story
from tests.conftest import House, World
from tests.snapshots.understanding.making import say, settle

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Pixels of a header whose parts stand side by side.
ONE_ROW = 56
# Pixels of a box that a name can be typed into.
TYPED_IN = 100
# Words in Latin letters that are names: of the test world, of its preferences, or of what has no other name.
OURS = {"ada", "acme", "mia", "english", "utc", "api", "json", "navigation", "climate", "temperature", "route"}
# All words of a page that somebody reads or hears.
LABELS = """() => {
  const named = ["aria-label", "placeholder", "title", "alt"];
  const shown = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility());
  const attributes = shown.flatMap((one) => named.map((name) => one.getAttribute(name) || ""));
  const buttons = shown.filter((one) => one.matches("input[type=submit]")).map((one) => one.value);
  const copy = document.body.innerText;
  return [document.title, copy, ...attributes, ...buttons].join("\\n");
}"""
# Ids, codes of a product and the prompt's own markup.
CODES = re.compile(
    r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|[a-z_]+\.[a-z_]+|[a-z]+_[a-z_]+|</?user_memory[^>]*>|nonce \w+"
)
# API keys, and their ids beside their names.
KEYS = re.compile(r"mk_live_\w+|\(\w{12}\)")


@pytest.fixture
def acme(world: World, site: str) -> House:
    """A Chinese subject with a preference, an answer, and one thing that waits; Mia manages."""
    tell_story(world.acme, CHINESE)
    say(world.acme, "空调好像22度最舒服。", "空调好像26度最舒服。", conversation="c2")
    settle(world.acme)
    ask_for_context(world.acme, site, CHINESE)
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    return world.acme


def english_on(page: Page) -> set[str]:
    """Return the words of the page in Latin letters that are no names."""
    words = CODES.sub(" ", KEYS.sub(" ", str(page.evaluate(LABELS))))
    return set(re.findall(r"[a-z]{3,}", words.lower())) - OURS


def test_no_label_is_english_from_the_login_to_the_subject(acme: House, site: str, sit_down: SitDown) -> None:
    page = sit_down("mia", locale="zh-CN")
    page.context.clear_cookies()
    page.goto("/console/")
    found = {"login": english_on(page)}
    log_in(page, site, "mia")
    subject = build_change_address(Subject, load_newest(acme, Subject).pk)
    for address in ("/console/", f"/console/profiles/subject/find/?q={CHINESE.known_by}", subject):
        page.goto(f"{site}{address}")
        found[address] = english_on(page)
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_operator_s_header_stands_in_one_row_on_a_small_screen(
    world: World, site: str, sit_down: SitDown, locale: str
) -> None:
    Tenant.objects.filter(id=world.acme.tenant.id).update(name="Northwind Automotive 北方汽车服务")
    User.objects.create_superuser("operator", password="x")
    page = sit_down("operator", locale=locale, viewport={"width": 1280, "height": 800})
    page.goto("/console/switch/")
    page.locator(f".switch-tenant button[value='{world.acme.tenant.id}']").click()
    page.goto("/console/tenants/apikey/")
    expect(page.locator("#header .find-box")).to_be_visible()
    tall = page.evaluate("[...document.querySelectorAll('#header, #header > *')].map((one) => one.offsetHeight)")
    assert max(tall) <= ONE_ROW, tall
    assert page.locator("#header input[type=search]").evaluate("(one) => one.offsetWidth") >= TYPED_IN
    assert not find_overflow(page)
