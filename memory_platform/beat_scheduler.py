"""The timetable as beat's rows, which people may change.

Beat adds missing jobs to its own rows when it starts; people may change the rows, and a changed row is never
overwritten. The timetable's times are UTC; a changed row uses the zone that it names.
"""

import hashlib
import re
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from memory_platform.timetable import TIMETABLE, ScheduledJob, find_expiry_seconds
from tenants.services.job_due_times import Daily, Default

_SEAL = re.compile(r"\[timetable ([0-9a-f]{12})\]$")


class TimetableScheduler(DatabaseScheduler):  # type: ignore[misc]  # django-celery-beat has no types
    """Beat's own scheduler; its rows are synchronised before it reads them, wherever it is started. (Rows that first
    appear after beat has read an empty table go unnoticed for five minutes.)"""

    def setup_schedule(self) -> None:
        sync_schedule()
        super().setup_schedule()


def sync_schedule(timetable: Sequence[ScheduledJob] = TIMETABLE) -> list[str]:
    """Bring beat's rows up to date; return the names of the jobs that were added or changed. A row is only changed if
    it still is as an earlier schedule wrote it: the seal in its description shows that."""
    with transaction.atomic():
        return [job.name for job in timetable if _sync_row(job)]


def _sync_row(job: ScheduledJob) -> bool:
    row = PeriodicTask.objects.filter(name=job.name).select_for_update(of=("self",)).first()
    wanted = _compute_seal(job.runs, _describe_schedule(job.every), find_expiry_seconds(job.every), enabled=True)
    if row is None:
        row = PeriodicTask(name=job.name)
    elif not is_as_written(row) or _read_seal(row) == wanted:
        return False
    row.task, row.enabled, row.expire_seconds = job.runs, True, find_expiry_seconds(job.every)
    row.interval, row.crontab = _ensure_schedule_rows(job.every)
    row.description = f"{job.why} ({job.owner}) [timetable {wanted}]"
    row.save()
    return True


def is_as_written(row: PeriodicTask) -> bool:
    return _read_seal(row) == _compute_seal(row.task, _describe_row(row), row.expire_seconds, enabled=row.enabled)


def _ensure_schedule_rows(every: Default) -> tuple[IntervalSchedule | None, CrontabSchedule | None]:
    if isinstance(every, timedelta):
        seconds = int(every.total_seconds())
        return IntervalSchedule.objects.get_or_create(every=seconds, period=IntervalSchedule.SECONDS)[0], None
    times = {"minute": str(every.minute), "hour": str(every.hour), "timezone": "UTC"}
    days = {"day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}
    found = CrontabSchedule.objects.filter(**times, **days).first()  # by hand: nothing keeps two of them apart
    return None, found or CrontabSchedule.objects.create(**times, **days)


def _describe_schedule(every: Default) -> str:
    return f"{every.minute} {every.hour} * * * UTC" if isinstance(every, Daily) else f"{every.total_seconds():.0f}"


def _describe_row(row: PeriodicTask) -> str:
    if row.interval is not None:
        is_ours = row.interval.period == IntervalSchedule.SECONDS and row.crontab is None
        return str(row.interval.every) if is_ours else "None"
    times = row.crontab
    if times is None:
        return "None"
    return (
        f"{times.minute} {times.hour} {times.day_of_month} {times.month_of_year} {times.day_of_week} {times.timezone}"
    )


def _read_seal(row: PeriodicTask) -> str | None:
    found = _SEAL.search(row.description)
    return found.group(1) if found else None


def _compute_seal(runs: str, when: str, expires: int | None, *, enabled: bool) -> str:
    return hashlib.sha256(f"{runs}|{when}|{expires}|{enabled}".encode()).hexdigest()[:12]
