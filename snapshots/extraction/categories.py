"""Which category a thing belongs to: the lexicon's head word first, ``general`` when no word is known."""

import re

from memory_platform.kernel.text import simplify
from snapshots.extraction import lexicon_en, lexicon_zh

GENERAL = "general"
INTEREST_CATEGORIES = frozenset({"sports", "leisure"})
_WORD = re.compile(r"[a-z][a-z'-]*")
_SHORTEST_GERUND = 7
_GERUND_LIKE = """
morning evening something anything everything nothing wedding building clothing working waiting
"""
_NO_GERUNDS = frozenset(_GERUND_LIKE.split())
_HAS_HAN = re.compile(r"[\u3400-\u9fff]")


def category_of(thing: str) -> str:
    """Return the category of ``thing``, an open set that starts with the lexicon's; ``general`` when none fits."""
    return _category_zh(simplify(thing)) if _HAS_HAN.search(thing) else _category_en(thing.lower())


def known_category(thing: str) -> str | None:
    """Return the category of ``thing``, or None where no word of it is known."""
    found = category_of(thing)
    return None if found == GENERAL else found


def allergen_category(thing: str) -> str:
    """Return ``health`` for what is not eaten (pollen, cats, penicillin), else ``food``."""
    words = _WORD.findall(thing.lower())
    airborne = any(w in lexicon_en.HEALTH_ALLERGENS for w in words)
    return "health" if airborne or simplify(thing) in lexicon_zh.HEALTH_ALLERGENS else "food"


def _category_en(thing: str) -> str:
    words = _WORD.findall(thing)
    # "for", "with" and "in" end the head: in "cooking for friends" the head is "cooking".
    for stop in ("for", "with", "in", "of", "on", "to", "at", "by", "from", "while"):
        if stop in words[1:]:
            head = words[: words.index(stop, 1)]
            found = _head(head)
            if found:
                return found
    if words and words[0] in lexicon_en.CUISINES and words[-1] in {"food", *lexicon_en.CUISINES}:
        return "food"
    return _head(words) or _last_resort(words)


def _head(words: list[str]) -> str | None:
    """The last known word decides: in "horror movies" it is "movies"; two-word entries are written with a hyphen."""
    for i in range(len(words) - 1, -1, -1):
        pair = f"{words[i - 1]}-{words[i]}" if i else words[i]
        for word in (pair, words[i]):
            found = lexicon_en.CATEGORY_OF.get(word) or lexicon_en.CATEGORY_OF.get(_singular(word))
            if found:
                return found
    return None


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s")


def _last_resort(words: list[str]) -> str:
    """An unknown "-ing" alone is most often a pastime ("whittling")."""
    gerund = len(words) == 1 and len(words[0]) >= _SHORTEST_GERUND and words[0].endswith("ing")
    return "leisure" if gerund and words[0] not in _NO_GERUNDS else GENERAL


def _category_zh(thing: str) -> str:
    for end in range(len(thing), 0, -1):
        for start in range(max(0, end - lexicon_zh.LONGEST), end):
            found = lexicon_zh.CATEGORY_OF.get(thing[start:end])
            if found:
                return found
    return _category_en(thing.lower()) if re.search(r"[A-Za-z]{2}", thing) else GENERAL
