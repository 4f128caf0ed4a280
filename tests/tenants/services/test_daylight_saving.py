"""Two beats send a daily job around both changes of the clock: it runs once a local day. Rows: E9. Matrix: 64.

The times at which beats send are theirs, computed by the code that beat runs; whoever continues jobs sends what they
have left out.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django_celery_beat.models import CrontabSchedule, PeriodicTask

from tenants.config import RUN_CONFIG
from tenants.models import JobRun
from tenants.services import job_runs
from tenants.services.job_due_times import find_due_slot, list_latest_slots, read_crontab

DAY, STEP = timedelta(days=1), timedelta(minutes=10)


class Beat:
    """One beat's own view of a row: when it last sent, and whether it sends now."""

    def __init__(self, schedule: Any, begin: datetime) -> None:
        self.schedule, self.last = schedule, begin

    def sends(self, now: datetime) -> bool:
        self.schedule.nowfun = lambda: now.astimezone(self.schedule.tz)
        is_due, _ = self.schedule.is_due(self.last)
        self.last = now if is_due else self.last
        return bool(is_due)


@pytest.fixture
def row(database: None) -> Iterator[PeriodicTask]:
    yield PeriodicTask(name="nap", task="jobs.nap")
    PeriodicTask.objects.all().delete()
    CrontabSchedule.objects.all().delete()


@pytest.mark.parametrize("beats", [2, 0], ids=["two beats", "no beat"])
@pytest.mark.parametrize(
    ("zone", "hour", "day"),
    [
        ("Europe/Berlin", "2", datetime(2026, 3, 29)),  # 02:30 does not exist
        ("Europe/Berlin", "2", datetime(2026, 10, 25)),  # 02:30 comes twice
        ("America/New_York", "1", datetime(2026, 11, 1)),  # as 01:30 here, behind UTC
    ],
)
def test_no_day_is_doubled_or_skipped(row: PeriodicTask, zone: str, hour: str, day: datetime, beats: int) -> None:
    row.crontab = CrontabSchedule.objects.create(minute="30", hour=hour, timezone=zone)
    row.save()
    local = ZoneInfo(zone)
    begin = (day - DAY).replace(tzinfo=local).astimezone(UTC)
    last = next(list_latest_slots(read_crontab(row.crontab.schedule), begin))
    JobRun.objects.create(job="nap", scheduled_for=last, started_at=last, ended_at=last)
    senders = [Beat(row.crontab.schedule, begin + number * STEP).sends for number in range(beats)]
    sent, ran = 0, list[datetime]()
    for number in range(3 * DAY // STEP):
        now = begin + number * STEP
        sends = [send(now) for send in senders] + [job_runs._is_missed(row, last, now, RUN_CONFIG)]
        sent += sum(sends)
        for _ in filter(None, sends):
            slot = find_due_slot(read_crontab(row.crontab.schedule), last, now)
            if slot is not None:
                JobRun.objects.create(job="nap", scheduled_for=slot, started_at=now, ended_at=now)
                ran, last = [*ran, slot], slot
    assert sent == 3 * max(beats, 1)
    assert [slot.astimezone(local).date() for slot in ran] == [(day + n * DAY).date() for n in range(-1, 2)]
