"""Moments by the clock on the wall. Rows: X11."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from memory_platform.kernel.clock import at_offset, in_zone, offset_of

SHANGHAI = ZoneInfo("Asia/Shanghai")
MOMENT = datetime(2026, 11, 23, 23, tzinfo=UTC)


@pytest.mark.parametrize("text", ["2026-11-23T23:00:00Z", "2026-11-23T23:00:00+00:00", "2026-11-23T23:00:00-00:00"])
def test_utc_tells_no_place(text: str) -> None:
    moment = datetime.fromisoformat(text)
    assert offset_of(moment) is None
    assert in_zone(moment, SHANGHAI).date().day == 24
    assert in_zone(moment, None) is moment
    assert at_offset(moment, None) is moment


@pytest.mark.parametrize(("text", "minutes"), [("+08:00", 480), ("-03:30", -210), ("+23:59", 1439), ("-23:59", -1439)])
def test_an_offset_is_kept_in_minutes(text: str, minutes: int) -> None:
    moment = datetime.fromisoformat(f"2026-11-23T12:00:00{text}")
    assert offset_of(moment) == minutes
    again = at_offset(moment.astimezone(UTC), minutes)
    assert (again, again.date(), offset_of(again)) == (moment, moment.date(), minutes)
    assert in_zone(moment, SHANGHAI) is moment


def test_a_zone_of_its_own_is_an_offset() -> None:
    assert offset_of(MOMENT.astimezone(SHANGHAI)) == 480
    assert offset_of(MOMENT.astimezone(ZoneInfo("Etc/UTC"))) is None


@pytest.mark.parametrize(("moment", "hours"), [(datetime.min, -8), (datetime.max, 8)])
def test_the_first_and_last_moments_stay_where_no_clock_could_show_them(moment: datetime, hours: int) -> None:
    edge = moment.replace(tzinfo=UTC)
    assert in_zone(edge, timezone(timedelta(hours=hours))) is edge
    assert at_offset(edge, 60 * hours) is edge
