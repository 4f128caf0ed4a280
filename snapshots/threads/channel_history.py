"""How a channel that is stored as differences came to be: its writes along the ancestors of a checkpoint, back to the
last stored value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory_platform.postgres.prepared_statements import Statement
from snapshots.threads.config import THREADS
from snapshots.threads.read_checkpoints import read_writes
from snapshots.threads.values import EMPTY, PackedValue, Place, StoredWrite
from tenants.isolation import tenant_reads

THREAD = "(SELECT id FROM agent_thread WHERE tenant_id = $1::uuid AND external_id = $2::text)"
# Depth 0 is the checkpoint itself, whose own writes are still to be applied: they are not part of its history.
# A walk ends where every channel has a stored value.
WALK = f"""
WITH RECURSIVE target AS (
  SELECT * FROM checkpoint WHERE tenant_id = $1::uuid AND thread_id = {THREAD} AND namespace = $3::text
    AND ($4::text = '' OR checkpoint_id = $4::text) ORDER BY checkpoint_id DESC LIMIT 1
), walk AS (
  SELECT t.thread_id, t.namespace, t.checkpoint_id, t.parent_id, t.versions, 0 AS depth, $5::text[] AS missing
  FROM target t
  UNION ALL
  SELECT c.thread_id, c.namespace, c.checkpoint_id, c.parent_id, c.versions, w.depth + 1, ARRAY(
    SELECT m FROM unnest(w.missing) AS m WHERE w.depth = 0 OR NOT EXISTS (
      SELECT 1 FROM channel_value b WHERE b.tenant_id = $1::uuid AND b.thread_id = w.thread_id
        AND b.namespace = w.namespace AND b.channel = m AND b.version = w.versions ->> m AND b.format <> '{EMPTY}'))
  FROM walk w JOIN checkpoint c ON c.tenant_id = $1::uuid AND c.thread_id = w.thread_id
    AND c.namespace = w.namespace AND c.checkpoint_id = w.parent_id
  WHERE w.parent_id <> '' AND w.depth < $6::int AND cardinality(w.missing) > 0
)
SELECT m.channel,
  (SELECT array_agg(ARRAY[convert_to(w.task_id, 'UTF8'), convert_to(w.channel, 'UTF8'), convert_to(w.format, 'UTF8'),
    w.value] ORDER BY k.depth DESC, w.task_path, w.task_id, w.place)
   FROM walk k JOIN pending_write w ON w.tenant_id = $1::uuid AND w.thread_id = k.thread_id
     AND w.namespace = k.namespace AND w.checkpoint_id = k.checkpoint_id AND w.channel = m.channel
   WHERE k.depth > 0 AND m.channel = ANY(k.missing)),
  seed.format, seed.value
FROM unnest($5::text[]) AS m (channel)
LEFT JOIN LATERAL (
  SELECT b.format, b.value FROM walk k JOIN channel_value b ON b.tenant_id = $1::uuid AND b.thread_id = k.thread_id
    AND b.namespace = k.namespace AND b.channel = m.channel AND b.version = k.versions ->> m.channel
    AND b.format <> '{EMPTY}'
  WHERE k.depth > 0 ORDER BY k.depth LIMIT 1) AS seed ON true
"""  # noqa: S608  # constants


@dataclass(frozen=True, slots=True)
class ChannelHistory:
    """A channel's writes, oldest first, since ``seed``; None begins with nothing."""

    channel: str
    writes: Sequence[StoredWrite]
    seed: PackedValue | None


def load_channel_history(tenant_id: UUID, place: Place, channels: Sequence[str]) -> list[ChannelHistory]:
    """Return the history of each channel before a checkpoint. Opens a scope of its own."""
    values: list[Any] = [str(tenant_id), place.thread_id, place.namespace, place.checkpoint_id, list(channels)]
    rows = tenant_reads(tenant_id, [Statement(WALK, [*values, THREADS.history])])[0]
    return [
        ChannelHistory(channel, read_writes(writes), None if form is None else PackedValue(form, value))
        for channel, writes, form, value in rows
    ]
