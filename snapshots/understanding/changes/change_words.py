"""Words of change, read from the files in ``data``: cues of an end, kinds of things, words for people, past events.

Each row of a file (except ``ways.toml``) is one pattern for both languages.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from snapshots.understanding.reading.pattern_filter import PatternFilter, Pieces, compile_with_pieces

DATA = Path(__file__).with_name("data")
# Beside Chinese characters an English word stands alone, too: 我用的是iPhone. They have no case; where it is ignored,
# the compiler looks for the other case of each of the 27,000, which takes most of compiling.
_LETTER = r"(?-i:[^\W\u3400-\u9fff])"


@dataclass(frozen=True, slots=True, eq=False)
class CuePattern:
    """One named pattern. A message with one that ``is_trigger`` is examined before it is stored."""

    name: str
    pattern: re.Pattern[str]
    pieces: Pieces
    is_trigger: bool


@lru_cache(maxsize=5)
def load_cue_patterns(name: str) -> tuple[CuePattern, ...]:
    found = tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
    return tuple(CuePattern(key, *_compile_row(row), bool(row.get("trigger"))) for key, row in found.items())


@lru_cache(maxsize=1)
def load_state_patterns() -> dict[str, CuePattern]:
    """Return patterns that say by themselves that something holds from now on, or no more, by name."""
    return {row.name: row for row in load_cue_patterns("holds")}


# A sentence is compared with every note that it may mean: what is read of each is read once.
@lru_cache(maxsize=4_096)
def find_event_verbs(form: str) -> frozenset[str]:
    return frozenset(verb.lower() for row in load_cue_patterns("events") for verb in row.pattern.findall(form))


@lru_cache(maxsize=4_096)
def find_cues(form: str) -> frozenset[str]:
    return frozenset(row.name for row in load_cue_patterns("cues") if row.pattern.search(form))


@lru_cache(maxsize=4_096)
def find_thing_kinds(form: str) -> frozenset[str]:
    return frozenset(row.name for row in _load_filter("kinds").list_possible_rows(form) if row.pattern.search(form))


def find_people_words(form: str) -> dict[str, tuple[int, int]]:
    """Return the people that a matching form names by a word, and the span of the first: ``(start, end)``."""
    passing = _load_filter("people").list_possible_rows(form)
    found = {row.name: row.pattern.search(form) for row in load_cue_patterns("people") if row in passing}
    return {name: match.span() for name, match in found.items() if match}


def has_change_cue(form: str) -> bool:
    """Return whether a matching form holds a cue that makes it worth looking for ended notes."""
    return any(row.is_trigger and row.pattern.search(form) for row in load_cue_patterns("cues"))


@lru_cache(maxsize=2)
def _load_filter(name: str) -> PatternFilter[CuePattern]:
    return PatternFilter((row.pieces, row) for row in load_cue_patterns(name))


def _compile_row(row: dict[str, object]) -> tuple[re.Pattern[str], Pieces]:
    return compile_with_pieces(rf"(?<!{_LETTER})(?:{row['en']})(?!{_LETTER})|{row['zh']}")
