"""Measure how far a context covers a question: the share of needed groups of which it contains a string.

A string does not match where it begins inside a longer word or number, or ends inside a longer number: 5 is in neither
15 nor 51, 三点 not in 十三点. Dates that a context writes over or beside its lines are removed first: they match
nothing by accident.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

_NUMERALS = "0-9零一二两三四五六七八九十廿百"
_DATE = re.compile(
    r"\b\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d)?|\(\d{1,2} [A-Z][a-z]{2}(?: \d{4})?\)|(?:\d{4}年)\d{1,2}月(?:\d{1,2}日)?"
    r"|\(\d{1,2}月\d{1,2}日\)"
    r"|^\d{1,2} [A-Z][a-z]{2}(?: \d{4})?:$|^(?:\d{4}年)?\d{1,2}月\d{1,2}日[:：]$|^Today is .*$|^今天是.*$",
    re.MULTILINE,
)


def remove_dates(text: str) -> str:
    """Return ``text`` without the dates that a context writes beside its lines."""
    return _DATE.sub(" ", text)


def compute_coverage(text: str, needed: Sequence[Sequence[str]]) -> float:
    """Return the share of the groups of which a string stands in ``text``; ``needed`` is not empty."""
    lowered = text.lower()
    return sum(any(_pattern(part).search(lowered) for part in group) for group in needed) / len(needed)


@lru_cache(maxsize=4096)
def _pattern(part: str) -> "re.Pattern[str]":
    lowered = part.lower()
    before = after = ""
    if re.match(r"[a-z]", lowered):
        before = r"(?<![a-z0-9])"
    elif re.match(f"[{_NUMERALS}]", lowered):
        before = f"(?<!(?<![周期拜])[{_NUMERALS}])"  # 周三三点 is three o'clock on a Wednesday
    if lowered[-1:].isdigit():
        after = r"(?!\d)"
    return re.compile(before + re.escape(lowered) + after)
