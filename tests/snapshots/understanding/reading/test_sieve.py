"""What a pattern needs is told from the pattern alone, and never hides a match."""

import re

import pytest

from lab.measuring.labels import rows
from snapshots.understanding.changes.words import word_rows
from snapshots.understanding.reading.sieve import Sieve, pieces_of
from snapshots.understanding.slots.lexicon import LANGUAGES, load_language


def needed(pattern: str) -> set[str] | None:
    found = pieces_of(re.compile(pattern, re.IGNORECASE))
    return None if found is None else set(found)


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (r"I (?:live|reside) in (?P<value>.+)", {"live", "reside"}),
        (r"\ballerg(?:ic|y)\b", {"allerg"}),
        (r"(?:really )?.{0,9}", None),
        (r"(?:tea|.)", None),
        (r"[吃喝](?:素|斋)?", {"吃", "喝"}),
        (r"(?:never){0,2}", None),
        (r"(?:never){1,2}(?=always)", {"never"}),
        (r"[^a]+(?!b)Straße", {"stra"}),
    ],
)
def test_what_a_match_has_to_hold(pattern: str, pieces: set[str] | None) -> None:
    assert needed(pattern) == pieces


@pytest.mark.parametrize("text", ["KISS", "kiss", "Kiss", "K\u0130SS", "k\u0131ss", "ki\u017fs", "\u212aiss"])
def test_letters_that_count_as_one_another_when_case_is_ignored(text: str) -> None:
    pattern = re.compile("kiss", re.IGNORECASE)
    assert pattern.search(text)
    assert Sieve([(pattern, "row")]).passing(text) == {"row"}


@pytest.mark.parametrize("code", LANGUAGES)
def test_rows_pass_with_their_own_examples(code: str) -> None:
    language = load_language(code)
    known = list(language.rows)
    dozen = len(known) / 4
    assert len(language.sieve.passing("the weather was lovely by the river today, so we walked")) < dozen
    for row in known:
        for found in filter(None, map(row.pattern.search, (row.example, row.example.lower()))):
            assert row in language.sieve.passing(found.group())


def test_words_of_changes_pass_with_the_sentences_of_changes() -> None:
    said = [row["said"] for row in rows("changes_teach")]
    for row in (*word_rows("kinds"), *word_rows("people")):
        sieve = Sieve([(row.pattern, row)])
        for text in (*said, *map(str.upper, said)):
            if row.pattern.search(text):
                assert sieve.passing(text) == {row}
