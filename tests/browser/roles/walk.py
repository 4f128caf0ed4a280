"""Somebody's way through the console in one look: clicks are counted, and each page that is reached is looked at."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Look
from tests.browser.test_console_pages import find_hidden_parts
from tests.browser.test_looks import english_on

START = "/console/"


@dataclass
class Walk:
    """What somebody does, by what a button, a link or a field is called. ``names``: words of a story in small Latin
    letters that a Chinese page may show."""

    page: Page
    look: Look
    names: Collection[str] = ()
    clicks: int = 0

    def start(self) -> None:
        self.page.goto(START)

    def click(self, place: Locator) -> None:
        place.click()
        self.clicks += 1

    def click_enter(self) -> None:
        self.page.keyboard.press("Enter")
        self.clicks += 1

    def press(self, english: str, chinese: str, within: Locator | None = None) -> None:
        """Press the button with this name."""
        name = self.look.choose(english, chinese)
        self.click((within or self.page.locator("main")).get_by_role("button", name=name, exact=True))

    def follow(self, english: str, chinese: str, within: Locator | None = None) -> None:
        """Follow the link with these words."""
        name = self.look.choose(english, chinese)
        self.click((within or self.page.locator("main")).get_by_role("link", name=name, exact=True))

    def follow_to(self, english: str, chinese: str) -> None:
        """Follow a link to the page that has its words as heading."""
        self.follow(english, chinese)
        self.reach(english, chinese)

    def find_person(self, words: str) -> None:
        """Find the person from the start page, whose box for that has the focus."""
        self.start()
        expect(self.page.locator("input[name=q]:focus")).to_have_count(1)
        self.page.keyboard.type(words)
        self.click_enter()

    def unfold_more(self) -> None:
        """Unfold the minor acts at the head of a page."""
        self.click(self.page.locator(".object-header summary", has_text=self.look.choose("More", "更多")))

    def open_entry(self, english: str, chinese: str) -> None:
        """Open an entry of the menu, which a phone has behind a button."""
        if self.look.size == "phone":
            self.click(self.page.get_by_role("button", name=self.look.choose("Menu", "菜单"), exact=True))
        self.follow(english, chinese, self.page.locator("#menu"))

    def write(self, english: str, chinese: str, text: str) -> None:
        """Write into the field with this label."""
        self.page.locator("main").get_by_label(self.look.choose(english, chinese), exact=True).fill(text)

    def confirm(self, english: str, chinese: str) -> None:
        """Give a reason, and press the button with this name."""
        self.give_reason()
        self.press(english, chinese)

    def give_reason(self) -> None:
        self.write("Reason", "原因", self.look.choose("ticket 4711", "工单 4711"))

    def undo_last(self) -> None:
        """Undo the last act on the memory of this page."""
        self.unfold_more()
        self.follow_to("Undo", "撤销")
        self.confirm("Undo the last action", "撤销上一次操作")
        self.read_message("Undone.", "已撤销。")

    def read_message(self, english: str, chinese: str) -> None:
        """Expect this message at the head of the page, maybe with a link after it, and look at the page."""
        told = self.look.choose(english, chinese)
        expect(self.page.locator(".messagelist li")).to_have_text(re.compile(rf"^\s*{re.escape(told)}"))
        self.look_at_page()

    def reach(self, english: str, chinese: str) -> None:
        """Expect a page with this heading, and look at it."""
        expect(self.page.locator("h1")).to_have_text(self.look.choose(english, chinese))
        self.look_at_page()

    def look_at_page(self) -> None:
        """Find nothing that one has to scroll sideways to see, and no English on a Chinese page."""
        hidden = find_hidden_parts(self.page)
        assert not hidden, f"{self.page.url}: {hidden}"
        if self.look.locale == "zh-CN":
            english = english_on(self.page) - set(self.names)
            assert not english, f"{self.page.url}: {english}"
