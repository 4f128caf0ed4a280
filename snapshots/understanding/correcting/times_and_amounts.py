"""Times, days, dates, numbers and amounts in a text, of which one corrects another of its sort. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.reading.text_folding import fold_for_matching

Key = tuple[int | str | None, ...]
_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_WEEK_EN, _WEEK_ZH = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "一二三四五六日天末"
# In digits.
_LONG = 3
_PATTERNS = load_patterns(Path(__file__).with_name("typed_values.toml"))


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value at characters ``start`` to ``end``, with its normalised ``key``. ``core`` is its last part, which can
    replace another's core: of a date the day."""

    sort: str
    key: Key
    start: int
    end: int
    core: tuple[int, int]

    @property
    def is_rare(self) -> bool:
        """Whether few things share the value by chance: 3:15 but no full hour, a date with its month, a long number."""
        if self.sort in ("clock", "date"):
            return None not in self.key and self.key[1] != 0
        return self.sort == "phone" or (self.sort in ("amount", "number") and len(str(self.key[0])) >= _LONG)

    def equals(self, other: "TypedValue") -> bool:
        """Return whether two values are equal as far as both say: "the 3rd" and "3 May"."""
        pairs = zip(self.key, other.key, strict=False)
        return self.sort == other.sort and all(None in (one, two) or one == two for one, two in pairs)


@lru_cache(maxsize=2_048)
def find_typed_values(text: str) -> tuple[TypedValue, ...]:
    """Return the values of a text in order; none inside another."""
    form = fold_for_matching(text)
    if len(form) != len(text):
        return ()
    taken: list[TypedValue] = []
    for one in _match_values(form):
        if all(one.end <= other.start or other.end <= one.start for other in taken):
            taken.append(one)
    return tuple(sorted(taken, key=lambda one: one.start))


def _match_values(form: str) -> Iterator[TypedValue]:
    for name, pattern in _PATTERNS.items():
        sort = name.partition("_")[0]
        for found in pattern.finditer(form):
            said = {group: value for group, value in found.groupdict().items() if value}
            yield TypedValue(sort, _KEY_BUILDERS[sort](said, found["core"]), *found.span(), found.span("core"))


def _parse_number(numeral: str) -> int:
    if numeral.isdigit():
        return int(numeral)
    if numeral.lower() in _ONES:
        return _ONES.index(numeral.lower()) + 1
    tens, _, ones = numeral.rpartition("十")
    digits = "一二三四五六七八九".find
    one = digits(ones.replace("两", "二")) + 1 if ones else 0
    return ((digits(tens) + 1 if tens else 1) * 10 if "十" in numeral else 0) + one


def _make_clock_key(groups: Mapping[str, str], core: str) -> Key:
    if not groups:
        return (0, 0)
    hour = _parse_number(groups["hour"]) % 12 if "hour" in groups else None
    part = groups.get("part", "").rstrip("分")
    minute = {"半": 30, "一刻": 15, "三刻": 45}.get(part) or (
        _parse_number(part) if part else int(groups.get("minute", 0))
    )
    if "past" in groups:
        minute = {"half": 30, "quarter": 15, "ten": 10, "twenty": 20, "five": 5}[groups["past"].lower()]
        if groups["side"].lower() == "to":
            minute, hour = 60 - minute, None if hour is None else (hour - 1) % 12
    return (hour, minute)


def _make_weekday_key(groups: Mapping[str, str], core: str) -> Key:
    week = groups["week"].lower()
    return (_WEEK_ZH.index(week.replace("天", "日")) if week in _WEEK_ZH else _WEEK_EN.index(week[:3]),)


def _make_date_key(groups: Mapping[str, str], core: str) -> Key:
    month = groups.get("month", "").lower()
    told = _MONTHS.index(month[:3]) + 1 if month[:3] in _MONTHS else _parse_number(month) if month else None
    return (told, _parse_number(groups["day"]))


def _make_amount_key(groups: Mapping[str, str], core: str) -> Key:
    unit = groups.get("unit", groups.get("sign", "")).lower()
    return (_number_key(groups["number"]), unit.rstrip("s"))


def _number_key(number: str) -> str:
    return number if number[0].isdigit() else str(_parse_number(number))


_KEY_BUILDERS: Mapping[str, Callable[[Mapping[str, str], str], Key]] = {
    "clock": _make_clock_key,
    "weekday": _make_weekday_key,
    "date": _make_date_key,
    "phone": lambda said, core: (re.sub(r"\D", "", core),),
    "amount": _make_amount_key,
    "number": lambda said, core: (_number_key(said["number"]), None),
}
