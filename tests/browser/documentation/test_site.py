"""The documentation site: built strictly, no dead link, nothing from another host, a search in both languages.

Rows: D15.
"""

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import strangers_of
from tests.browser.documentation.built_site import HOME, PageReader, ReadPage, build_site, find_faults, read_pages

pytestmark = [pytest.mark.slow, pytest.mark.processes, pytest.mark.xdist_group("site"), pytest.mark.timeout(400)]
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    return build_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def pages(folder: Path) -> dict[str, ReadPage]:
    """Its pages."""
    return read_pages(folder)


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: pytest shows what failed."""


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """The site, served as files."""
    handler = functools.partial(QuietFiles, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_no_link_is_dead_and_nothing_comes_from_another_host(folder: Path, pages: dict[str, ReadPage]) -> None:
    assert len(pages) > 90
    assert find_faults(folder, pages) == []
    sheets = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.css"))
    assert "url(http" not in sheets
    assert "@import" not in sheets


def test_a_dead_link_is_found(folder: Path) -> None:
    reader = PageReader(f"{HOME}concepts/memory/")
    reader.feed('<a href="../nowhere/">x</a><a href="#gone">x</a><img src="//cdn.example/x.png"><a href="../../">x</a>')
    found = find_faults(folder, {reader.page.address: reader.page, HOME: ReadPage(HOME)})
    assert [line.partition(" ")[2] for line in found] == [
        f"links {HOME}concepts/memory/#gone",
        f"links {HOME}concepts/nowhere/",
        "loads http://cdn.example/x.png",
    ]


def test_every_page_has_a_title_and_its_language(pages: dict[str, ReadPage]) -> None:
    assert [page.address for page in pages.values() if not page.title] == []
    assert {page.language for page in pages.values() if not page.address.startswith(f"{HOME}zh/")} == {"en"}
    assert {page.language for page in pages.values() if page.address.startswith(f"{HOME}zh/")} == {"zh"}


def test_the_index_of_the_search_knows_both_languages(folder: Path) -> None:
    english = orjson.loads((folder / "search" / "search_index.json").read_bytes())["docs"]
    assert {"concepts/memory/", "reference/recall/#recall", "operations/deployment/"} <= {
        one["location"] for one in english
    }
    chinese = orjson.loads((folder / "zh" / "search" / "search_index.json").read_bytes())["docs"]
    assert any("隔离墙" in one["title"].replace("\u200b", "") for one in chinese)
    assert any("\u200b" in one["text"] for one in chinese)  # what parts words


@pytest.mark.browser
@pytest.mark.parametrize(
    ("path", "words", "found", "looks"),
    [
        ("concepts/memory/", "tombstone", "Memory, notes and slots", {}),
        ("zh/concepts/receipts/", "置信度", "置信度", PHONE),
    ],
)
def test_a_reader_sees_pictures_and_finds_words(
    chromium: Browser, address: str, path: str, words: str, found: str, looks: Any
) -> None:
    context = chromium.new_context(**looks)
    strangers, page = strangers_of(context), context.new_page()
    missing = collect_missing(page)
    page.goto(address + path)
    expect(page.locator("div.mermaid").first).to_be_visible(timeout=30_000)
    assert page.locator("pre.mermaid").count() == 0
    page.keyboard.press("/")
    search = page.locator(".md-search__input")
    expect(search).to_be_focused()
    search.fill(words)
    search.press("End")  # the page looks at what is written when a key goes up
    expect(page.locator(".md-search-result__list").get_by_text(found).first).to_be_visible(timeout=30_000)
    context.close()
    assert strangers == []
    assert missing == []


def collect_missing(page: Page) -> list[str]:
    """Return a list that fills with what the server did not have, and what scripts complained of."""
    found: list[str] = []
    page.on("response", lambda answer: found.append(answer.url) if not answer.ok and answer.status != 304 else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.mark.browser
def test_the_other_language_is_one_choice_away(chromium: Browser, address: str) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{address}concepts/memory/")
    links = [one.get_attribute("href") for one in page.locator(".md-select__link").all()]
    assert links == ["./../../concepts/memory/", "../../zh/concepts/memory/"]
    page.goto(f"{address}operations/deployment/")
    assert page.locator(".md-select__link").last.get_attribute("href") == "../../zh/"
    page.goto(f"{address}zh/concepts/memory/")
    assert page.locator(".md-select__link").first.get_attribute("href") == "../../../concepts/memory/"
    context.close()
