"""The documentation site, built once and read page by page."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[3]
MERMAID = ROOT / "lab" / "documents" / "site" / "node_modules" / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"
HOME = "http://site/"
# A closed door: whoever calls another host while the site is built fails.
NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")


@dataclass(slots=True)
class ReadPage:
    """What a crawler sees of one page: where its links lead, what it loads, its anchors, title and language."""

    address: str
    links: set[str] = field(default_factory=set)
    loads: set[str] = field(default_factory=set)
    anchors: set[str] = field(default_factory=set)
    title: str = ""
    language: str = ""


class PageReader(HTMLParser):
    """Reads one page of HTML."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.page = ReadPage(address)
        self._is_title = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attributes}
        self.page.anchors |= {named[name] for name in ("id", "name") if named.get(name)}
        if tag == "a" and "href" in named:
            self.page.links.add(urljoin(self.page.address, named["href"]))
        elif tag == "link" and "href" in named:
            self.page.loads.add(urljoin(self.page.address, named["href"]))
        elif tag in {"script", "img", "iframe", "source", "video", "audio"} and "src" in named:
            self.page.loads.add(urljoin(self.page.address, named["src"]))
        if tag == "html":
            self.page.language = named.get("lang", "")
        self._is_title = tag == "title"

    def handle_data(self, text: str) -> None:
        if self._is_title and not self.page.title:
            self.page.title = text.strip()


def build_site(folder: Path) -> Path:
    """Build both languages into a folder, strictly and without a network; skips where Mermaid cannot be installed."""
    if not MERMAID.exists():
        install_mermaid()
    for config, place in (("mkdocs.yml", folder), ("mkdocs.zh.yml", folder / "zh")):
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", config, "-d", str(place)]
        environment = os.environ | NO_NETWORK
        built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
    return folder


def install_mermaid() -> None:
    if not shutil.which("npm"):
        pytest.skip("npm is not installed: it brings Mermaid, which draws the pictures of the site")
    command = ["npm", "ci", "--silent", "--ignore-scripts"]
    installed = subprocess.run(command, cwd=MERMAID.parents[4], capture_output=True, text=True, check=False)
    if installed.returncode:
        pytest.skip(f"npm cannot install packages here: {installed.stderr[-300:]}")


def read_pages(folder: Path) -> dict[str, ReadPage]:
    """Return every page of a built site by its address."""
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        address = HOME + str(path.relative_to(folder)).removesuffix("index.html")
        reader = PageReader(address)
        reader.feed(path.read_text(encoding="utf-8"))
        pages[address] = reader.page
    return pages


def find_faults(folder: Path, pages: dict[str, ReadPage]) -> list[str]:
    """Return a line for each dead link and for each thing that a page loads from elsewhere or that is not there."""
    faults = []
    for page in pages.values():
        if page.address.endswith("404.html"):
            continue  # its links begin at the root of the server that shows it
        faults += [f"{page.address} loads {one}" for one in page.loads if not is_there(folder, pages, one)]
        inside = (one for one in page.links if one.startswith(HOME))
        faults += [f"{page.address} links {one}" for one in inside if not is_there(folder, pages, one)]
    return sorted(faults)


def is_there(folder: Path, pages: dict[str, ReadPage], address: str) -> bool:
    """Return whether an address is a file of the site, with the anchor that it names."""
    if not address.startswith(HOME):
        return False
    place, anchor = address.partition("#")[::2]
    if place in pages:
        return not anchor or unquote(anchor) in pages[place].anchors
    return (folder / unquote(urlsplit(place).path).lstrip("/")).is_file()
