"""How a clause is meant: asked, supposed, reported, ironic, for now, for good, a change.

Each pattern is linear: no nested repetition. English and Chinese stand side by side, since people mix them.
"""

import re
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns

_RE = load_patterns(Path(__file__).with_name("data") / "modality.toml")


def measure_own_words(form: str) -> int:
    """Return how many characters at the beginning of a message are the user's own words. A role, a story, a translation
    or a text to write follows from the sentence on that asks for it; of a letter, a notice, and a text above a request
    to work on it nothing is the user's."""
    if _RE["lettered"].search(form):
        return 0
    played = _RE["played"].search(form)
    if played is None:
        return len(form)
    if _RE["works_on_text"].search(played.group()) and _RE["follows_little"].match(form, played.end()):
        return 0
    before = form[: played.start()]
    # The pattern may begin with the mark that ends the sentence before.
    is_behind_end = _RE["sentence_end"].match(form, played.start()) is not None
    return (
        played.start() + 1 if is_behind_end else max(map(re.Match.end, _RE["sentence_end"].finditer(before)), default=0)
    )


def is_question(text: str, *, ends_asked: bool, language: str) -> bool:
    """Return whether a clause is a question; ``ends_asked``: a question mark closes it."""
    if language == "zh":
        return ends_asked or _RE["question_zh"].search(text) is not None
    return ends_asked or _RE["question_en"].match(text) is not None


def is_hypothetical(text: str, sentence: str) -> bool:
    heads = (_RE["supposed_sentence"], _RE["supposed_sentence_zh"])
    return _RE["supposed"].search(text) is not None or any(head.match(sentence) for head in heads)


def find_quotations(form: str) -> list[tuple[int, int]]:
    """Return where a message stands in quotation marks and so may be somebody's words."""
    return [found.span() for found in _RE["quoted"].finditer(form)] if '"' in form or "'" in form else []


def is_reported(sentence: str, end: int) -> bool:
    """Return whether ``sentence[:end]`` reports somebody's words ("she said ...")."""
    told = _RE["reported"].search(sentence)
    return told is not None and told.start() < end


def is_ironic(sentence: str) -> bool:
    return _RE["ironic"].search(sentence) is not None


def is_for_now(text: str) -> bool:
    """Return whether ``text`` holds for a while only; a starting day ("from today on") does not count."""
    return _RE["for_now"].search(_RE["starts"].sub(" ", text)) is not None


def is_lasting(text: str) -> bool:
    return _RE["lasting"].search(text) is not None


def describes_past(text: str) -> bool:
    return _RE["past"].search(text) is not None


def describes_change(text: str) -> bool:
    """Return whether ``text`` ends or replaces something, so that it may hold an old value."""
    return _RE["change"].search(text) is not None


def is_taken_back(sentence: str, end: int) -> bool:
    """Return whether the words after ``sentence[:end]`` end it: "I love jazz, not any more"."""
    return _RE["taken_back"].match(sentence, end) is not None
