"""When a job of the timetable runs next."""

from collections.abc import Iterator
from datetime import UTC, datetime

from django_celery_beat.models import PeriodicTask

from memory_platform.console.shared.config import OPERATION_PAGE
from memory_platform.kernel.clock import utc_now


def find_next_runs(job: PeriodicTask, count: int = OPERATION_PAGE.max_next_runs) -> Iterator[datetime]:
    """Yield the next times (UTC) at which beat sends the job; none if it is stopped or has no schedule."""
    if not job.enabled or (job.interval is None and job.crontab is None):
        return
    now, times = utc_now(), job.schedule
    at = (job.last_run_at or now) if job.interval else now
    for number in range(count):
        if job.interval:
            due = at + times.run_every
        else:
            last, delta, _now = times.remaining_delta(at)
            due = last + delta
        # Beat sends an overdue job at once.
        at = max(due, now) if number == 0 else due
        yield at.astimezone(UTC)
