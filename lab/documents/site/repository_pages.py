"""Pages that are made of files of the repository outside ``docs/``, and the links between all of them."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FENCED = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^## ", re.MULTILINE)
# Files outside `docs/` that pages link, shown below this folder of the site.
ELSEWHERE = "repository"
LINKED_FILES = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "clients/python/README.md",
    "clients/typescript/README.md",
    "snapshots/understanding/slots/README.md",
)


@dataclass(frozen=True, slots=True)
class ReadmeParts:
    """How one README becomes two pages: what the platform is, and the first steps.

    ``first_steps`` are the headings of the second page, ``left_out`` those that the site's navigation replaces.
    """

    readme: str
    title: str
    first_steps: tuple[str, ...]
    left_out: tuple[str, ...]


README_PARTS = {
    "en": ReadmeParts(
        "README.md",
        "First memory in five minutes",
        ("Two commands", "First recall in five minutes", "From the client you have"),
        ("Where to go next",),
    ),
    "zh": ReadmeParts(
        "README.zh.md",
        "五分钟记住第一件事",
        ("两条命令", "五分钟上手", "用您已有的客户端"),
        ("接下来",),
    ),
}
HOME, FIRST_STEPS = "index.md", "start/first-memory.md"


class SectionMissing(LookupError):
    """A README has no section of a name that the site shows."""


def split_readme(parts: ReadmeParts, text: str) -> dict[str, str]:
    """Return the home page and the page of first steps, by their paths in the site.

    Raises:
        SectionMissing: a heading of ``parts`` is not in ``text``.
    """
    opening, *sections = HEADING.split(text)
    named = {section.partition("\n")[0].strip(): f"## {section}" for section in sections}
    if missing := {*parts.first_steps, *parts.left_out} - named.keys():
        raise SectionMissing(f"{parts.readme} has no section {', '.join(sorted(missing))}.")
    first = "".join(named.pop(name) for name in parts.first_steps)
    for name in parts.left_out:
        del named[name]
    return {HOME: opening + "".join(named.values()), FIRST_STEPS: f"# {parts.title}\n\n{first}"}


@dataclass(slots=True)
class SiteMap:
    """Where each Markdown file of the repository stands in the site of one language.

    ``pages`` leads from a path in the repository to a page's path in the site. Pages of the other language's site are
    ``foreign``: they lead to addresses below that site's root.
    """

    pages: dict[str, str]
    foreign: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)
    """Sections of a README that stand on another page than its beginning: ``README.md#anchor`` -> page."""

    def rewrite_links(self, text: str, *, source: str, page: str) -> str:
        """Return a page's Markdown with links that lead to pages of the site.

        ``source`` is the file's path in the repository, ``page`` the page's path in the site. A link to a file that is
        no page becomes the file's path, as text. A link to nothing stays, for MkDocs to complain.
        """
        pieces, end = [], 0
        for fence in FENCED.finditer(text):
            pieces += [self._rewrite_prose(text[end : fence.start()], source, page), fence[0]]
            end = fence.end()
        return "".join([*pieces, self._rewrite_prose(text[end:], source, page)])

    def _rewrite_prose(self, prose: str, source: str, page: str) -> str:
        return LINK.sub(lambda link: self._rewrite_link(link, source, page), prose)

    def _rewrite_link(self, link: re.Match[str], source: str, page: str) -> str:
        path, hash_sign, anchor = link["target"].partition("#")
        if not path or re.match(r"[a-z]+:|/", path):
            return link[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if (place := self._find_place(target, anchor, page)) is not None:
            return f"{link['image']}[{link['text']}]({place}{hash_sign}{anchor})"
        if link["image"] or not (ROOT / target).exists():
            return link[0]
        return f"{link['text']} (`{target}`)"

    def _find_place(self, target: str, anchor: str, page: str) -> str | None:
        """Return the way from a page to the page of a file, or None if the file has none."""
        wanted = self.sections.get(f"{target}#{anchor}") or self.pages.get(target)
        if wanted is None and target.startswith("docs/") and not target.endswith(".md"):
            wanted = target.removeprefix("docs/")  # a picture
        if wanted is not None:
            return posixpath.relpath(wanted, posixpath.dirname(page) or ".")
        if target in self.foreign:
            return f"{'../' * find_depth(page)}{self.foreign[target]}"
        return None


def find_depth(page: str) -> int:
    """Return how many folders a page's address lies below the root of its site."""
    return page.count("/") + (posixpath.basename(page) not in {"index.md", "README.md"})


def find_address(page: str) -> str:
    """Return the address of a page below the root of its site: ``concepts/memory.md`` is at ``concepts/memory/``."""
    folder, name = posixpath.split(page)
    kept = [folder, "" if name in {"index.md", "README.md"} else name.removesuffix(".md")]
    return "".join(f"{part}/" for part in kept if part)


def list_linked_files() -> Iterator[tuple[str, str]]:
    """Yield each file outside ``docs/`` that the English site holds, pages and pictures, with its place there."""
    kinds = {".md", ".png"}
    notes = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "lab" / "notes").iterdir() if path.suffix in kinds)
    for name in (*LINKED_FILES, *notes):
        yield name, f"{ELSEWHERE}/{name}"


def map_english_site() -> SiteMap:
    """Return where the files stand in the English site."""
    documents = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    pages = {f"docs/{path}": str(path) for path in documents if path.parts[0] != "zh"}
    return SiteMap(
        {"README.md": HOME, **pages, **dict(list_linked_files())},
        foreign={"README.zh.md": "zh/"},
        sections=_place_sections("en"),
    )


def map_chinese_site() -> SiteMap:
    """Return where the files stand in the Chinese site; what it does not have is on the English one, a folder above."""
    folder = ROOT / "docs" / "zh"
    pages = {f"docs/zh/{path.relative_to(folder)}": str(path.relative_to(folder)) for path in folder.rglob("*.md")}
    english = map_english_site()
    return SiteMap(
        {"README.zh.md": HOME, **pages},
        foreign={name: f"../{find_address(page)}" for name, page in english.pages.items()},
        sections=_place_sections("zh"),
    )


def _place_sections(language: str) -> dict[str, str]:
    parts = README_PARTS[language]
    return {f"{parts.readme}#{name.lower().replace(' ', '-')}": FIRST_STEPS for name in parts.first_steps}
