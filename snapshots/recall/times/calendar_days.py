"""Spans of days: months, seasons, weeks, so many units ago. Times are local and naive."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from dateutil.relativedelta import relativedelta

# The first moment, and the moment after the last.
DateSpan = tuple[datetime, datetime]
SpanOfYear = Callable[[int], DateSpan | None]
# The meaning of a match on a day; None for no time. May raise ValueError or OverflowError: no such day.
ResolveAnchor = Callable[[re.Match[str], date], DateSpan | None]

DAY = timedelta(1)
SATURDAY = 5
# Days that "recently" reaches back.
RECENT_DAYS = 14
# The farthest and the nearest of "a few ... ago", by unit.
FEW = {"day": (7, 1), "week": (6, 2), "month": (6, 2), "year": (6, 2)}
# Years to look back for a day that does not exist every year: 29 February.
_YEARS_BACK = 5


@dataclass(frozen=True, slots=True)
class TimeAnchor:
    """Words that name a time. ``guard`` must be found before them, or ``tail`` right after; None asks nothing."""

    pattern: re.Pattern[str]
    resolve: ResolveAnchor
    guard: re.Pattern[str] | None = None
    tail: re.Pattern[str] | None = None
    vague: bool = False


def span_of_days(first: date, count: int = 1) -> DateSpan:
    start = datetime.combine(first, time())
    return start, start + count * DAY


def span_of_hours(day: date, first: int, last: int) -> DateSpan:
    """Return hours of ``day``; ``last`` may lie in the next day (beyond 24)."""
    start = datetime.combine(day, time())
    return start + timedelta(hours=first), start + timedelta(hours=last)


def latest_begun_span(read_day_span: SpanOfYear, today: date, year: int | None = None) -> DateSpan | None:
    """Return the span in ``year``; without one, the latest that has begun by ``today``."""
    if year is not None:
        return read_day_span(year)
    for back in range(_YEARS_BACK):
        try:
            span = read_day_span(today.year - back)
        except ValueError:
            continue
        if span and span[0].date() <= today:
            return span
    return None


def month_span(year: int, number: int) -> DateSpan:
    start = datetime(year, number, 1)
    return start, start + relativedelta(months=1)


def year_span(year: int) -> DateSpan:
    return datetime(year, 1, 1), datetime(year + 1, 1, 1)


def season_span(year: int, number: int) -> DateSpan:
    """Return spring (0) to winter (3): spring begins in March, and winter ends in the year after."""
    start = datetime(year, 3 * number + 3, 1)
    return start, start + relativedelta(months=3)


def week_span(today: date, back: int = 0) -> DateSpan:
    """Return the week, Monday to Sunday, ``back`` weeks before the one of ``today``."""
    return span_of_days(today - timedelta(today.weekday() + 7 * back), 7)


def weekend_span(today: date, back: int = 0) -> DateSpan:
    return span_of_days(today - timedelta(today.weekday() + 7 * back - SATURDAY), 2)


def past_weekend_span(today: date) -> DateSpan:
    """Return the latest weekend that has begun."""
    return weekend_span(today, int(today.weekday() < SATURDAY))


def weekday_span(today: date, number: int) -> DateSpan:
    """Return the latest such day of the week, ``today`` included; Monday is 0."""
    return span_of_days(today - timedelta((today.weekday() - number) % 7))


def span_ago(today: date, count: int | None, unit: str) -> DateSpan:
    """Return the day, week, month or year that lies ``count`` of them back; None is "a few"."""
    if count is None:
        far, near = FEW[unit]
        return span_ago(today, far, unit)[0], span_ago(today, near, unit)[1]
    if unit == "day":
        return span_of_days(today - timedelta(count))
    if unit == "week":
        return week_span(today, count)
    if unit == "month":
        then = today - relativedelta(months=count)
        return month_span(then.year, then.month)
    return year_span(today.year - count)


def past_span(today: date, count: int | None, unit: str) -> DateSpan:
    """Return the last ``count`` units up to now; None is "a few"."""
    far = FEW[unit][0] if count is None else count
    back = {"day": relativedelta(days=far), "week": relativedelta(weeks=far)}
    back |= {"month": relativedelta(months=far), "year": relativedelta(years=far)}
    return span_of_days(today - back[unit])[0], span_of_days(today)[1]


def recent_span(today: date) -> DateSpan:
    return past_span(today, RECENT_DAYS, "day")


def part_of_span(span: DateSpan, first: float, last: float) -> DateSpan:
    """Return the part of a span between two shares (0 to 1)."""
    start, length = span[0], span[1] - span[0]
    return start + first * length, start + last * length
