"""A search query as words, and as patterns that tolerate typos."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import rjieba

from memory_platform.console.shared.config import SEARCH, SearchConfig
from memory_platform.kernel.text import HAN, to_comparable
from profiles.services.tags.query_words import is_han

_SCRIPT_RUNS = re.compile(f"[{HAN}]+|[^{HAN}]+")


@dataclass(frozen=True, slots=True)
class SearchWords:
    """``words`` in comparable form, and ``joined``: all of them without spaces."""

    words: tuple[str, ...]
    joined: str


def parse_query(query: str, config: SearchConfig = SEARCH) -> SearchWords:
    """Parse a query into words. Width, case and traditional characters are ignored; Chinese text is segmented."""
    text = to_comparable(query[: config.max_query_chars])
    words = [word for part in text.split(" ") for run in _SCRIPT_RUNS.findall(part) for word in _segment(run)]
    return SearchWords(tuple(dict.fromkeys(words))[: config.max_words], text.replace(" ", ""))


@dataclass(frozen=True, slots=True)
class TypoPattern:
    """A part of a word that may have one typo: a regular expression (Postgres), and substrings of every match. One of
    ``intact`` occurs in each text that matches. Searching for those first leaves few texts for the expression."""

    pattern: str
    required_parts: tuple[str, ...]


def build_typo_patterns(word: str, config: SearchConfig = SEARCH) -> tuple[TypoPattern, ...]:
    """Return patterns that together match ``word`` with typos; none for a word in which no typo is tolerated. A typo is
    one letter more, less, different, or two swapped. A long word may have one in each half. A short word or a number
    may have none: it would be a different one. A Chinese character carries more, so Chinese words may be shorter."""
    if len(word) < config.one_typo_from_chars - is_han(word) or word.isdigit():
        return ()
    if len(word) < config.two_typos_from_chars:
        return (_build_typo_pattern(word),)
    middle = len(word) // 2
    return _build_typo_pattern(word[:middle]), _build_typo_pattern(word[middle:])


def _segment(run: str) -> list[str]:
    return [str(word) for word in rjieba.cut(run)] if is_han(run) else [run]


def _build_typo_pattern(part: str) -> TypoPattern:
    letters, middle = [re.escape(letter) for letter in part], len(part) // 2
    edits = [f"{''.join(letters[:i])}.?{letters[i]}?{''.join(letters[i + 1 :])}" for i in range(len(letters))]
    swaps = ["".join(_swap_letters(letters, i)) for i in range(len(letters) - 1)]
    across = "".join(_swap_letters(part, middle - 1))  # the one slip that leaves neither half as it is
    return TypoPattern(f"(?:{'|'.join(edits + swaps)})", (part[:middle], part[middle:], across))


def _swap_letters(letters: Sequence[str], at: int) -> list[str]:
    return [*letters[:at], letters[at + 1], letters[at], *letters[at + 2 :]]
