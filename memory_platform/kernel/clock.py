"""The current time, and moments in local time: the day of a moment depends on the place."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo

# No time zone is further from UTC, and RFC 3339 writes no larger offset.
MOST_MINUTES = 24 * 60 - 1


def utc_now() -> datetime:
    """Return the current time, aware, in UTC. Leases and due times never come from here: they use the database's clock,
    so that a machine whose clock is wrong cannot steal or hold work."""
    return datetime.now(UTC)


def offset_of(moment: datetime) -> int | None:
    """Return an aware moment's offset in minutes east of UTC; None for UTC, which programs write wherever they run."""
    offset = moment.utcoffset() or timedelta(0)
    return offset // timedelta(minutes=1) or None


def at_offset(moment: datetime, minutes: int | None) -> datetime:
    """Return the moment at this offset (minutes east of UTC); unchanged for None."""
    return moment if minutes is None else _move(moment, timezone(timedelta(minutes=minutes)))


def in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """Return the moment in a time zone; unchanged for None, and if it has an offset of its own."""
    return moment if zone is None or offset_of(moment) is not None else _move(moment, zone)


def _move(moment: datetime, zone: tzinfo) -> datetime:
    """Return the moment in ``zone``; unchanged if that would be before the year 1 or after the year 9999."""
    with suppress(OverflowError):
        return moment.astimezone(zone)
    return moment
