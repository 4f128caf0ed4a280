"""Lines to paste name nothing that a page, or the README that it links, does not set. Rows: D16."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIRST = "README.md#first-recall-in-five-minutes"
PAGES = sorted(page.name for page in (ROOT / "docs").glob("*.md"))
GIVEN = {FIRST: {"BASE", "KEY"}, "(tools.md)": {"API", "KEY"}, "(api.md)": {"BASE", "KEY"}}
"""What the pages set that others link."""


def unset(page: str) -> set[str]:
    """Return the names that lines to paste use and nobody sets."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S)
    lines = "".join(block for kind, block in blocks if kind in ("", "sh", "console"))
    used = {name or placeholder for name, placeholder in re.findall(r"\$([A-Z_]{2,})|(?<=[ /])([A-Z]+_ID)\b", lines)}
    linked: set[str] = set().union(*(names for link, names in GIVEN.items() if link in page))
    return used - linked - set(re.findall(r"\b([A-Z_]{2,})=", lines))


@pytest.mark.parametrize("name", PAGES)
def test_a_line_to_paste_names_nothing_that_nobody_sets(name: str) -> None:
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert not unset(page)
    assert not re.search(r"^(?:curl|api) .*(?:localhost|127\.0\.0\.1)", page, re.M)


def test_an_unset_name_is_found() -> None:
    assert unset("```sh\ncurl $BASE/x -d $MEMORY\nmanage.py x --key KEY_ID\n```\n") == {"BASE", "MEMORY", "KEY_ID"}
    assert unset(f"({FIRST})\n```sh\nMEMORY=x\ncurl $BASE/$MEMORY\n```\n") == set()
