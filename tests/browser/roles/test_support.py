"""Support finds why an answer was wrong, puts it right and proves it: by mouse in four looks, and by keyboard alone.

Rows: D2, E8, G1, P9, P12.
"""

from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import LOCALES, Look, SitDown
from tests.browser.roles.walk import START, Walk
from tests.browser.test_console import create_staff
from tests.browser.test_stories import TALKS, Talk, ask_for_context, missing_from, tell_story
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
# From the start page over the reason and the message to the saved correction and its proof; Enter counts as one.
MOST_CLICKS = 6
# What somebody passes at most on the way to the next place.
MOST_TABS = 60
# Words of a prompt that are English in every language.
NAMES = {"sam", "high", "medium", "low"}
# Why nobody sees where the focus is; "" if one does.
FIND_FOCUS_FAULT = """() => {
  const one = document.activeElement, style = getComputedStyle(one), name = one.outerHTML.slice(0, 120);
  if (one === document.body) return "nothing has the focus";
  if (!one.matches(":focus-visible") || style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
    return `no outline: ${name}`;
  const {left, top, width, height} = [...one.getClientRects()].find((box) => box.width && box.height) || {};
  const shown = document.elementFromPoint(left + width / 2, Math.min(Math.max(top + height / 2, 0), innerHeight - 1));
  if (!width || top >= innerHeight || top + height <= 0) return `not in the window: ${name}`;
  return shown && (one.contains(shown) || shown.contains(one)) ? "" : `covered: ${name}`;
}"""


@dataclass
class Keyboard:
    """Somebody without a mouse."""

    page: Page

    def go_to(self, place: Locator) -> None:
        """Press Tab until this place has the focus, and see at each step where it is."""
        for _ in range(MOST_TABS):
            assert place.count() == 1
            if place.evaluate("(one) => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
            assert self.page.evaluate(FIND_FOCUS_FAULT) == "", self.page.url
        pytest.fail(f"{self.page.url}: not reached in {MOST_TABS} steps: {place}")

    def open(self, place: Locator) -> None:
        """Go to a link or a button, and press Enter on it."""
        self.go_to(place)
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def write(self, place: Locator, text: str) -> None:
        """Go to a field, and type over what is in it."""
        self.go_to(place)
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.type(text)


def tell_and_ask(house: House, site: str, talk: Talk) -> tuple[str, str]:
    """Let Ada talk and ask; return the two lines of the prompt that are wrong, and make Sam, who supports."""
    tell_story(house, talk)
    create_staff("sam", house.tenant)
    told = (f"{talk.label}: {talk.wrong}", talk.said[1].rstrip(".。"))
    assert missing_from(ask_for_context(house, site, talk), *told) == []
    return told


def find_answer(page: Page) -> Locator:
    return page.locator("section[aria-labelledby=s-answers] li a").first


def find_card(page: Page, talk: Talk) -> Locator:
    return page.locator(".why-card", has_text=talk.wrong).first


def expect_source(page: Page, site: str, talk: Talk) -> None:
    """Expect the message behind the memory that is open, which leads to its place in the conversation."""
    behind = page.locator(".memory-story li", has_text=talk.said[1].rstrip(".。"))
    source = behind.locator("a[href*='/snapshots/conversation/']").first.get_attribute("href")
    assert talk.said[1] in page.context.request.get(f"{site}{source}").text()


def expect_proof(page: Page, talk: Talk) -> Locator:
    """Expect the question asked again to have the right value instead of the wrong one; return the row."""
    row = page.locator(".again-changed")
    expect(row.locator("td").nth(0)).to_contain_text(talk.wrong)
    expect(row.locator("td").nth(1)).to_contain_text(talk.right)
    expect(row.locator(".badge")).to_be_visible()
    return row


def undo_correction(walk: Walk, row: Locator) -> None:
    """Go from the proof to the memory, and undo its correction where its history tells of it."""
    page = walk.page
    row.locator("a").click()
    page.click(".story-undo summary")
    page.fill(".story-undo input[name=reason]", walk.look.choose("a mistake", "弄错了"))
    page.click(".story-undo button")
    walk.read_message("Undone.", "已撤销")


def test_support_sees_why_and_puts_it_right_and_proves_it_in_six_clicks(
    world: World, site: str, sit_down: SitDown, look: Look
) -> None:
    acme, talk = world.acme, TALKS[look.locale]
    told, right = tell_and_ask(acme, site, talk), f"{talk.label}: {talk.right}"
    walk = Walk(sit_down("sam", **look.settings), look, names=NAMES)
    page = walk.page
    walk.find_person(talk.known_by)
    expect(page.locator("#s-preferences ~ .console-scroll").first).to_contain_text(talk.wrong)
    walk.look_at_page()
    walk.click(find_answer(page))
    walk.reach(talk.question, talk.question)
    card = find_card(page, talk)
    expect(card).to_have_attribute("id", "candidate-" + card.locator(".why-position").inner_text())
    walk.click(card.locator(".why-words a"))
    expect_source(page, site, talk)
    walk.look_at_page()
    walk.follow("Correct", "更正", page.locator(".acts"))
    page.fill("#id_value", talk.right)
    expect(page.locator(".act-row input[type=checkbox]:checked")).to_have_count(2)  # the statement and the note
    walk.look_at_page()
    walk.confirm("Save the correction", "保存更正")
    walk.read_message("Corrected.", "已更正，")
    expect(page.locator(".memory-story li").last).to_contain_text("4711")
    walk.click(page.locator(".messagelist a"))
    row = expect_proof(page, talk)
    walk.look_at_page()
    assert walk.clicks <= MOST_CLICKS
    assert missing_from(ask_for_context(acme, site, talk), right, *told) == [*told]
    undo_correction(walk, row)
    assert missing_from(ask_for_context(acme, site, talk), right, *told) == [right]


@pytest.mark.parametrize("locale", LOCALES)
def test_a_memory_is_put_right_and_proved_without_a_mouse(
    world: World, site: str, sit_down: SitDown, locale: str
) -> None:
    talk, look = TALKS[locale], Look(locale, "desk")
    tell_and_ask(world.acme, site, talk)
    page = sit_down("sam", **look.settings)
    keyboard = Keyboard(page)
    page.goto(START)
    keyboard.write(page.locator("input[name=q]").first, talk.known_by)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("ada")
    keyboard.open(find_answer(page))
    expect(page.locator("h1")).to_have_text(talk.question)
    keyboard.open(find_card(page, talk).locator(".why-words a"))
    expect_source(page, site, talk)
    keyboard.open(page.locator(".acts").get_by_role("link", name=look.choose("Correct", "更正"), exact=True))
    keyboard.write(page.locator("#id_value"), talk.right)
    keyboard.write(page.locator("#id_reason"), look.choose("ticket 4711", "工单 4711"))
    keyboard.open(page.locator(".act-submit button"))
    keyboard.open(page.locator(".messagelist a"))
    expect_proof(page, talk)
