"""Deleting whole threads, and the checkpoints of runs."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from django.db.models import F, TextField, Value
from django.db.models.functions import Cast, Concat

from memory_platform.kernel.clock import utc_now
from snapshots.models import AgentThread, Checkpoint
from snapshots.threads.config import THREADS
from snapshots.threads.pruning import lock_threads
from snapshots.threads.tombstones import record_closed_threads
from snapshots.threads.unused_values import delete_unused_values
from tenants.services.audit import Actor, record_audit

OBJECT_KIND = "thread"


def delete_threads(thread_ids: Sequence[str], *, by: Actor, closed_at: datetime | None = None) -> int:
    """Delete threads with all they hold, in the open scope, and refuse late saves of their runs; return how many were
    there. ``closed_at`` is the moment by the clock of the agent."""
    rows = AgentThread.objects.filter(external_id__in=thread_ids)
    found = dict(rows.order_by("external_id").select_for_update().values_list("id", "subject_id"))
    now = utc_now()
    record_closed_threads(thread_ids, min(closed_at or now, now + THREADS.clock_ahead))
    AgentThread.objects.filter(id__in=found).delete()
    for row_id, subject_id in found.items():
        record_audit(by, "thread.deleted", object_kind=OBJECT_KIND, object_id=str(row_id), subject_ref=subject_id)
    return len(found)


def delete_runs(run_ids: Sequence[str]) -> int:
    """Delete the checkpoints that runs made, with their writes, in the open scope; return how many."""
    named = Checkpoint.objects.filter(run_id__in=[one for one in run_ids if one]).order_by()
    threads = list(named.values_list("thread_id", flat=True).distinct())
    lock_threads(threads)
    gone = list(named.values_list("checkpoint_id", flat=True))
    named.delete()
    if gone:
        delete_unused_values(threads, gone)
    return len(gone)


def close_threads_of_subject(subject_id: UUID) -> None:
    """Let nobody read a subject's threads any more, in the open scope, and refuse late saves of their runs; the rows
    are deleted with the subject's others."""
    rows = AgentThread.objects.filter(subject_id=subject_id)
    names = list(rows.order_by("external_id").select_for_update().values_list("external_id", flat=True))
    if names:
        record_closed_threads(names, utc_now())
        own_id = Cast(F("id"), TextField())
        rows.update(external_id=Concat(Value(f"erasing-{uuid4()}-"), own_id))
