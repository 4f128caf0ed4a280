"""A real browser against a real server: Chromium where one is found, else skipped with the reason."""

import os
import shutil
import threading
from collections.abc import Iterator

import pytest
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]


class QuietHandler(WSGIRequestHandler):
    """The development server's handler without a line per request."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: pytest shows what failed."""


@pytest.fixture
def site(database: None) -> Iterator[str]:
    """Serve the whole platform over HTTP for one test; return its address."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler)
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(timeout=10)


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
