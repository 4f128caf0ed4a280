"""The one schedule of all jobs.

The table holds defaults. Beat adds missing jobs to its own rows when it starts; people may change the rows, and a
changed row is never overwritten. The table's times are UTC; a changed row uses the zone that it names.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext_noop as _
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from snapshots.maintenance import CARE, WHOLE
from tenants.config import RUN_CONFIG
from tenants.services.due_times import Daily, Default

_SEAL = re.compile(r"\[timetable ([0-9a-f]{12})\]$")


@dataclass(frozen=True, slots=True)
class ScheduledJob:
    """One entry; ``runs`` is the task's dotted path."""

    name: str
    every: Default
    runs: str
    why: str
    owner: str


def _build_job(name: str, owner: str, why: str) -> ScheduledJob:
    task = "sweep" if name == "sweep-queue" else name.replace("-", "_")
    every = CARE[name].every if name in CARE else WHOLE[name].every
    return ScheduledJob(name, every=every, runs=f"snapshots.jobs.{task}_job", why=why, owner=owner)


TIMETABLE = (
    _build_job(
        "sweep-queue",
        "queue",
        _("Wakes workers every two seconds, in case a wake-up was lost. Runs are not recorded: they are too many."),
    ),
    _build_job(
        "sweep-asked-jobs",
        "queue",
        _("Gives imports and erasures whose worker died to another worker. Runs are not recorded."),
    ),
    _build_job(
        "sweep-webhooks",
        "queue",
        _("Wakes workers for webhooks that have something to be told. Runs are not recorded."),
    ),
    _build_job(
        "continue-jobs",
        "lifecycle",
        _("Resumes interrupted jobs and runs missed ones. Leaves no record of its own."),
    ),
    _build_job("end-idle-conversations", "lifecycle", _("Ends conversations 30 minutes after their last message.")),
    _build_job(
        "backfill-vectors",
        "lifecycle",
        _("Adds the vectors of memories that were stored while the embedding service was unavailable."),
    ),
    _build_job(
        "seal-memories",
        "recall",
        _("Packs large memories, so that the first question about one is answered as fast as the second."),
    ),
    _build_job(
        "count-embedding-spaces",
        "lifecycle",
        _("Counts how far a change of the embedding model has got. The console shows the result."),
    ),
    _build_job(
        "spread-receipts",
        "receipts",
        _("Writes a row for each memory of a context, so that the receipts of a memory are found quickly."),
    ),
    _build_job(
        "roll-up-tallies",
        "feedback",
        _("Adds up users' feedback on each memory, so that it changes the ranking within minutes."),
    ),
    _build_job("roll-up-indicators", "feedback", _("Updates the daily indicators every hour.")),
    _build_job(
        "roll-up-usage",
        "tenants",
        _("Adds up the usage of each tenant per day every minute, so that limits are checked quickly."),
    ),
    _build_job(
        "seal-audit-trail",
        "tenants",
        _("A change of the audit trail in the database is noticed, from an hour after the record was made."),
    ),
    _build_job(
        "erase-withheld",
        "forgetting",
        _("Erases what users asked to forget. It can be brought back for a day."),
    ),
    _build_job(
        "consolidate-memories",
        "consolidation",
        _("Merges memories that say nearly the same. A merged memory can be taken apart again."),
    ),
    _build_job(
        "calibrate-confidence",
        "lifecycle",
        _("Raises the confidence of memories that proved right and lowers it for those that users corrected."),
    ),
    _build_job(
        "review-memories",
        "lifecycle",
        _("Asks people about memories that became unsure or were not confirmed for long."),
    ),
    _build_job(
        "archive-messages",
        "lifecycle",
        _("Compresses the text of old messages into an archive. The text can still be read."),
    ),
    _build_job(
        "evict-memories",
        "lifecycle",
        _("Deletes memories above a subject's or a tenant's limit, the least important and oldest first."),
    ),
    _build_job(
        "prune-threads",
        "threads",
        _("Deletes old checkpoints of agents' threads: each keeps as many as the policy says."),
    ),
    _build_job("purge-expired", "lifecycle", _("Deletes data within two hours after its retention period ends.")),
)


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
    wanted = _compute_seal(job.runs, _describe_schedule(job.every), _expiry_seconds(job.every), enabled=True)
    if row is None:
        row = PeriodicTask(name=job.name)
    elif not is_as_written(row) or _read_seal(row) == wanted:
        return False
    row.task, row.enabled, row.expire_seconds = job.runs, True, _expiry_seconds(job.every)
    row.interval, row.crontab = _find_schedule_rows(job.every)
    row.description = f"{job.why} ({job.owner}) [timetable {wanted}]"
    row.save()
    return True


def is_as_written(row: PeriodicTask) -> bool:
    return _read_seal(row) == _compute_seal(row.task, _describe_row(row), row.expire_seconds, enabled=row.enabled)


def _find_schedule_rows(every: Default) -> tuple[IntervalSchedule | None, CrontabSchedule | None]:
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


def _expiry_seconds(every: Default) -> int:
    return int((RUN_CONFIG.late if isinstance(every, Daily) else every).total_seconds())


def _read_seal(row: PeriodicTask) -> str | None:
    found = _SEAL.search(row.description)
    return found.group(1) if found else None


def _compute_seal(runs: str, when: str, expires: int | None, *, enabled: bool) -> str:
    return hashlib.sha256(f"{runs}|{when}|{expires}|{enabled}".encode()).hexdigest()[:12]
