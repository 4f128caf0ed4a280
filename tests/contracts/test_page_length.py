"""A page for users is short enough to be read: at most 1,200 words. Rows: G1."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_WORDS = 1_200
PAGES = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("docs/**/*.md", "README*.md", "CONTRIBUTING.md")
    for path in ROOT.glob(pattern)
)
# Blocks that the code prints: nobody writes them, and nobody has to read them whole.
GENERATED = re.compile(r"<!-- printed: [^>]* -->.*?<!-- end -->|<!-- figures:[^>]* -->.*?<!-- /figures -->", re.DOTALL)
ROWS_OF_A_TABLE = re.compile(r"^\|.*$", re.MULTILINE)
PARTS_LEFT_OUT = {
    "docs/features.md": ROWS_OF_A_TABLE,  # one line for each id: people look one up and do not read the rest
}


def count_words(text: str) -> int:
    """Return how many words hold a letter or a digit; signs of Markdown standing alone are no words.

    Chinese has no spaces between words, so a Chinese sentence counts as few.
    """
    return sum(any(sign.isalnum() for sign in word) for word in text.split())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read(name: str) -> None:
    text = GENERATED.sub("", (ROOT / name).read_text(encoding="utf-8"))
    if left_out := PARTS_LEFT_OUT.get(name):
        text = left_out.sub("", text)
    assert count_words(text) <= MOST_WORDS


def test_words_hold_a_letter_or_a_digit() -> None:
    assert count_words("## Two words\n\n| -- | - 4 `x` |") == 4
    assert (
        count_words(
            GENERATED.sub("", "a <!-- figures:x -->b\nc<!-- /figures --> d <!-- printed: en -->\ne\n<!-- end -->")
        )
        == 2
    )
