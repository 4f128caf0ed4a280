"""The timetable of all jobs: defaults, in UTC. A project's own beat takes it by ``make_beat_schedule``."""

from dataclasses import dataclass
from typing import Any

from celery.schedules import crontab
from django.utils.translation import gettext_noop as _

from snapshots.scheduled_job_registry import CARE, WHOLE
from tenants.config import RUN_CONFIG
from tenants.services.job_due_times import Daily, Default


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


def make_beat_schedule() -> dict[str, dict[str, Any]]:
    """Return the timetable as Celery's ``beat_schedule``: task, schedule and the seconds after which a run is late."""
    return {
        job.name: {
            "task": job.runs,
            "schedule": crontab(minute=job.every.minute, hour=job.every.hour)
            if isinstance(job.every, Daily)
            else job.every,
            "options": {"expires": find_expiry_seconds(job.every)},
        }
        for job in TIMETABLE
    }


def find_expiry_seconds(every: Default) -> int:
    return int((RUN_CONFIG.late if isinstance(every, Daily) else every).total_seconds())
