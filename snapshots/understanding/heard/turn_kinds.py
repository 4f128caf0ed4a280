"""Classify turns: whether a user tells something, and whether an assistant asks a question or mentions remembering.
Pure."""

from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.courtesies import says_something
from snapshots.understanding.reading.modality import is_question
from snapshots.understanding.reading.text_folding import fold_for_matching

_RE = load_patterns(Path(__file__).with_name("data") / "turn_kinds.toml")
_LEAST_WORDS, _LEAST_HAN = 2, 3


def tells_something(text: str) -> bool:
    """Return whether a user's words hold a clause that says something: no question, wish or courtesy."""
    if not text.strip() or not says_something(text):
        return False
    form = fold_for_matching(text)
    for one in split_clauses(text):
        own = form[one.start : one.end]
        words, least = (_RE["han"].findall(own), _LEAST_HAN) if one.language == "zh" else (own.split(), _LEAST_WORDS)
        is_told = not is_question(own, ends_asked=one.in_question, language=one.language)
        if len(words) >= least and is_told and not _RE["wants"].match(form, one.start):
            return True
    return False


def ends_with_question(turn: str) -> bool:
    return _RE["asks"].search(turn) is not None


def mentions_remembering(turn: str) -> bool:
    return _RE["about_memory"].search(turn) is not None
