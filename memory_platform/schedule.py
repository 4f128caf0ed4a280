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
from django.utils.translation import gettext_noop
from django_celery_beat.models import CrontabSchedule, IntervalSchedule, PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from snapshots.consolidation.policy import CONSOLIDATION
from snapshots.feedback.policy import LOOP
from snapshots.forgetting.policy import FORGETTING
from snapshots.lifecycle.policy import (
    ARCHIVE,
    BACKFILL_RUN_POLICY,
    CALIBRATION,
    COUNT_RUN_POLICY,
    EVICTION,
    IDLE_POLICY,
    PURGE_POLICY,
    REVIEW,
)
from snapshots.policy import JOB_POLICY
from snapshots.queue.policy import QUEUE_POLICY
from snapshots.recall.policy import SEALING
from snapshots.receipts.policy import RECEIPTS
from tenants.policy import LEDGER_POLICY, RUN_POLICY
from tenants.services.due_times import Daily, Default

_SEAL = re.compile(r"\[timetable ([0-9a-f]{12})\]$")


@dataclass(frozen=True, slots=True)
class Job:
    """One entry: ``runs`` is the job's dotted path. A run that has not begun when the next one comes is dropped: they
    do the same."""

    name: str
    every: Default
    runs: str
    why: str
    owner: str


TIMETABLE = (
    Job(
        "sweep-queue",
        every=QUEUE_POLICY.sweep_every,
        runs="snapshots.jobs.sweep_job",
        why=gettext_noop(
            "A lost wake-up costs two seconds, not a memory. Runs are not recorded: they would outnumber the work."
        ),
        owner="queue",
    ),
    Job(
        "sweep-asked-jobs",
        every=JOB_POLICY.sweep_every,
        runs="snapshots.jobs.sweep_asked_jobs_job",
        why=gettext_noop("Imports and erasures whose worker died go on with another. Runs are not recorded."),
        owner="queue",
    ),
    Job(
        "continue-jobs",
        every=RUN_POLICY.continue_every,
        runs="snapshots.jobs.continue_jobs_job",
        why=gettext_noop("A job that was cut short goes on, and one that was missed is made up for. Not recorded."),
        owner="lifecycle",
    ),
    Job(
        "end-idle-conversations",
        every=IDLE_POLICY.every,
        runs="snapshots.jobs.end_idle_conversations_job",
        why=gettext_noop("A conversation ends 30 minutes after its last message."),
        owner="lifecycle",
    ),
    Job(
        "backfill-vectors",
        every=BACKFILL_RUN_POLICY.every,
        runs="snapshots.jobs.backfill_vectors_job",
        why=gettext_noop("Memories stored while the embedding service was away are found by meaning, too."),
        owner="lifecycle",
    ),
    Job(
        "seal-memories",
        every=SEALING.every,
        runs="snapshots.jobs.seal_memories_job",
        why=gettext_noop("The first question about a large memory is answered as fast as the second."),
        owner="recall",
    ),
    Job(
        "count-embedding-spaces",
        every=COUNT_RUN_POLICY.every,
        runs="snapshots.jobs.count_embedding_spaces_job",
        why=gettext_noop("The console shows how far a change of the embedding model is without counting itself."),
        owner="lifecycle",
    ),
    Job(
        "spread-receipts",
        every=RECEIPTS.spread_every,
        runs="snapshots.jobs.spread_receipts_job",
        why=gettext_noop("Each memory that a context used gets its row, so that its receipts are found at once."),
        owner="receipts",
    ),
    Job(
        "roll-up-tallies",
        every=LOOP.tally_every,
        runs="snapshots.jobs.roll_up_tallies_job",
        why=gettext_noop("What users made of a memory is heard by the ranking within minutes."),
        owner="feedback",
    ),
    Job(
        "roll-up-indicators",
        every=LOOP.indicators_every,
        runs="snapshots.jobs.roll_up_indicators_job",
        why=gettext_noop("The indicators of today are at most an hour old."),
        owner="feedback",
    ),
    Job(
        "roll-up-usage",
        every=LEDGER_POLICY.every,
        runs="snapshots.jobs.roll_up_usage_job",
        why=gettext_noop("What tenants used stands in their days within a minute, and looks at limits stay quick."),
        owner="tenants",
    ),
    Job(
        "erase-withheld",
        every=FORGETTING.erase_every,
        runs="snapshots.jobs.erase_withheld_job",
        why=gettext_noop("What users told us to forget can be brought back for a day, then it is erased."),
        owner="forgetting",
    ),
    Job(
        "consolidate-memories",
        every=CONSOLIDATION.daily,
        runs="snapshots.jobs.consolidate_memories_job",
        why=gettext_noop("Memories that say nearly the same become one; it can be taken apart again."),
        owner="consolidation",
    ),
    Job(
        "calibrate-confidence",
        every=CALIBRATION.daily,
        runs="snapshots.jobs.calibrate_confidence_job",
        why=gettext_noop("Memories that serve well are trusted more, those that are corrected less."),
        owner="lifecycle",
    ),
    Job(
        "review-memories",
        every=REVIEW.daily,
        runs="snapshots.jobs.review_memories_job",
        why=gettext_noop("Somebody is asked about memories that have become unsure or were not validated for long."),
        owner="lifecycle",
    ),
    Job(
        "archive-messages",
        every=ARCHIVE.daily,
        runs="snapshots.jobs.archive_messages_job",
        why=gettext_noop("The words of aged messages stand compressed in an archive; whoever asks still reads them."),
        owner="lifecycle",
    ),
    Job(
        "evict-memories",
        every=EVICTION.daily,
        runs="snapshots.jobs.evict_memories_job",
        why=gettext_noop("Memories above a subject's or a tenant's limit leave, the least important and oldest first."),
        owner="lifecycle",
    ),
    Job(
        "purge-expired",
        every=PURGE_POLICY.every,
        runs="snapshots.jobs.purge_expired_job",
        why=gettext_noop("What has outlived its retention is gone within two hours."),
        owner="lifecycle",
    ),
)


