"""Scheduled jobs on record: one run per job and slot of its interval, whoever sends it how often.

Not for the queue's sweep: every two seconds would write more rows than work, and sweeping twice does no harm.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.utils import timezone

from memory_platform.observability.logs import Event, log
from tenants.models import JobRun, Tenant


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run did: rows touched, tenants skipped for lack of time, tenants that failed."""

    rows: int = 0
    skipped: int = 0
    errors: int = 0


def run_once(job: str, every: timedelta, work: Callable[[], Tally]) -> bool:
    """Do ``work`` unless a run of ``job`` is on record for the present slot; return whether it was done.

    Slots come from the database's clock, in UTC. A run that dies stays on record without an end, and the next slot
    does its work: a missed slot is not made up for.
    """
    run, is_ours = JobRun.objects.get_or_create(
        job=job, scheduled_for=_slot(every), defaults={"started_at": timezone.now()}
    )
    if not is_ours:
        return False
    tally = work()
    run.rows, run.skipped, run.errors = tally.rows, tally.skipped, tally.errors
    run.ended_at = timezone.now()
    run.save(update_fields=["rows", "skipped", "errors", "ended_at"])
    log(Event.JOB_RUN, job=job, rows=tally.rows, skipped=tally.skipped, errors=tally.errors)
    return True


def for_each_tenant(work: Callable[[UUID], int], *, may_go_on: Callable[[], bool] = lambda: True) -> Tally:
    """Run ``work`` for each tenant in turn and add up its rows; one tenant's failure does not stop the others."""
    rows = skipped = errors = 0
    for tenant_id in Tenant.objects.order_by("id").values_list("id", flat=True):
        if not may_go_on():
            skipped += 1
            continue
        try:
            rows += work(tenant_id)
        except Exception as fault:  # noqa: BLE001 - reported, and the other tenants have their turn
            errors += 1
            log(Event.JOB_FAILED, tenant=tenant_id, error=type(fault).__name__)
    return Tally(rows, skipped, errors)


def forget_old_runs(older_than: timedelta) -> int:
    """Delete records of runs that are older."""
    return JobRun.objects.filter(scheduled_for__lt=timezone.now() - older_than).delete()[0]


def _slot(every: timedelta) -> datetime:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT date_bin(make_interval(secs => %s), statement_timestamp(), timestamptz '2020-01-01 00:00Z')",
            [every.total_seconds()],
        )
        slot: datetime = cursor.fetchone()[0]
    return slot
