"""A test cites promises that docs/features.md explains, and every promise but a planned one is cited. Rows: D16."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CITATIONS = {
    "promise": re.compile(r"\bRows?:\s+((?:[A-Z]\d+(?:[,-]\s*)?)+)"),
    "fault": re.compile(r"\bMatrix:\s+((?:\d+(?:[,-]\s*)?)+)"),
}
EXPLANATION = re.compile(r"^\| ([A-Z]\d+|\d+(?:, \d+)*) \| (.*)$", re.MULTILINE)


@cache
def list_rows() -> list[tuple[str, str]]:
    """Return the ids of docs/features.md, each with its explanation, in their order."""
    rows = EXPLANATION.findall((ROOT / "docs" / "features.md").read_text(encoding="utf-8"))
    return [(name, explanation) for names, explanation in rows for name in names.split(", ")]


def explain_ids() -> dict[str, str]:
    return dict(list_rows())


def find_citations(text: str) -> Iterator[str]:
    """Yield what a test's docstring cites; a range of ids as it stands, for it is no id."""
    for pattern in CITATIONS.values():
        for listed in pattern.findall(text):
            yield from (name for name in re.split(r",\s*", listed.strip()) if name)


@cache
def collect_citations() -> dict[str, list[str]]:
    """Return the modules of tests by the id that their docstrings cite."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        before, quotes, rest = path.read_text(encoding="utf-8").partition('"""')
        for name in find_citations(rest.partition('"""')[0]) if quotes and not before else ():
            found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found


def test_an_id_is_explained_once() -> None:
    assert [name for name, count in Counter(name for name, _ in list_rows()).items() if count > 1] == []


@pytest.mark.processes
def test_no_file_holds_two_versions_of_a_merge() -> None:
    command = ["git", "grep", "--no-index", "--exclude-standard", "-lE", "^(<{7}|>{7}|[|]{7}) ", "--", ":!*.min.js"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("", "")


def test_a_cited_id_is_explained() -> None:
    assert {name: places for name, places in collect_citations().items() if name not in explain_ids()} == {}


def test_a_promise_that_no_test_cites_is_marked_as_planned() -> None:
    promises = {name: text for name, text in explain_ids().items() if name[0].isalpha()}
    assert {name for name, text in promises.items() if "*Planned*" not in text} <= collect_citations().keys()


@pytest.mark.parametrize(
    ("docstring", "cited"),
    [
        ("What it does. Rows: G1,\nX10. Matrix: 17, 46.", ["G1", "X10", "17", "46"]),
        ("Row: A4.", ["A4"]),
        ("Rows: E3-E7, E9.", ["E3-E7", "E9"]),
        ("Rows of a table", []),
    ],
)
def test_citations_are_found(docstring: str, cited: list[str]) -> None:
    assert list(find_citations(docstring)) == cited
