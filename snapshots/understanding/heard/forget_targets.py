"""Compare the names in an order to forget with memories: by words, or by the kinds of things it is a word for."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.text import to_comparable

_TABLE = Path(__file__).with_name("data") / "names.toml"
# Of a longer name ("I live with my brother in Ghent") this share of the words must be said.
_SHARE = 0.6
_EACH_WORD = 2
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class ThingKind:
    """One kind of thing that people name: words for it, slots that hold it, cues of it in notes."""

    words: frozenset[str]
    slots: frozenset[str]
    cues: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class ForgetTarget:
    """A name in an order, ready to be compared with memories."""

    text: str
    terms: frozenset[str]
    things: tuple[ThingKind, ...]

    @classmethod
    def build(cls, name: str) -> "ForgetTarget":
        words = to_comparable(name)
        return cls(words, frozenset(split_terms(name)), tuple(one for one in load_thing_kinds() if words in one.words))

    def is_mentioned_in(self, text: str) -> bool:
        if any(one.cues and one.cues.search(text) for one in self.things):
            return True
        if _HAN.search(self.text):
            return self._is_mentioned_in_chinese(to_comparable(text))
        if not self.terms:
            return False
        shared = self.terms & set(split_terms(text))
        return len(shared) == len(self.terms) or (
            len(self.terms) > _EACH_WORD and len(shared) >= _SHARE * len(self.terms)
        )

    def matches_slot(self, path: str, texts: Iterable[str]) -> bool:
        if any(path in one.slots for one in self.things):
            return True
        own = [path.rpartition("/")[2].replace("_", " "), *texts]
        return any(self.is_mentioned_in(text) for text in own if text)

    def _is_mentioned_in_chinese(self, form: str) -> bool:
        if self.text in form:
            return True
        pairs = {one for one in self.terms if len(one) > 1}
        return len(pairs) > _EACH_WORD and sum(one in form for one in pairs) >= _SHARE * len(pairs)


@cache
def load_thing_kinds() -> tuple[ThingKind, ...]:
    rows = tomllib.loads(_TABLE.read_text(encoding="utf-8"))["thing"]
    return tuple(
        ThingKind(
            frozenset(to_comparable(word) for word in row["words"].split(",")),
            frozenset(row["slots"]),
            re.compile(row["cues"], re.IGNORECASE) if row["cues"] else None,
        )
        for row in rows
    )


@cache
def build_chinese_things_pattern() -> re.Pattern[str]:
    """Return a pattern with one group of the Chinese words for things, the longest first."""
    words = {word for one in load_thing_kinds() for word in one.words if _HAN.match(word) and len(word) > 1}
    return re.compile(f"({'|'.join(sorted(words, key=len, reverse=True))})")


def is_personal_thing(name: str) -> bool:
    """Return whether a bare name is something that is known about a person: an address, not a window."""
    return bool(ForgetTarget.build(name).things)
