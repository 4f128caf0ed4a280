"""When a job is due: time zones, both changes of the clock, leap days, an operator's changes. Rows: E9. Matrix: 64."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from celery.schedules import crontab

from tenants.services.job_due_times import RunTimes, find_due_slot, list_latest_slots, read_crontab

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def times(zone: object = UTC, **fields: str) -> RunTimes:
    parsed = crontab(**fields)
    parsed.tz = zone
    return read_crontab(parsed)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def ticks(schedule: RunTimes | timedelta, begin: datetime, end: datetime, every: timedelta) -> list[datetime]:
    """Return the slots that are filled when somebody asks ``every`` so often."""
    filled: list[datetime] = []
    last, now = begin - 30 * DAY, begin
    while now <= end:
        slot = find_due_slot(schedule, last, now)
        if slot is not None and slot >= begin:
            filled.append(slot)
        last, now = slot or last, now + every
    return filled


@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        (BERLIN, "2", datetime(2026, 3, 29)),  # 02:30 does not exist: a day of 23 hours
        (BERLIN, "2", datetime(2026, 10, 25)),  # 02:30 comes twice: a day of 25 hours
        (NEW_YORK, "2", datetime(2026, 3, 8)),
        (NEW_YORK, "1", datetime(2026, 11, 1)),
    ],
)
def test_a_daily_job_runs_once_on_each_local_day_around_a_change_of_the_clock(
    zone: ZoneInfo, at: str, day: datetime
) -> None:
    begin = (day - 2 * DAY).replace(tzinfo=zone).astimezone(UTC)
    filled = ticks(times(zone, minute="30", hour=at), begin, begin + 4 * DAY, timedelta(minutes=10))
    assert len(filled) == 4
    assert len({slot.astimezone(zone).date() for slot in filled}) == 4


@pytest.mark.parametrize(
    ("day", "hours"), [(datetime(2026, 3, 29), 23), (datetime(2026, 10, 25), 25), (datetime(2026, 6, 1), 24)]
)
def test_an_hourly_job_runs_as_often_as_the_day_has_hours(day: datetime, hours: int) -> None:
    begin = day.replace(tzinfo=BERLIN).astimezone(UTC)
    end = (day + DAY).replace(tzinfo=BERLIN).astimezone(UTC) - timedelta(minutes=1)
    filled = ticks(times(BERLIN, minute="30"), begin, end, timedelta(minutes=5))
    assert len(filled) == hours
    assert {later - earlier for earlier, later in pairwise(filled)} == {HOUR}


def test_the_leap_day_comes_once_in_four_years() -> None:
    leap = times(minute="0", hour="4", day_of_month="29", month_of_year="2")
    assert next(list_latest_slots(leap, utc(2027, 6, 1))) == utc(2024, 2, 29, 4)
    daily = ticks(times(minute="0", hour="4"), utc(2028, 2, 28), utc(2028, 3, 1, 23), HOUR)
    assert daily == [utc(2028, 2, 28, 4), utc(2028, 2, 29, 4), utc(2028, 3, 1, 4)]


def test_a_weekday_is_the_rows_zones_own() -> None:
    shanghai = ZoneInfo("Asia/Shanghai")
    monday = times(shanghai, minute="0", hour="3", day_of_week="mon")
    assert next(list_latest_slots(monday, utc(2026, 11, 22, 20))) == utc(2026, 11, 22, 19)  # Sunday evening in UTC


def test_no_beat_for_days_is_made_up_for_once() -> None:
    daily = times(minute="20", hour="3")
    now = utc(2026, 5, 10, 9)
    slot = find_due_slot(daily, utc(2026, 5, 2, 3, 20), now)
    assert slot == utc(2026, 5, 10, 3, 20)
    assert find_due_slot(daily, slot, now + HOUR) is None


@pytest.mark.parametrize(
    ("hour", "zone", "then"),
    [
        ("9", UTC, utc(2026, 5, 11, 9)),  # moved to a time that has just passed
        ("3", NEW_YORK, utc(2026, 5, 11, 7)),  # another time zone, whose 3:00 was at 7:00
        ("23", UTC, utc(2026, 5, 10, 23)),
    ],
)
def test_a_row_that_an_operator_moves_does_not_run_twice_a_day(hour: str, zone: ZoneInfo, then: datetime) -> None:
    ran, moved_at = utc(2026, 5, 10, 3), utc(2026, 5, 10, 10)
    moved = times(zone, minute="0", hour=hour)
    now, slot = moved_at, None
    while slot is None:
        slot, now = find_due_slot(moved, ran, now), now + timedelta(minutes=10)
    assert slot == then


def test_an_interval_that_an_operator_shortens_or_lengthens_is_followed() -> None:
    begin = utc(2026, 5, 10)
    assert len(ticks(timedelta(minutes=10), begin, begin + DAY - HOUR / 60, HOUR / 60)) == 144 * 10 // 9
    assert len(ticks(timedelta(minutes=10), begin, begin + DAY - HOUR / 60, timedelta(minutes=10))) == 144
    assert len(ticks(7 * HOUR, begin, begin + DAY, 7 * HOUR)) == 4


def test_a_run_that_its_queue_delivered_late_does_not_cost_the_next_one() -> None:
    sent = [utc(2026, 5, 10, hour, 59, 58) for hour in range(10)]
    delivered = [moment + timedelta(seconds=5 * (number % 2)) for number, moment in enumerate(sent)]
    last, ran = None, 0
    for now in delivered:
        slot = find_due_slot(HOUR, last, now)
        ran, last = ran + (slot is not None), slot or last
    assert ran == len(sent)


def test_two_beats_half_an_interval_apart_make_one_run_each_time() -> None:
    begin = utc(2026, 5, 10)
    assert len(ticks(HOUR, begin, begin + DAY - HOUR / 2, HOUR / 2)) == 24


def test_a_clock_that_was_far_ahead_does_not_stop_a_job() -> None:
    now = utc(2026, 5, 10)
    assert find_due_slot(HOUR, now + timedelta(minutes=30), now) is None
    assert find_due_slot(HOUR, now + DAY, now) == now
