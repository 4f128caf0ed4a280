"""How the words of a correction fit a value that is held: "aisle" means "aisle seats", 美式 means 美式咖啡. Pure.

What is new stands alone where it names a thing ("latte"), and completes the held value where it only describes one
("window" in place of "aisle" of "aisle seats" is "window seats").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Self

from memory_platform.kernel.text import comparable
from profiles.services.lists import singular
from snapshots.extraction.categories import known_category
from snapshots.extraction.lexicon_en import DESCRIBES

_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_ARTICLE = re.compile(r"(?:the|an?|my|our|some|any|to|for|with|at|in|on|by) ", re.IGNORECASE)
_EDGES = re.compile(r"^[\s.,!?\"'。]+|[\s.,!?\"'。]+$")
_FILLER_ZH = re.compile(r"^(?:那种|这种|那个|这个|一种)|(?:的|了|吧|啊|呢)+$")
_OF_ZH = "的"
_OTHER_THINGS_ZH = frozenset("馆店厅机杯豆壶")
"""What these follow is another thing: 咖啡馆 is no kind of 咖啡."""
_HEAD_CHARS = 3
"""Characters at which one and several of a word begin alike."""
_SHORTEST_ZH = 2
"""Characters of a part of a Chinese value: one stands in too many words."""


class Fit(IntEnum):
    """How closely words name a value; the closest is meant."""

    SCATTERED = 1
    """All of the words are the value's, or the value's and its key's."""
    PART = 2
    """They stand in the value side by side."""
    WHOLE = 3


@dataclass(frozen=True, slots=True)
class Named:
    """A held value as a correction names it: ``before`` and ``after`` are what it says around the wrong part.

    ``is_all``: whoever denies these words denies the value ("coffee" of "black coffee", not of "coffee shops").
    """

    fit: Fit
    before: str = ""
    after: str = ""
    is_all: bool = True


@dataclass(frozen=True, slots=True)
class Wrong:
    """The wrong part of a correction, read once for all the values that it may name."""

    words: str
    form: str
    stems: tuple[str, ...]
    han: bool

    @classmethod
    def of(cls, old: str) -> Self:
        """Return ``old`` in this form, without articles."""
        words = bare(old)
        return cls(words, comparable(words), tuple(_stems(words)), bool(_HAN.search(words)))

    def may_name(self, held: str) -> bool:
        """Return whether ``held`` is worth a closer look: cheap, never misses what :func:`named` finds."""
        if self.han or not held.isascii():
            return bool(self.words)
        lowered = held.lower()
        return any(stem[:_HEAD_CHARS] in lowered for stem in self.stems)


def named(held: str, wrong: Wrong, *, key: str = "") -> Named | None:
    """Return how the ``wrong`` part names the value ``held`` of ``key``, None when it does not."""
    if not wrong.may_name(held):
        return None
    if wrong.han or _HAN.search(held):
        return _named_zh(held, wrong)
    return _named_en(held, list(wrong.stems), key)


def put_right(held: str, how: Named, new: str, *, exact: bool = False) -> str:
    """Return ``held`` with ``new`` in place of the part that ``how`` names.

    ``exact``: a name or an address, of which only that part changes, whatever it is.
    """
    new = bare(new)
    if how.fit is not Fit.PART or not (exact or how.after):
        return new
    han = bool(_HAN.search(held))
    if exact:
        return _joined(_unless_said(how.before, new, han=han), new, _unless_said(how.after, new, han=han), han=han)
    if _names_a_thing(new) and not (han and how.after.startswith(_OF_ZH)):
        return new
    return new if _ends_alike(new, how.after, han=han) else _joined(how.before, new, how.after, han=han)


def bare(words: str) -> str:
    """Return words without what stands around a value: articles, prepositions, 的 and 了 at the end."""
    words = _EDGES.sub("", words)
    if _HAN.search(words):
        return _FILLER_ZH.sub("", words)
    while (found := _ARTICLE.match(words)) is not None:
        words = words[found.end() :]
    return words


def _named_zh(held: str, wrong: Wrong) -> Named | None:
    form, part = comparable(held), wrong.form
    if form == part:
        return Named(Fit.WHOLE)
    at = form.find(part)
    if at < 0 or len(part) < _SHORTEST_ZH or len(form) != len(held):
        return None
    if part[:1].isdigit() and form[max(0, at - 1) : at].isdigit():
        return None  # 8号 is no part of 18号
    before, after = held[:at], held[at + len(part) :]
    if after in _OTHER_THINGS_ZH:
        return None
    return Named(Fit.PART, before, after, is_all=_same_sort(wrong.words, after.lstrip(_OF_ZH)))


def _named_en(held: str, part: list[str], key: str) -> Named | None:
    spans = [found.span() for found in _WORD.finditer(held)]
    words = [singular(held[a:b].lower()) for a, b in spans]
    if not words or not part:
        return None
    if [word for word in words if f"{word} " != "the "] == part:
        return Named(Fit.WHOLE)
    for at in range(len(words) - len(part) + 1):
        if words[at : at + len(part)] == part:
            before, after = held[: spans[at][0]], held[spans[at + len(part) - 1][1] :]
            return Named(Fit.PART, before, after, is_all=_same_sort(" ".join(part), after))
    told = {*words, *_stems(key.replace("_", " "))}
    scattered = set(part) <= told and (len(part) > 1 or part[0] in words) and set(part) & set(words)
    return Named(Fit.SCATTERED, is_all=words[-1] in part) if scattered else None


def _same_sort(part: str, after: str) -> bool:
    """Return whether the words after a part add nothing to it: "music" after "rock", 音乐 after 古典."""
    return not after.strip() or (known_category(part) is not None and known_category(part) == known_category(after))


def _stems(text: str) -> list[str]:
    return [singular(word.lower()) for word in _WORD.findall(text)]


def _names_a_thing(new: str) -> bool:
    return new.lower() not in DESCRIBES and known_category(new) is not None


def _ends_alike(new: str, after: str, *, han: bool) -> bool:
    if han:
        return new.endswith(after.lstrip(_OF_ZH) or after)
    said, rest = _stems(new), _stems(after)
    return said[-len(rest[-1:]) :] == rest[-1:]


def _unless_said(around: str, new: str, *, han: bool) -> str:
    """Return what stands around the wrong part, or nothing where the right part says it itself."""
    if han:
        return "" if around and around in new else around
    said, rest = set(_stems(new)), _stems(around)
    return "" if rest and said.issuperset(rest) else around


def _joined(before: str, new: str, after: str, *, han: bool) -> str:
    parts: Sequence[str] = (before.strip(), new, after.strip())
    return "".join(parts) if han else " ".join(part for part in parts if part)
