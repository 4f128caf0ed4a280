"""Pages of Debian packages as Markdown: fetched by ``apt-get download``, never stored beside the questions."""

import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from selectolax.lexbor import LexborHTMLParser

from lab.evaluation.documents.questions_of_pages import join_blanks

SOURCES = Path(__file__).with_name("package_sources.json")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5"})
_BLOCKS = frozenset({
    "address", "article", "blockquote", "body", "center", "dd", "div", "dl", "dt", "fieldset", "figure", "footer",
    "form", "h6", "header", "li", "main", "ol", "p", "section", "table", "tbody", "thead", "tr", "ul",
})  # fmt: skip
_CELLS = frozenset({"td", "th"})
_UNSEEN = frozenset({"head", "nav", "script", "style", "template"})
# What leads from page to page, or repeats headings: no answer stands there.
_NAVIGATION = (
    ".headerlink, .permalink, .navheader, .navfooter, .docnav, .toc, .related, .sphinxsidebar, .nosearch, .top, "
    ".bottomlang, #quickview, #path, #preamble, #toc_header, #toc_sub, .fancy_toc, #page-header, #footer, "
    "#comments_section, .sectionlinks, .directive-dict"
)
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class PackageSource:
    """Pages of a Debian package. ``version`` is the one that the questions were checked with; ``pages`` are patterns
    below ``root``; ``licence`` is the texts'."""

    id: str
    package: str
    version: str
    licence: str
    language: str
    root: str
    pages: tuple[str, ...]


def read_sources(path: Path = SOURCES) -> list[PackageSource]:
    return [PackageSource(**row | {"pages": tuple(row["pages"])}) for row in orjson.loads(path.read_bytes())["sources"]]


def fetch_texts(
    folder: Path, sources: Sequence[PackageSource], advance: Callable[[int], object] = lambda _: None
) -> list[str]:
    """Write the pages of all packages to ``folder``/LANGUAGE/ID-PAGE.md; return the packages whose version differs.

    Raises CalledProcessError where a package cannot be had; ``apt-get update`` helps when the lists are old.
    """
    others = []
    for one in sources:
        unpacked = folder.resolve() / "packages" / one.package
        if _download(one, folder.resolve() / "packages", unpacked) != one.version:
            others.append(one.package)
        pages = folder / one.language
        pages.mkdir(parents=True, exist_ok=True)
        for path in _list_pages(one, unpacked / one.root):
            (pages / name_page(one, unpacked / one.root, path)).write_text(_convert_page(path))
        advance(1)
    return others


def name_page(source: PackageSource, root: Path, path: Path) -> str:
    name = str(path.relative_to(root)).replace("/", "-")
    return f"{source.id}-{re.sub(r'([.]zh-cn)?[.]html$', '', name)}.md"


def convert_html(page: str) -> str:
    """Return a page as Markdown: headings, paragraphs with their blanks joined, code in fences, rows with bars."""
    tree = LexborHTMLParser(page)
    for node in tree.css(_NAVIGATION):
        node.decompose()
    blocks = (
        join_blanks(text) if kind == "text" else text
        for kind, text in _list_blocks(tree.css_first("div.body, div#page-content, main") or tree.body)
    )
    return "\n\n".join(block for block in blocks if block) + "\n"


def _download(source: PackageSource, packages: Path, unpacked: Path) -> str:
    """Unpack the package, fetched unless it is there; return its version."""
    packages.mkdir(parents=True, exist_ok=True)
    if not list(packages.glob(f"{source.package}_*.deb")):
        _run(["apt-get", "download", "-q", source.package], packages)
    found = max(packages.glob(f"{source.package}_*.deb"), key=lambda path: path.stat().st_mtime)
    _run(["dpkg-deb", "-x", str(found), str(unpacked)], packages)
    return _run(["dpkg-deb", "-f", str(found), "Version"], packages).strip()


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(  # noqa: S603 - fixed words and names of package_sources.json
        command, cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def _list_pages(source: PackageSource, root: Path) -> list[Path]:
    return sorted({path for pattern in source.pages for path in root.glob(pattern) if path.is_file()})


def _convert_page(path: Path) -> str:
    return convert_html(path.read_text(errors="replace"))


def _list_blocks(root: Any) -> Iterator[tuple[str, str]]:
    inline: list[str] = []

    def take() -> Iterator[tuple[str, str]]:
        if inline:
            yield "text", "".join(inline)
            inline.clear()

    def walk(node: Any) -> Iterator[tuple[str, str]]:
        for child in node.iter(include_text=True):
            tag = child.tag
            if tag == "-text":
                inline.append(child.text_content or "")
            elif tag in _UNSEEN or tag.startswith("-"):
                continue
            elif tag in _HEADINGS:
                yield from take()
                yield "text", f"{'#' * int(tag[1])} {join_blanks(child.text())}"
            elif tag == "pre":
                yield from take()
                yield "code", f"{_FENCE}\n{child.text().strip(chr(10))}\n{_FENCE}"
            elif tag in _BLOCKS:
                yield from take()
                yield from walk(child)
                yield from take()
            else:
                yield from walk(child)
                inline.append(" | " if tag in _CELLS else " " if tag == "br" else "")

    yield from walk(root)
    yield from take()
