"""Whether words name a value, all or a part of it, or something of its kind. Pure."""

import re
from enum import IntEnum
from functools import lru_cache

from memory_platform.kernel.text import to_comparable, to_singular
from snapshots.understanding.changes.change_words import find_thing_kinds
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching
from snapshots.understanding.slots.slot_patterns import load_language
from snapshots.understanding.values import CurrentValue

_HAN = re.compile(r"[\u3400-\u9fff]")
_FIGURE = re.compile(r"\d")
# A single character is part of too many words.
_SHORTEST = 2


class MatchLevel(IntEnum):
    """How closely words name a value."""

    # The words are part of the value, or the value is part of the words.
    PART = 1
    WHOLE = 2


def match_value(words: str, value: str) -> MatchLevel | None:
    """Return how ``words`` name ``value``; None when they do not. Case, width, and singular or plural do not matter."""
    said, known = _said_form(words), _make_comparable_form(value)
    if not said or not known:
        return None
    if said == known:
        return MatchLevel.WHOLE
    if min(len(said), len(known)) < _SHORTEST:
        return None
    return MatchLevel.PART if _holds_phrase(known, said) or _holds_phrase(said, known) else None


def correct_value(one: CurrentValue, old: str, new: str, fit: MatchLevel) -> str:
    """Return the new value when all or a part of it is named as wrong; "" where that is not certain."""
    if one.key == "diet" and not load_language(detect_rule_language(new)).words.is_in_list(
        "diets", fold_for_matching(new)
    ):
        return ""
    if fit is MatchLevel.WHOLE:
        return new
    if not new or (one.is_exact and not (_FIGURE.search(old) and _FIGURE.search(new))):
        return ""  # of an address only figures change one for one: another street has other numbers
    return splice_value(one.text, old, new)


def splice_value(value: str, old: str, new: str) -> str:
    """Return ``value`` with ``new`` in place of its part ``old``; ``new`` alone where it also says the rest ("not
    green, black tea" for green tea); "" unless the words change places one for one."""
    form = fold_for_matching(value)
    places = find_value(old, form)
    if len(places) != 1 or len(form) != len(value):
        return ""
    start, end = places[0]
    head, tail = form[:start].strip(), form[end:].strip()
    if tail and _make_comparable_form(new).endswith(_make_comparable_form(tail)):
        return new
    if _count_words(old) != _count_words(new) or set(_split_words(new)) & set(_split_words(f"{head} {tail}")):
        return ""
    if value[start:end].islower() and new.istitle():
        new = new.lower()  # it began its sentence
    return f"{value[:start]}{new}{value[end:]}"


def find_value(value: str, form: str) -> list[tuple[int, int]]:
    known = to_singular(fold_for_matching(value).strip())
    if not known or known.casefold() not in form.casefold():  # hundreds are held: a pattern of each would take 50 ms
        return []
    wanted = re.escape(known)
    edged = wanted if _HAN.search(value) else rf"(?<![a-z\d]){wanted}(?:e?s)?(?![a-z\d])"
    return [found.span() for found in re.finditer(edged, form, re.IGNORECASE)]


def is_same_kind(value: str, new: str) -> bool:
    """Return whether two values are of one kind: by the kinds of things, or by their last word (运动风, 简约风)."""
    known, wanted = fold_for_matching(value).lower(), fold_for_matching(new).lower()
    if known == wanted:
        return False
    return bool(find_thing_kinds(known) & find_thing_kinds(wanted)) or not _list_head_words(known).isdisjoint(
        _list_head_words(wanted)
    )


def _list_head_words(form: str) -> set[str]:
    if detect_rule_language(form) == "zh":
        return {part[-1:] for part in (form, form.partition("的")[0]) if part}
    return {form.rpartition(" ")[2] if " " in form else f"={form}"}


def _make_comparable_form(text: str) -> str:
    return to_singular(to_comparable(fold_for_matching(text)))


# The cache holds one entry, because the same words are compared with every value in turn.
_said_form = lru_cache(maxsize=1)(_make_comparable_form)


def _split_words(text: str) -> list[str]:
    return _make_comparable_form(text).split()


def _count_words(text: str) -> tuple[int, bool]:
    return len(text.split()), _HAN.search(text) is not None


def _holds_phrase(text: str, part: str) -> bool:
    if part not in text:
        return False
    if _HAN.search(part) and not part[:1].isdigit():
        return True
    return re.search(rf"(?<![a-z\d]){re.escape(part)}(?![a-z\d])", text) is not None
