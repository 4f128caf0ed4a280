"""When a job is due: by its schedule row, which a person may have changed, else by its default.

A row with an interval is due when most of it has passed since the last run: fixed time slots would drop a run that its
queue delivers a little earlier than the one before. A row with times of the day is due once for each of them, in the
row's own time zone: a time that summer time skips comes at the change, a time that it repeats comes once, unless the
row names every hour.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from django_celery_beat.models import PeriodicTask

from tenants.config import RUN_CONFIG

HOURS_OF_A_DAY = 24
# Over four years: the 29th of February is among them.
DAYS_LOOKED_BACK = 1_500


@dataclass(frozen=True, slots=True)
class Daily:
    hour: int
    minute: int = 0

    def __str__(self) -> str:
        return f"day at {self.hour:02}:{self.minute:02} UTC"


# The default schedule of a job: an interval, or once a day.
Default = timedelta | Daily


@dataclass(frozen=True, slots=True)
class RunTimes:
    """Times of the day in a crontab; weekdays count from Sunday, 0. All five must match."""

    minutes: frozenset[int]
    hours: frozenset[int]
    weekdays: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    zone: tzinfo


Schedule = timedelta | RunTimes


def schedule_of(job: str, default: Default) -> Schedule:
    """Return when ``job`` runs: its row's interval or times; without a row, its default. One query."""
    row = PeriodicTask.objects.filter(name=job).select_related("interval", "crontab").first()
    if row is not None and row.interval is not None:
        every: timedelta = row.interval.schedule.run_every
        return every
    if row is not None and row.crontab is not None:
        return read_crontab(row.crontab.schedule)
    if isinstance(default, timedelta):
        return default
    every_day = (frozenset(range(7)), frozenset(range(1, 32)), frozenset(range(1, 13)))
    return RunTimes(frozenset({default.minute}), frozenset({default.hour}), *every_day, UTC)


def read_crontab(crontab: object) -> RunTimes:
    parts = ("minute", "hour", "day_of_week", "day_of_month", "month_of_year")
    minutes, hours, weekdays, days, months = (frozenset(getattr(crontab, part)) for part in parts)
    return RunTimes(minutes, hours, weekdays, days, months, getattr(crontab, "tz", UTC))


def find_due_slot(schedule: Schedule, last: datetime | None, now: datetime) -> datetime | None:
    """Return the slot of a run that begins ``now``, or None if no slot is due; ``last`` is the last run's slot. If a
    changed row has a slot too soon after the last run, the job waits for the slot after it: moving a job never runs it
    twice."""
    if isinstance(schedule, timedelta):
        slot = now.replace(microsecond=0)
        return slot if last is None or _is_far_enough(last, now, schedule) else None
    slots = list_latest_slots(schedule, now)
    newest = next(slots, None)
    if newest is None or last is None:
        return newest if last is None else None
    before = next(slots, None)
    period = newest - before if before is not None else timedelta(0)
    return newest if newest > last and newest - last >= period * RUN_CONFIG.least_gap else None


def list_latest_slots(times: RunTimes, now: datetime) -> Iterator[datetime]:
    """Yield the slots of ``times`` at or before ``now``, the latest first, in UTC, each once."""
    today = now.astimezone(times.zone).date()
    seen: datetime | None = None
    for back in range(-1, DAYS_LOOKED_BACK):
        day = today - timedelta(days=back)
        if day.day in times.days and day.month in times.months and day.isoweekday() % 7 in times.weekdays:
            for moment in sorted(_list_moments(times, day), reverse=True):
                if moment <= now and (seen is None or moment < seen):
                    seen = moment
                    yield moment


def _list_moments(times: RunTimes, day: date) -> set[datetime]:
    """Return a day's slots in UTC; a local time that does not exist is read with the old offset."""
    folds = (0, 1) if len(times.hours) == HOURS_OF_A_DAY else (0,)
    return {
        datetime.combine(day, time(hour, minute, fold=fold), times.zone).astimezone(UTC)
        for hour in times.hours
        for minute in times.minutes
        for fold in folds
    }


def _is_far_enough(last: datetime, now: datetime, period: timedelta) -> bool:
    """Return whether enough time has passed. A last run in the future came from another clock and does not count."""
    return last > now + period or now - last >= period * RUN_CONFIG.beat_tolerance
