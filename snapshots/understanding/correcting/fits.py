"""Whether words name a held value: all of it, or a part of it side by side. Pure."""

import re
from enum import IntEnum
from functools import lru_cache

from memory_platform.kernel.text import comparable, singular
from snapshots.understanding.reading.forms import matching_form

_HAN = re.compile(r"[\u3400-\u9fff]")
_SHORTEST = 2
"""Characters of a part: one stands in too many words."""


class Fit(IntEnum):
    """How closely words name a value."""

    PART = 1
    """They stand in the value side by side, or the value stands in them."""
    WHOLE = 2


def fit_of(words: str, value: str) -> Fit | None:
    """Return how ``words`` name ``value``, None when they do not; case, width and one or several do not matter."""
    said, known = _said_form(words), _compared_form(value)
    if not said or not known:
        return None
    if said == known:
        return Fit.WHOLE
    if min(len(said), len(known)) < _SHORTEST:
        return None
    return Fit.PART if _holds(known, said) or _holds(said, known) else None


def splice_value(value: str, old: str, new: str) -> str:
    """Return ``value`` with ``new`` in place of ``old``, a part of it; ``new`` alone where it says the rest, too ("not
    green, black tea" of green tea); "" where it is not certain that the words change places one for one."""
    form = matching_form(value)
    places = places_of(old, form)
    if len(places) != 1 or len(form) != len(value):
        return ""
    start, end = places[0]
    head, tail = form[:start].strip(), form[end:].strip()
    if tail and _compared_form(new).endswith(_compared_form(tail)):
        return new
    if _words_in(old) != _words_in(new) or set(_words_of(new)) & set(_words_of(f"{head} {tail}")):
        return ""
    if value[start:end].islower() and new.istitle():
        new = new.lower()  # it began its sentence
    return f"{value[:start]}{new}{value[end:]}"


def places_of(value: str, form: str) -> list[tuple[int, int]]:
    """Return where ``value`` stands in a matching form, as a whole phrase, in one or several."""
    known = singular(matching_form(value).strip())
    if not known or known.casefold() not in form.casefold():  # hundreds are held: a pattern of each would take 50 ms
        return []
    wanted = re.escape(known)
    edged = wanted if _HAN.search(value) else rf"(?<![a-z\d]){wanted}(?:e?s)?(?![a-z\d])"
    return [found.span() for found in re.finditer(edged, form, re.IGNORECASE)]


def _compared_form(text: str) -> str:
    return singular(comparable(matching_form(text)))


_said_form = lru_cache(maxsize=1)(_compared_form)
"""The same words are held against every value in turn."""


def _words_of(text: str) -> list[str]:
    return _compared_form(text).split()


def _words_in(text: str) -> tuple[int, bool]:
    """Return how many words a text has, and whether they are Chinese: one word may have some more characters there."""
    return len(text.split()), _HAN.search(text) is not None


def _holds(text: str, part: str) -> bool:
    if part not in text:
        return False
    if _HAN.search(part) and not part[:1].isdigit():
        return True
    return re.search(rf"(?<![a-z\d]){re.escape(part)}(?![a-z\d])", text) is not None
