"""Content units that a next turn shares with the question and the reply, in two languages. Pure."""

import re
from dataclasses import dataclass
from typing import Self

from memory_platform.kernel.keyword_terms import CHINESE, split_terms
from snapshots.feedback.reading.turn_patterns import ATTITUDES_EN, COURTESIES

_HAN = re.compile(r"[\u3400-\u9fff]")
# Letters of a stem that are compared: "babysitter" and "babysit", "translation" and "translate".
_HEAD = 5
_FUNCTION = frozenset(
    "我你您他她它们咱谁啥什么怎哪几多少吗呢吧啊呀哦嗯呃了的地得着过把被给跟和与或而且但就才也都还又再很太最更真好行可以能会要想应该请帮"
    "替让叫说问讲告诉知道是有在没不别这那个些一下点样种次回来去上到从对于为因所如果然后那么其实到底究竟就是只"
)
_NUMBERS = dict(
    zip(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenti", "thirti", "hundr"],
        ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "20", "30", "100"],
        strict=True,
    )
)


def find_content_units(text: str) -> frozenset[str]:
    """Return the content units of ``text``: heads of stems, numbers, and Chinese characters with a meaning."""
    found: set[str] = set()
    for term in split_terms(text):
        if _HAN.match(term):
            found.update(c for c in term if c not in _FUNCTION and c not in CHINESE)
        elif term not in ATTITUDES_EN and term not in COURTESIES:
            found.add(convert_to_digits(term)[:_HEAD])
    return frozenset(found)


def convert_to_digits(stem: str) -> str:
    return _NUMBERS.get(stem, stem)


@dataclass(frozen=True, slots=True)
class Overlap:
    """The units of a next turn, by where they were said before: in the question, only in the reply, nowhere
    (``fresh``)."""

    query_units: frozenset[str]
    again: frozenset[str]
    answered: frozenset[str]
    fresh: frozenset[str]

    @classmethod
    def from_texts(cls, query: str, reply: str, next_turn: str) -> Self:
        asked, now = find_content_units(query), find_content_units(next_turn)
        replied = find_content_units(reply) - asked
        return cls(asked, now & asked, now & replied, now - asked - replied)

    @property
    def covered_share(self) -> float:
        """Share of the question's units that the turn repeats, 0..1."""
        return len(self.again) / len(self.query_units) if self.query_units else 0.0
