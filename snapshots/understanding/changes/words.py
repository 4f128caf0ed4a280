"""Words of change, read from the files in ``data``: cues of an end, kinds of things, words for people, past events.

Each row of a file (except ``ways.toml``) is one pattern for both languages.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from snapshots.understanding.reading.sieve import Sieve

DATA = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True, eq=False)
class WordRow:
    """One named pattern. A message with one that ``is_trigger`` is examined before it is stored."""

    name: str
    pattern: re.Pattern[str]
    is_trigger: bool


@lru_cache(maxsize=5)
def word_rows(name: str) -> tuple[WordRow, ...]:
    found = tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
    return tuple(WordRow(key, _compiled(row), bool(row.get("trigger"))) for key, row in found.items())


@lru_cache(maxsize=1)
def hold_rows() -> dict[str, WordRow]:
    """Return patterns that say by themselves that something holds from now on, or no more, by name."""
    return {row.name: row for row in word_rows("holds")}


def events_in(form: str) -> frozenset[str]:
    return frozenset(verb.lower() for row in word_rows("events") for verb in row.pattern.findall(form))


def cues_in(form: str) -> frozenset[str]:
    return frozenset(row.name for row in word_rows("cues") if row.pattern.search(form))


@lru_cache(maxsize=4_096)
def kinds_in(form: str) -> frozenset[str]:
    return frozenset(row.name for row in _sieve("kinds").passing(form) if row.pattern.search(form))


def people_in(form: str) -> dict[str, tuple[int, int]]:
    """Return the people that a matching form names by a word, and the span of the first: ``(start, end)``."""
    passing = _sieve("people").passing(form)
    found = {row.name: row.pattern.search(form) for row in word_rows("people") if row in passing}
    return {name: match.span() for name, match in found.items() if match}


def may_change(form: str) -> bool:
    """Return whether a matching form holds a cue that makes it worth looking for ended notes."""
    return any(row.is_trigger and row.pattern.search(form) for row in word_rows("cues"))


@lru_cache(maxsize=2)
def _sieve(name: str) -> Sieve[WordRow]:
    return Sieve((row.pattern, row) for row in word_rows(name))


def _compiled(row: dict[str, object]) -> re.Pattern[str]:
    # Beside Chinese characters an English word stands alone, too: 我用的是iPhone.
    return re.compile(rf"(?<![^\W\u3400-\u9fff])(?:{row['en']})(?![^\W\u3400-\u9fff])|{row['zh']}", re.IGNORECASE)
