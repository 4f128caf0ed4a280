"""English words for times: "May 8, 2023", "last week", "two months ago", "Thanksgiving".

"may" and "march" are verbs, "fall" and "spring" too, "June" is a name: months, seasons and bare years need a
preposition before them, or a day or a year beside them.
"""

import re
from datetime import date

from snapshots.recall.times import feasts
from snapshots.recall.times.calendar_days import (
    DAY,
    Anchor,
    Resolve,
    Span,
    ago,
    days,
    hours,
    latest,
    month,
    past,
    past_weekend,
    recent,
    season,
    weekday,
    weekend,
    whole_year,
)

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNTS = {"a": 1, "an": 1, "couple": 2} | {word: value for value, word in enumerate(_ONES, 1)}

_YEAR = r"((?:19|20)\d\d)(?![\d]|[.,:/-]\d)"
_MONTH = (
    r"\b(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_SEASON = r"(spring|summer|autumn|fall|winter)"
_UNIT = r"(day|week|month|year)"
_NUMBER = r"(\d{1,2})(?![\d:%]|[.,]\d)"
_COUNT = rf"(\d{{1,3}}|an?|{'|'.join(_ONES)}|(?:a )?couple(?: of)?|a few|several)"
_HOURS = {"morning": (4, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 30)}

_IN = r"\b(?:in|during|of|since|by|until|till|before|after|around|early|late|mid|last|past|from|between|through)[ -]"
_MONTH_GUARD = re.compile(_IN + "$|\\bthis $|\\b(?:from|between) [a-z]{3,9} (?:and|to|until|till|through) $")
_SEASON_GUARD = re.compile(r"(?:" + _IN + r"|\b(?:over|this|that) )(?:the )?(?:(?:early|late|mid|last|past)[ -])?$")
_YEAR_GUARD = re.compile(_IN + r"$|\b(?:year|in early|in late|and|to) $")
_DAY_GUARD = re.compile(r"\b(?:on|since|by|until|till|before|after|from|around|the|of|dated) (?:the )?$")
_WEEKDAY_GUARD = re.compile(r"\b(?:on|last|past|this|since|by|until|before|after|from|of|that) (?:the )?$")
_END = re.compile(r" ?(?:[?.!,;)]|$)")
_WEEKDAY_TAIL = re.compile(rf" (?:early )?(?:{'|'.join(_HOURS)})\b| ?(?:[?.!,;)]|$)")


def count_of(word: str) -> int | None:
    """Return the number of a counting word; None for "a few" and "several"."""
    if word.isdecimal():
        return int(word)
    return 2 if "couple" in word else _COUNTS.get(word)


def month_number(word: str) -> int:
    """Return 1 for "jan", "january", ..."""
    return _MONTHS.index(word[:3]) + 1


_FEASTS = tuple(feasts.ENGLISH.values())


def _group(m: re.Match[str], number: int) -> str | None:
    """Return a group that only some patterns of a resolver have."""
    return m[number] if m.re.groups >= number else None


def _year_of(word: str | None) -> int | None:
    return int(word) if word else None


def _day(number: str, word: str, year: str | None, today: date) -> Span | None:
    return latest(lambda y: days(date(y, month_number(word), int(number))), today, _year_of(year))


def _day_month(m: re.Match[str], today: date) -> Span | None:
    return _day(m[1], m[2], _group(m, 3), today)


def _month_day(m: re.Match[str], today: date) -> Span | None:
    return _day(m[2], m[1], _group(m, 3), today)


def _month(m: re.Match[str], today: date) -> Span | None:
    return latest(lambda year: month(year, month_number(m[1])), today, _year_of(_group(m, 2)))


def _season(m: re.Match[str], today: date) -> Span | None:
    name, year = (m[2], m[1]) if m[1].isdecimal() else (m[1], _group(m, 2))
    return latest(lambda y: season(y, _SEASONS[name]), today, _year_of(year))


def _feast(m: re.Match[str], today: date) -> Span | None:
    days_of = _FEASTS[next(i for i, name in enumerate(m.groups()[:-1]) if name)]
    return latest(lambda year: days(*days_of(year)), today, _year_of(m[m.re.groups]))


def _relative(m: re.Match[str], today: date) -> Span | None:
    """Resolve "last week", "this month", "previous weekend": whole units of the calendar."""
    back = 0 if m[1] in ("this", "the current") else 1
    if m[2] == "weekend":
        return weekend(today, back)
    if m[2] == "night":
        return hours(today - back * DAY, *_HOURS["night"])
    return ago(today, back, m[2])


def _part_of_day(m: re.Match[str], today: date) -> Span | None:
    return hours(today - DAY if m[1] == "yesterday" else today, *_HOURS[m[2]])


def _anchor(
    pattern: str, resolve: Resolve, guard: re.Pattern[str] | None = None, tail: re.Pattern[str] | None = None
) -> Anchor:
    return Anchor(re.compile(pattern), resolve, guard, tail)


# In order: an earlier anchor takes its words from the later ones.
ANCHORS: tuple[Anchor, ...] = (
    _anchor(
        r"(?<![\d.])((?:19|20)\d\d)[-/.]([01]?\d)[-/.]([0-3]?\d)(?!\d)",
        lambda m, _: days(date(int(m[1]), int(m[2]), int(m[3]))),
    ),
    _anchor(rf"\b(?:{'|'.join(f'({name})' for name in feasts.ENGLISH)})\b(?:(?: of| in|,)? {_YEAR})?", _feast),
    _anchor(rf"(?<![\d.:$])(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? {_YEAR}", _day_month),
    _anchor(rf"{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}", _month_day),
    _anchor(rf"(?<![\d.:$])(\d{{1,2}})(?:st|nd|rd|th)(?: of)? {_MONTH}", _day_month),
    _anchor(rf"{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)\b", _month_day),
    _anchor(rf"(?<![\d.:$])(\d{{1,2}}) (?!ma[ry]){_MONTH}", _day_month),
    _anchor(rf"(?!ma[ry]){_MONTH} {_NUMBER}", _month_day),
    _anchor(rf"(?<![\d.:$])(\d{{1,2}}) {_MONTH}", _day_month, _DAY_GUARD, _END),
    _anchor(rf"{_MONTH} {_NUMBER}", _month_day, _DAY_GUARD, _END),
    _anchor(rf"{_MONTH}(?: of|,)? {_YEAR}", _month),
    _anchor(r"(?<![\d.-])((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![\d-])", lambda m, _: month(int(m[1]), int(m[2]))),
    _anchor(rf"\b{_SEASON}(?: of| in|,)? {_YEAR}", _season),
    _anchor(rf"\b{_YEAR} {_SEASON}\b", _season),
    _anchor(r"\bday before yesterday\b", lambda _, today: ago(today, 2, "day")),
    _anchor(rf"\b(yesterday|this|earlier this|today) (?:early )?({'|'.join(_HOURS)})\b", _part_of_day),
    _anchor(r"\byesterday\b", lambda _, today: ago(today, 1, "day")),
    _anchor(r"\btoday\b", lambda _, today: days(today)),
    _anchor(r"\btonight\b", lambda _, today: hours(today, *_HOURS["night"])),
    _anchor(r"\b(week|month|year) before last\b", lambda m, today: ago(today, 2, m[1])),
    _anchor(r"\bthe other day\b", lambda _, today: past(today, None, "day")),
    _anchor(rf"\b(?:last|past|previous) {_COUNT} {_UNIT}s?\b", lambda m, today: past(today, count_of(m[1]), m[2])),
    _anchor(rf"\b{_COUNT} {_UNIT}s? (?:ago|back)\b", lambda m, today: ago(today, count_of(m[1]), m[2])),
    _anchor(r"\bhalf a year ago\b", lambda _, today: ago(today, 6, "month")),
    _anchor(r"\b(last|past|previous|this|the current) (week|weekend|month|year|night)\b", _relative),
    _anchor(r"\b(?:over|on|at|during) the weekend\b(?! (?:before|after|of))", lambda _, today: past_weekend(today)),
    Anchor(re.compile(r"\b(?:recently|lately|these days|of late)\b"), lambda _, today: recent(today), vague=True),
    _anchor(rf"(?<!\bthis (?=ma[ry])){_MONTH}", _month, _MONTH_GUARD),
    _anchor(rf"\b{_SEASON}\b", _season, _SEASON_GUARD),
    _anchor(rf"\b{_YEAR}\b", lambda m, _: whole_year(int(m[1])), _YEAR_GUARD),
    _anchor(
        rf"(?<!\ba )\b({'|'.join(WEEKDAYS)})\b(?! (?:before|after|following|of)\b)",
        lambda m, today: weekday(today, WEEKDAYS.index(m[1])),
        _WEEKDAY_GUARD,
        _WEEKDAY_TAIL,
    ),
)
