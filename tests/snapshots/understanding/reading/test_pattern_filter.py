"""What a pattern needs is told from the pattern alone, and never hides a match."""

import re

import pytest

from lab.measuring.golden_sets import load_rows
from snapshots.understanding.changes.change_words import load_cue_patterns
from snapshots.understanding.reading.pattern_filter import PatternFilter, compile_with_pieces
from snapshots.understanding.slots.slot_patterns import LANGUAGES, list_group_rows, load_language


def find_needed(pattern: str) -> set[str] | None:
    _, found = compile_with_pieces(pattern)
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
    assert find_needed(pattern) == pieces


@pytest.mark.parametrize(
    "pattern", [r"I (?:live|reside) in (?P<value>.+)", r"(?P<a>Straße|[吃-喝]{2})|\bK(?=iss)", r"(?-i:[^\W㐀-鿿])x"]
)
@pytest.mark.parametrize("text", ["i LIVE in Köln", "STRASSE straße", "我吃喝 kISS", "\u212aiss", "aX 我x bx"])
def test_a_pattern_is_compiled_as_usual(pattern: str, text: str) -> None:
    usual, (compiled, _) = re.compile(pattern, re.IGNORECASE), compile_with_pieces(pattern)
    assert (compiled.flags, compiled.groupindex) == (usual.flags, usual.groupindex)
    assert [(one.span(), one.groups()) for one in compiled.finditer(text)] == [
        (one.span(), one.groups()) for one in usual.finditer(text)
    ]


@pytest.mark.parametrize("text", ["KISS", "kiss", "Kiss", "K\u0130SS", "k\u0131ss", "ki\u017fs", "\u212aiss"])
def test_letters_that_count_as_one_another_when_case_is_ignored(text: str) -> None:
    pattern, pieces = compile_with_pieces("kiss")
    assert pattern.search(text)
    assert PatternFilter([(pieces, "row")]).list_possible_rows(text) == {"row"}


@pytest.mark.parametrize("code", LANGUAGES)
def test_rows_pass_with_their_own_examples(code: str) -> None:
    language = load_language(code)
    known = list(list_group_rows(language.groups))
    dozen = len(known) / 4
    assert len(language.sieve.list_possible_rows("the weather was lovely by the river today, so we walked")) < dozen
    for row in known:
        for found in filter(None, map(row.pattern.search, (row.example, row.example.lower()))):
            assert row in language.sieve.list_possible_rows(found.group())


def test_words_of_changes_pass_with_the_sentences_of_changes() -> None:
    said = [row["said"] for row in load_rows("changes_teach")]
    for row in (*load_cue_patterns("kinds"), *load_cue_patterns("people")):
        sieve = PatternFilter([(row.pieces, row)])
        for text in (*said, *map(str.upper, said)):
            if row.pattern.search(text):
                assert sieve.list_possible_rows(text) == {row}
