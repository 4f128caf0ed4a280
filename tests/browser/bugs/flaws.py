"""What somebody sees at once on a page: words cut off, buttons over each other, English on a Chinese page."""

from itertools import chain

from playwright.sync_api import Page

from tests.browser.bugs.conftest import Look
from tests.browser.bugs.navigation import open_menu
from tests.browser.test_console_pages import find_hidden_parts
from tests.browser.test_looks import english_on
from tests.browser.test_stories import CHINESE, ENGLISH, Talk

# Words in Latin letters that Chinese has none for, or that are names of the test world.
NAMES = {"webhook", "globex", "sam", "mia", "olga"}
# What can be pressed lies over nothing else; a bar that stays at the edge of the window lies over what scrolls below.
FIND_COVERED = """() => {
  const pressed = "a, button, input:not([type=hidden], [type=range]), select, textarea, summary";
  const loose = ["sticky", "fixed", "absolute"];
  const isLoose = (one) => one && (loose.includes(getComputedStyle(one).position) || isLoose(one.parentElement));
  const all = [...document.querySelectorAll("main *")]
    .filter((one) => one.matches(pressed) && one.checkVisibility() && !one.closest("thead") && !isLoose(one));
  const isOver = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 2;
  const listParts = (one) => [...one.getClientRects()];
  const covers = (one, other) => !one.contains(other) && !other.contains(one)
    && listParts(one).some((here) => listParts(other).some((there) => isOver(here, there)));
  const name = (one) => (one.innerText || one.value || one.name || one.tagName).slice(0, 40);
  return all.flatMap((one, at) => all.slice(at + 1).filter((other) => covers(one, other))
    .map((other) => `“${name(one)}” lies over “${name(other)}”`));
}"""
FIND_TORN = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.matches(".button, .act, .act-second, .act-grave, button, [type=submit], .object-tools a"))
  .filter((one) => one.getClientRects().length > 1).map((one) => `“${one.innerText}” is in pieces`)"""
FIND_CUT = """() => [...document.querySelectorAll("[placeholder]")].filter((one) => {
  const style = getComputedStyle(one);
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return one.checkVisibility() && pen.measureText(one.placeholder).width > room;
}).map((one) => `“${one.placeholder}” is cut`)"""


def get_talk(look: Look) -> Talk:
    """Return the talk in the language of a look."""
    return CHINESE if look.locale == "zh-CN" else ENGLISH


def follow_menu(page: Page, look: Look, *entries: tuple[str, str]) -> None:
    """Click entries of the menu, one after the other: each is its English and its Chinese name."""
    for entry in entries:
        open_menu(page, look)
        page.locator("#menu").get_by_role("link", name=look.choose(*entry), exact=True).click()


def find_flaws(page: Page, look: Look, *names: str) -> list[str]:
    """Return what is wrong with the page. ``names``: words in Latin letters that have no Chinese ones."""
    codes = " ".join(page.locator("code").all_inner_texts()).lower()
    english = english_on(page) - {*NAMES, *names} if look.locale == "zh-CN" else set()
    looked = [page.evaluate(script) for script in (FIND_COVERED, FIND_TORN, FIND_CUT)]
    return [*find_hidden_parts(page), *chain(*looked), *sorted(word for word in english if word not in codes)]
