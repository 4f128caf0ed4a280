"""Storing a checkpoint and pending writes, each in one round trip to the database.

The thread's row is locked first; later statements see a deletion that the lock waited for.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import orjson

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.postgres.prepared_statements import Statement, fetch_together
from profiles.services.subjects import ensure_subject
from snapshots.threads.tombstones import make_thread_mark, was_made_before
from snapshots.threads.values import (
    EMPTY,
    CheckpointToStore,
    PackedValue,
    Place,
    ThreadDeleted,
    ThreadOfAnother,
    WriteToStore,
)
from tenants.isolation import current_tenant_id

LOCK_THREAD = """
INSERT INTO agent_thread (tenant_id, id, external_id, subject_id, created_at, updated_at)
VALUES ($1::uuid, $2::uuid, $3::text, $4::uuid, $5::timestamptz, $5::timestamptz)
ON CONFLICT (tenant_id, external_id) DO UPDATE
SET updated_at = EXCLUDED.updated_at, subject_id = coalesce(agent_thread.subject_id, EXCLUDED.subject_id)
RETURNING id, subject_id
"""
THREAD = "(SELECT id FROM agent_thread WHERE tenant_id = $1::uuid AND external_id = $2::text)"
# Asked after the lock. Whether a tombstone stands there, and what is left of what a late write would continue.
FIND_TOMBSTONE = f"""
SELECT closed_at,
  EXISTS (SELECT 1 FROM checkpoint WHERE tenant_id = $1::uuid AND thread_id = {THREAD}
    AND namespace = $4::text AND checkpoint_id = $5::text),
  EXISTS (SELECT 1 FROM checkpoint WHERE tenant_id = $1::uuid AND thread_id = {THREAD} AND namespace = '')
FROM thread_tombstone WHERE tenant_id = $1::uuid AND mark = $3::bytea
"""  # noqa: S608  # constants
STORE_VALUES = f"""
INSERT INTO channel_value (tenant_id, id, thread_id, namespace, channel, version, format, value)
SELECT $1::uuid, one.id, {THREAD}, $3::text, one.channel, $4::jsonb ->> one.channel, one.format, one.value
FROM unnest($5::uuid[], $6::text[], $7::text[], $8::bytea[]) AS one (id, channel, format, value)
ON CONFLICT (tenant_id, thread_id, namespace, channel, version) DO NOTHING
"""  # noqa: S608  # constants
STORE_CHECKPOINT = f"""
INSERT INTO checkpoint (tenant_id, id, thread_id, namespace, checkpoint_id, parent_id, run_id, format, body, versions,
  metadata, created_at)
VALUES ($1::uuid, $3::uuid, {THREAD}, $4::text, $5::text, $6::text, $7::text, $8::text, $9::bytea, $10::jsonb,
  $11::jsonb, $12::timestamptz)
ON CONFLICT (tenant_id, thread_id, namespace, checkpoint_id) DO UPDATE
SET parent_id = EXCLUDED.parent_id, run_id = EXCLUDED.run_id, format = EXCLUDED.format, body = EXCLUDED.body,
  versions = EXCLUDED.versions, metadata = EXCLUDED.metadata
"""  # noqa: S608  # constants
# The first write at a place stays, so that a repeated task changes nothing; a special channel has its newest.
STORE_WRITES = f"""
INSERT INTO pending_write (tenant_id, id, thread_id, namespace, checkpoint_id, task_id, task_path, place, channel,
  format, value)
