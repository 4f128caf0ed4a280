"""Settle a change that did not name its object against what is believed now: pure, the writer passes the values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_platform.kernel.text import comparable
from snapshots.extraction.values import Mode, PreferenceCandidate, Value

_UNITS = (
    ("degree", re.compile(r"度|℃|°|degrees?|celsius|fahrenheit", re.IGNORECASE)),
    ("percent", re.compile(r"%|percent|百分", re.IGNORECASE)),
    ("speed", re.compile(r"km/?h|kph|mph|公里|码|迈", re.IGNORECASE)),
    ("money", re.compile(r"[$€£¥]|dollars?|euros?|pounds?|yuan|usd|eur|rmb|元|块", re.IGNORECASE)),
)
_NUMBER = re.compile(r"\d")
_UNIT_OF_KEY = {"temperature": "degree", "speed_limit": "speed"}


@dataclass(frozen=True, slots=True)
class CurrentValue:
    """One current preference as the resolver sees it; ``order`` grows with time (said_at, then seq)."""

    category: str
    key: str
    value: Value
    order: float
    same_conversation: bool


def unit_of(value: str, key: str | None = None) -> str | None:
    """Return the unit of a value ("degree", "percent", "speed", "money", "number"), None when it holds no number.

    A bare number under a key that implies a unit ("temperature") has that unit.
    """
    if not _NUMBER.search(value):
        return None
    named = next((unit for unit, pattern in _UNITS if pattern.search(value)), None)
    return named or _UNIT_OF_KEY.get(key or "", "number")


def resolve_change(change: PreferenceCandidate, current: Sequence[CurrentValue]) -> PreferenceCandidate | None:
    """Return ``change`` with its category and key found, or None when nothing current is meant by it.

    With ``replaces``: the newest current value equal to it, or the newest list that holds it. Without: the newest value
    of the same conversation with the same unit; a bare number fits any unit.
    """
    if change.key is not None:
        return change
    newest = sorted(current, key=lambda c: c.order, reverse=True)
    target = _holding(change.replaces, newest) if change.replaces else _same_unit(str(change.value), newest)
    if target is None:
        return None
    mode: Mode = "replace" if isinstance(target.value, tuple) else "set"
    old = _entry(change.replaces, target.value) if change.replaces else _shown(target.value)
    return replace(change, category=target.category, key=target.key, mode=mode, replaces=old)


def _holding(old: str, newest: Sequence[CurrentValue]) -> CurrentValue | None:
    return next((c for c in newest if _entry(old, c.value) is not None), None)


def _entry(old: str | None, value: Value) -> str | None:
    """Return the entry of ``value`` that ``old`` names, as stored; a leading article does not matter."""
    entries = value if isinstance(value, tuple) else (str(value),)
    return next((entry for entry in entries if _bare(entry) == _bare(old or "")), None)


def _bare(text: str) -> str:
    return re.sub(r"^(?:the|a|an|my) ", "", comparable(text))


def _shown(value: Value) -> str:
    return value[-1] if isinstance(value, tuple) else str(value)


def _same_unit(new: str, newest: Sequence[CurrentValue]) -> CurrentValue | None:
    """A change without a number has no unit: it replaces nothing unsaid."""
    unit = unit_of(new)
    if unit is None:
        return None
    for candidate in newest:
        if candidate.same_conversation and not isinstance(candidate.value, tuple | bool):
            held = unit_of(candidate.value, candidate.key)
            if held is not None and unit in {held, "number"}:
                return candidate
    return None
