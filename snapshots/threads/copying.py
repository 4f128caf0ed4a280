"""Copying a thread with its whole history: the copy is about the same subject."""

from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from snapshots.models import AgentThread
from snapshots.threads.values import ThreadOfAnother
from tenants.isolation import current_tenant_id

# Django's ids are made by us; a row that is copied needs no order by its id.
_HEAD = "INSERT INTO {table} (tenant_id, id, thread_id, {columns}) SELECT tenant_id, gen_random_uuid(), %s, {columns}"
_TAIL = "FROM {table} WHERE tenant_id = %s AND thread_id = %s ON CONFLICT DO NOTHING"
TABLES = {
    "channel_value": "namespace, channel, version, format, value",
    "checkpoint": "namespace, checkpoint_id, parent_id, run_id, format, body, versions, metadata, created_at",
    "pending_write": "namespace, checkpoint_id, task_id, task_path, place, channel, format, value",
}


def copy_thread(source_id: str, target_id: str) -> bool:
    """Copy a thread's checkpoints, values and writes in the open scope; return whether the source is there.

    Rows that the target has already stay. Raises ThreadOfAnother.
    """
    found = AgentThread.objects.filter(external_id__in={source_id, target_id}).order_by("external_id")
    threads = {one.external_id: one for one in found.select_for_update()}
    source = threads.get(source_id)
    if source is None or source_id == target_id:
        return source is not None
    target = threads.get(target_id) or _make_thread(target_id, source)
    if target.subject_id != source.subject_id:
        raise ThreadOfAnother
    _copy_rows(source.id, target.id)
    return True


def _make_thread(external_id: str, source: AgentThread) -> AgentThread:
    row = AgentThread(id=new_id(), external_id=external_id, subject_id=source.subject_id, updated_at=utc_now())
    row.save(force_insert=True)
    return row


def _copy_rows(source: UUID, target: UUID) -> None:
    with connection.cursor() as cursor:
        for table, columns in TABLES.items():
            statement = f"{_HEAD} {_TAIL}".format(table=table, columns=columns)
            cursor.execute(statement, [target, current_tenant_id(), source])
