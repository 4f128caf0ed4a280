"""A real browser against a real server: Chromium where one is found, else skipped with the reason."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.program import CHROMIUM, SWITCHES
from tests.serving import serve_app

SIZES = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1440, "height": 900}}
LOCALES = ("en-US", "zh-CN")


@dataclass(frozen=True, slots=True)
class Look:
    """A language and a size of the window: ``sit_down("sam", **look.settings)``."""

    locale: str
    size: str

    @property
    def settings(self) -> dict[str, Any]:
        return {"locale": self.locale, "viewport": SIZES[self.size], "reduced_motion": "reduce"}

    def choose(self, english: str, chinese: str) -> str:
        """Return the words that a page in this language shows."""
        return chinese if self.locale == "zh-CN" else english


@pytest.fixture(
    params=[Look(locale, size) for locale in LOCALES for size in SIZES], ids=lambda one: f"{one.locale}-{one.size}"
)
def look(request: pytest.FixtureRequest) -> Look:
    """Both languages, each on a phone and on a desk."""
    found: Look = request.param
    return found


@pytest.fixture
def site(database: None) -> Iterator[str]:
    """Serve the whole platform over HTTP for one test; return its address."""
    with serve_app() as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for a module. Playwright keeps an event loop in this thread until then, and other tests run one."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install Debian's package `chromium` to run the browser tests")
    # Django would take a thread with an event loop for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A fresh page with a session of its own; any request that leaves the machine fails the test."""
    context = chromium.new_context()
    strangers = strangers_of(context)
    yield context.new_page()
    context.close()
    assert strangers == []


SitDown = Callable[..., Page]


@pytest.fixture
def sit_down(chromium: Browser, site: str) -> Iterator[SitDown]:
    """Give each person of staff a browser of their own, logged in without the form; no request may leave the machine.

    ``sit_down("sam", locale="zh-CN", ...)``: what follows the user name goes to Playwright's ``new_context``.
    """
    opened: list[tuple[BrowserContext, list[str]]] = []

    def sit(username: str, **looks: Any) -> Page:
        client = Client()
        client.force_login(User.objects.get(username=username))
        context = chromium.new_context(base_url=site, **looks)
        opened.append((context, strangers_of(context)))
        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": site}])
        return context.new_page()

    yield sit
    for context, _strangers in opened:
        context.close()
    assert [strangers for _context, strangers in opened if strangers] == []


def strangers_of(context: BrowserContext) -> list[str]:
    """Return a list that fills with the addresses of every request that leaves the machine."""
    found: list[str] = []
    at_home = ("http://127.0.0.1:", "data:", "blob:")
    context.on("request", lambda request: None if request.url.startswith(at_home) else found.append(request.url))
    return found