SELECT $1::uuid, one.id, {THREAD}, $3::text, $4::text, $5::text, $6::text, one.place, one.channel, one.format, one.value
FROM unnest($7::uuid[], $8::int[], $9::text[], $10::text[], $11::bytea[]) AS one (id, place, channel, format, value)
ON CONFLICT (tenant_id, thread_id, namespace, checkpoint_id, task_id, place) DO UPDATE
SET channel = EXCLUDED.channel, format = EXCLUDED.format, value = EXCLUDED.value, task_path = EXCLUDED.task_path
WHERE pending_write.place < 0
"""  # noqa: S608  # constants


def store_checkpoint(one: CheckpointToStore, *, subject_external_id: str | None = None) -> UUID:
    """Store a checkpoint in the open scope, again if it is there; return the thread's row.

    Raises ThreadDeleted, ThreadOfAnother.
    """
    tenant, place = str(current_tenant_id()), one.place
    changed = list(one.new_versions)
    packed = [one.values.get(channel, PackedValue(EMPTY, b"")) for channel in changed]
    values = [
        Statement(
            STORE_VALUES,
            [
                tenant,
                place.thread_id,
                place.namespace,
                _render_json(one.new_versions),
                [new_id() for _ in changed],
                changed,
                [value.format for value in packed],
                [value.value for value in packed],
            ],
        )
    ]
    checkpoint = Statement(
        STORE_CHECKPOINT,
        [
            tenant,
            place.thread_id,
            str(new_id()),
            place.namespace,
            place.checkpoint_id,
            one.parent_id,
            _read_run_id(one.metadata),
            one.body.format,
            one.body.value,
            _render_json(one.versions),
            _render_json(one.metadata),
            utc_now(),
        ],
    )
    thread, tombstone = _write(place, one.parent_id, subject_external_id, [*values[: len(changed)], checkpoint])
    if tombstone is not None and is_late_checkpoint(one, *tombstone):
        raise ThreadDeleted
    return thread


def store_writes(
    place: Place, task: tuple[str, str], writes: Sequence[WriteToStore], *, subject_external_id: str | None = None
) -> UUID:
    """Store the writes of a task (its id and path), in the open scope. Raises ThreadDeleted, ThreadOfAnother."""
    by_place = {one.place: one for one in writes}  # of a special channel that is written twice the last counts
    kept = list(by_place.values())
    statement = Statement(
        STORE_WRITES,
        [
            str(current_tenant_id()),
            place.thread_id,
            place.namespace,
            place.checkpoint_id,
            *task,
            [new_id() for _ in kept],
            [one.place for one in kept],
            [one.channel for one in kept],
            [one.packed.format for one in kept],
            [one.packed.value for one in kept],
        ],
    )
    thread, tombstone = _write(place, place.checkpoint_id, subject_external_id, [statement] if kept else [])
    if tombstone is not None:
        closed_at, is_there, _ = tombstone
        if not is_there and was_made_before(place.checkpoint_id, closed_at):
            raise ThreadDeleted
    return thread


def is_late_checkpoint(one: CheckpointToStore, closed_at: Any, parent_is_there: bool, has_root: bool) -> bool:
    """Return whether a checkpoint of a thread with a tombstone belongs to the deleted thread."""
    if was_made_before(one.place.checkpoint_id, closed_at):
        return True
    if one.parent_id:
        return not parent_is_there
    return bool(one.place.namespace) and not has_root


def _write(
    place: Place, continued: str, subject_external_id: str | None, writes: Sequence[Statement]
) -> tuple[UUID, tuple[Any, ...] | None]:
    """Lock the thread and run ``writes``; return its row and its tombstone, if there is one. An error rolls it back."""
    tenant = str(current_tenant_id())
    subject = ensure_subject(subject_external_id).id if subject_external_id else None
    lock = [tenant, str(new_id()), place.thread_id, subject and str(subject), utc_now()]
    look = [tenant, place.thread_id, make_thread_mark(place.thread_id), place.namespace, continued]
    rows = fetch_together([Statement(LOCK_THREAD, lock), Statement(FIND_TOMBSTONE, look), *writes])
    thread, owner = rows[0][0]
    if subject is not None and owner != subject:
        raise ThreadOfAnother
    return thread, rows[1][0] if rows[1] else None


def _read_run_id(metadata: Any) -> str:
    run_id = metadata.get("run_id")
    return run_id if isinstance(run_id, str) else ""


def _render_json(value: Any) -> str:
    return orjson.dumps(value).decode()
