"""A real browser against a real server: Chromium where one is found, else skipped with the reason."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.serving import served

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]


@pytest.fixture
def site(database: None) -> Iterator[str]:
    """Serve the whole platform over HTTP for one test; return its address."""
    with served() as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for the whole run."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: install Debian's package `chromium` to run the browser tests")
    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A fresh page with a session of its own; any request that leaves the machine fails the test."""
    context = chromium.new_context()
    strangers: list[str] = []
    context.on("request", lambda request: None if "127.0.0.1" in request.url else strangers.append(request.url))
    yield context.new_page()
    context.close()
    assert [url for url in strangers if not url.startswith(("data:", "blob:"))] == []
