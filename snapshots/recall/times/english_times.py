"""English words for times: "May 8, 2023", "last week", "two months ago", "Thanksgiving".

"may" and "march" are verbs, "fall" and "spring" too, "June" is a name: months, seasons and bare years need a
preposition before them, or a day or a year beside them.
"""

import re
from datetime import date

from snapshots.recall.times import holidays
from snapshots.recall.times.calendar_days import (
    DAY,
    DateSpan,
    ResolveAnchor,
    TimeAnchor,
    latest_begun_span,
    month_span,
    past_span,
    past_weekend_span,
    recent_span,
    season_span,
    span_ago,
    span_of_days,
    span_of_hours,
    weekday_span,
    weekend_span,
    year_span,
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


def parse_count(word: str) -> int | None:
    """Return the number of a counting word; None for "a few" and "several"."""
    if word.isdecimal():
        return int(word)
    return 2 if "couple" in word else _COUNTS.get(word)


def parse_month(word: str) -> int:
    """Return 1 for "jan", "january", ..."""
    return _MONTHS.index(word[:3]) + 1


_HOLIDAYS = tuple(holidays.ENGLISH_HOLIDAYS.values())


def _optional_group(m: re.Match[str], number: int) -> str | None:
    """Return a group that only some patterns of a resolver have."""
    return m[number] if m.re.groups >= number else None


def _parse_year(word: str | None) -> int | None:
    return int(word) if word else None


def _resolve_latest_day(number: str, word: str, year: str | None, today: date) -> DateSpan | None:
    return latest_begun_span(lambda y: span_of_days(date(y, parse_month(word), int(number))), today, _parse_year(year))


def _resolve_day_month(m: re.Match[str], today: date) -> DateSpan | None:
    return _resolve_latest_day(m[1], m[2], _optional_group(m, 3), today)


def _resolve_month_day(m: re.Match[str], today: date) -> DateSpan | None:
    return _resolve_latest_day(m[2], m[1], _optional_group(m, 3), today)


def _resolve_month(m: re.Match[str], today: date) -> DateSpan | None:
    return latest_begun_span(
        lambda year: month_span(year, parse_month(m[1])), today, _parse_year(_optional_group(m, 2))
    )


def _resolve_season(m: re.Match[str], today: date) -> DateSpan | None:
    name, year = (m[2], m[1]) if m[1].isdecimal() else (m[1], _optional_group(m, 2))
    return latest_begun_span(lambda y: season_span(y, _SEASONS[name]), today, _parse_year(year))


def _resolve_holiday(m: re.Match[str], today: date) -> DateSpan | None:
    days_of = _HOLIDAYS[next(i for i, name in enumerate(m.groups()[:-1]) if name)]
    return latest_begun_span(lambda year: span_of_days(*days_of(year)), today, _parse_year(m[m.re.groups]))


def _resolve_relative(m: re.Match[str], today: date) -> DateSpan | None:
    """Resolve "last week", "this month", "previous weekend": whole units of the calendar."""
    back = 0 if m[1] in ("this", "the current") else 1
    if m[2] == "weekend":
        return weekend_span(today, back)
    if m[2] == "night":
        return span_of_hours(today - back * DAY, *_HOURS["night"])
    return span_ago(today, back, m[2])


def _make_anchor(
    pattern: str, resolve: ResolveAnchor, guard: re.Pattern[str] | None = None, tail: re.Pattern[str] | None = None
) -> TimeAnchor:
    return TimeAnchor(re.compile(pattern), resolve, guard, tail)


# In order: an earlier anchor takes its words from the later ones.
ANCHORS: tuple[TimeAnchor, ...] = (
    _make_anchor(
        r"(?<![\d.])((?:19|20)\d\d)[-/.]([01]?\d)[-/.]([0-3]?\d)(?!\d)",
        lambda m, _: span_of_days(date(int(m[1]), int(m[2]), int(m[3]))),
    ),
    _make_anchor(
        rf"\b(?:{'|'.join(f'({name})' for name in holidays.ENGLISH_HOLIDAYS)})\b(?:(?: of| in|,)? {_YEAR})?",
        _resolve_holiday,
    ),
    _make_anchor(rf"(?<![\d.:$])(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? {_YEAR}", _resolve_day_month),
    _make_anchor(rf"{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}", _resolve_month_day),
    _make_anchor(rf"(?<![\d.:$])(\d{{1,2}})(?:st|nd|rd|th)(?: of)? {_MONTH}", _resolve_day_month),
    _make_anchor(rf"{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)\b", _resolve_month_day),
    _make_anchor(rf"(?<![\d.:$])(\d{{1,2}}) (?!ma[ry]){_MONTH}", _resolve_day_month),
    _make_anchor(rf"(?!ma[ry]){_MONTH} {_NUMBER}", _resolve_month_day),
    _make_anchor(rf"(?<![\d.:$])(\d{{1,2}}) {_MONTH}", _resolve_day_month, _DAY_GUARD, _END),
    _make_anchor(rf"{_MONTH} {_NUMBER}", _resolve_month_day, _DAY_GUARD, _END),
    _make_anchor(rf"{_MONTH}(?: of|,)? {_YEAR}", _resolve_month),
    _make_anchor(r"(?<![\d.-])((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![\d-])", lambda m, _: month_span(int(m[1]), int(m[2]))),
    _make_anchor(rf"\b{_SEASON}(?: of| in|,)? {_YEAR}", _resolve_season),
    _make_anchor(rf"\b{_YEAR} {_SEASON}\b", _resolve_season),
    _make_anchor(r"\bday before yesterday\b", lambda _, today: span_ago(today, 2, "day")),
    _make_anchor(
        rf"\b(yesterday|this|earlier this|today) (?:early )?({'|'.join(_HOURS)})\b",
        lambda m, today: span_of_hours(today - DAY if m[1] == "yesterday" else today, *_HOURS[m[2]]),
    ),
    _make_anchor(r"\byesterday\b", lambda _, today: span_ago(today, 1, "day")),
    _make_anchor(r"\btoday\b", lambda _, today: span_of_days(today)),
    _make_anchor(r"\btonight\b", lambda _, today: span_of_hours(today, *_HOURS["night"])),
    _make_anchor(r"\b(week|month|year) before last\b", lambda m, today: span_ago(today, 2, m[1])),
    _make_anchor(r"\bthe other day\b", lambda _, today: past_span(today, None, "day")),
    _make_anchor(
        rf"\b(?:last|past|previous) {_COUNT} {_UNIT}s?\b", lambda m, today: past_span(today, parse_count(m[1]), m[2])
    ),
    _make_anchor(rf"\b{_COUNT} {_UNIT}s? (?:ago|back)\b", lambda m, today: span_ago(today, parse_count(m[1]), m[2])),
    _make_anchor(r"\bhalf a year ago\b", lambda _, today: span_ago(today, 6, "month")),
    _make_anchor(r"\b(last|past|previous|this|the current) (week|weekend|month|year|night)\b", _resolve_relative),
    _make_anchor(
        r"\b(?:over|on|at|during) the weekend\b(?! (?:before|after|of))", lambda _, today: past_weekend_span(today)
    ),
    TimeAnchor(
        re.compile(r"\b(?:recently|lately|these days|of late)\b"), lambda _, today: recent_span(today), vague=True
    ),
    _make_anchor(rf"(?<!\bthis (?=ma[ry])){_MONTH}", _resolve_month, _MONTH_GUARD),
    _make_anchor(rf"\b{_SEASON}\b", _resolve_season, _SEASON_GUARD),
    _make_anchor(rf"\b{_YEAR}\b", lambda m, _: year_span(int(m[1])), _YEAR_GUARD),
    _make_anchor(
        rf"(?<!\ba )\b({'|'.join(WEEKDAYS)})\b(?! (?:before|after|following|of)\b)",
        lambda m, today: weekday_span(today, WEEKDAYS.index(m[1])),
        _WEEKDAY_GUARD,
        _WEEKDAY_TAIL,
    ),
)