class TimetableScheduler(DatabaseScheduler):  # type: ignore[misc]  # django-celery-beat has no types
    """Beat's own scheduler; its rows are synchronised before it reads them, wherever it is started.

    (Rows that first appear after beat has read an empty table go unnoticed for five minutes.)
    """

    def setup_schedule(self) -> None:
        sync_schedule()
        super().setup_schedule()


def sync_schedule(timetable: Sequence[Job] = TIMETABLE) -> list[str]:
    """Bring beat's rows up to date; return the names of the jobs that were added or changed.

    A row is only changed if it still is as an earlier schedule wrote it: the seal in its description shows that.
    """
    with transaction.atomic():
        return [job.name for job in timetable if _sync(job)]


def _sync(job: Job) -> bool:
    row = PeriodicTask.objects.filter(name=job.name).select_for_update(of=("self",)).first()
    wanted = _seal(job.runs, _describe_schedule(job.every), _expires(job.every), enabled=True)
    if row is None:
        row = PeriodicTask(name=job.name)
    elif not is_as_written(row) or _seal_of(row) == wanted:
        return False
    row.task, row.enabled, row.expire_seconds = job.runs, True, _expires(job.every)
    row.interval, row.crontab = _rows_of(job.every)
    row.description = f"{job.why} ({job.owner}) [timetable {wanted}]"
    row.save()
    return True


def is_as_written(row: PeriodicTask) -> bool:
    """Return whether this row still has the time, task and state that the schedule wrote."""
    return _seal_of(row) == _seal(row.task, _when_of(row), row.expire_seconds, enabled=row.enabled)


def _rows_of(every: Default) -> tuple[IntervalSchedule | None, CrontabSchedule | None]:
    if isinstance(every, timedelta):
        seconds = int(every.total_seconds())
        return IntervalSchedule.objects.get_or_create(every=seconds, period=IntervalSchedule.SECONDS)[0], None
    times = {"minute": str(every.minute), "hour": str(every.hour), "timezone": "UTC"}
    days = {"day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}
    found = CrontabSchedule.objects.filter(**times, **days).first()  # by hand: nothing keeps two of them apart
    return None, found or CrontabSchedule.objects.create(**times, **days)


def _describe_schedule(every: Default) -> str:
    return f"{every.minute} {every.hour} * * * UTC" if isinstance(every, Daily) else f"{every.total_seconds():.0f}"


def _when_of(row: PeriodicTask) -> str:
    if row.interval is not None:
        is_ours = row.interval.period == IntervalSchedule.SECONDS and row.crontab is None
        return str(row.interval.every) if is_ours else "None"
    times = row.crontab
    if times is None:
        return "None"
    return (
        f"{times.minute} {times.hour} {times.day_of_month} {times.month_of_year} {times.day_of_week} {times.timezone}"
    )


def _expires(every: Default) -> int:
    return int((RUN_POLICY.late if isinstance(every, Daily) else every).total_seconds())


def _seal_of(row: PeriodicTask) -> str | None:
    found = _SEAL.search(row.description)
    return found.group(1) if found else None


def _seal(runs: str, when: str, expires: int | None, *, enabled: bool) -> str:
    return hashlib.sha256(f"{runs}|{when}|{expires}|{enabled}".encode()).hexdigest()[:12]
