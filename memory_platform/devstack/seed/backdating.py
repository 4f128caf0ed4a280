"""Move rows that were written just now into the past: no verb of the product writes with another time than the
clock's."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, models

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from profiles.models.subject import SubjectOwned
from snapshots.jobs import drain_work_job
from snapshots.queue.metrics import count_due_work
from tenants.isolation import tenant_tx
from tenants.models import UsageEvent


@contextmanager
def write_at_past_moment(tenant_id: UUID, subject_id: str, moment: datetime) -> Iterator[None]:
    """Let the block's writes for a subject, and the work that they cause, happen at ``moment``. Nobody else may write
    for this subject meanwhile."""
    began = utc_now()
    yield
    do_due_work(tenant_id)
    with tenant_tx(tenant_id):
        move_times(Subject.objects.get(external_id=subject_id), began, moment)


def do_due_work(tenant_id: UUID) -> None:
    """Do all due work here. One run of the job ends when its time is up: the work left over would be done days late."""
    is_due = True
    while is_due:
        drain_work_job(tenant_id=str(tenant_id))
        with tenant_tx(tenant_id):
            is_due = any(count_due_work().values())


def move_times(subject: Subject, since: datetime, moment: datetime) -> None:
    """Move the times from ``since`` until now in the subject's rows, and in usage not yet added to a day, so that
    ``since`` becomes ``moment``; in the open scope.

    Earlier times and those in the future stay. Tables that only grow, the audit trail and policy versions, keep their
    times.
    """
    values: Any = {"tenant": subject.tenant_id, "subject": subject.id, "since": since, "by": since - moment}
    with connection.cursor() as cursor:
        cursor.execute(_build_statement(), values)


@cache
def _build_statement() -> str:
    """Return one statement that updates all tables with times, so that an answer costs one round trip."""
    tables: list[tuple[type[models.Model], str]] = [
        (model, "subject_id = %(subject)s") for model in apps.get_models() if issubclass(model, SubjectOwned)
    ]
    tables += [(Subject, "id = %(subject)s"), (UsageEvent, "TRUE")]
    updates = [_build_update(model, owner) for model, owner in tables]
    parts = [f"part_{number} AS ({update})" for number, update in enumerate(filter(None, updates))]
    return f"WITH {', '.join(parts)} SELECT 1"


def _build_update(model: type[models.Model], owner: str) -> str:
    times = [field.column for field in model._meta.local_concrete_fields if isinstance(field, models.DateTimeField)]
    if not times:
        return ""
    written = {column: f"{column} BETWEEN %(since)s AND clock_timestamp()" for column in times}
    changes = [
        f"{column} = CASE WHEN {is_new} THEN {column} - %(by)s ELSE {column} END" for column, is_new in written.items()
    ]
    return (
        f"UPDATE {model._meta.db_table} SET {', '.join(changes)} "  # noqa: S608 - names of our own columns
        f"WHERE tenant_id = %(tenant)s AND {owner} AND ({' OR '.join(written.values())})"
    )
