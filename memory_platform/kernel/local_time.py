"""Moments by the clock on the wall: which day a moment belongs to depends on where it is lived through."""

from contextlib import suppress
from datetime import datetime, timedelta, timezone, tzinfo

MOST_MINUTES = 24 * 60 - 1
"""No clock on earth is further from UTC than that, and RFC 3339 writes no other."""


def offset_of(moment: datetime) -> int | None:
    """Return how many minutes east of UTC the clock of an aware moment is; None for UTC, which programs write wherever
    they run: it tells no place."""
    offset = moment.utcoffset() or timedelta(0)
    return offset // timedelta(minutes=1) or None


def at_offset(moment: datetime, minutes: int | None) -> datetime:
    """Return the same moment by a clock so many minutes east of UTC; as it is for None."""
    return moment if minutes is None else _move(moment, timezone(timedelta(minutes=minutes)))


def in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the same moment by the clock of a time zone; as it is for None, and where it tells its own offset."""
    return moment if zone is None or offset_of(moment) is not None else _move(moment, zone)


def _move(moment: datetime, zone: tzinfo) -> datetime:
    """Return the moment there; as it is where that would be before the year 1 or after the year 9999."""
    with suppress(OverflowError):
        return moment.astimezone(zone)
    return moment
