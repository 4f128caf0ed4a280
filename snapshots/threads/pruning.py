"""Pruning: a thread keeps its newest checkpoints, and whatever these cannot be read without.

A channel that is stored as differences (LangGraph's delta channels) is rebuilt from the writes at the checkpoints
before, back to the last stored value: those stay. The checkpoints of a subgraph's call go with the checkpoint of the
thread that the call belongs to.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from snapshots.models import AgentThread, Checkpoint
from snapshots.threads.unused_values import delete_unused_values
from tenants.isolation import current_tenant_id

ROOT = ""
CALL = ":"
"""Stands in the namespace of a subgraph's call, before the id of its task."""

LIST_CHECKPOINTS = """
SELECT c.id, c.namespace, c.checkpoint_id, c.parent_id, coalesce(c.metadata -> 'parents' ->> '', ''),
  ARRAY(SELECT jsonb_object_keys(c.metadata -> 'counters_since_delta_snapshot')
    WHERE jsonb_typeof(c.metadata -> 'counters_since_delta_snapshot') = 'object')
FROM checkpoint c WHERE c.tenant_id = %s AND c.thread_id = %s ORDER BY c.checkpoint_id DESC
"""
LIST_STORED_CHANNELS = """
SELECT c.id, v.key FROM checkpoint c CROSS JOIN jsonb_each_text(c.versions) AS v
JOIN channel_value b ON b.tenant_id = c.tenant_id AND b.thread_id = c.thread_id AND b.namespace = c.namespace
  AND b.channel = v.key AND b.version = v.value AND b.format <> 'empty'
WHERE c.tenant_id = %s AND c.thread_id = %s AND v.key = ANY(%s)
"""


@dataclass(frozen=True, slots=True)
class CheckpointLink:
    """A checkpoint as pruning needs it. ``root_id``: the checkpoint of the root namespace that its call belongs to;
    ``delta_channels``: those that are rebuilt from the checkpoints before."""

    row_id: UUID
    namespace: str
    checkpoint_id: str
    parent_id: str
    root_id: str
    delta_channels: tuple[str, ...]


def lock_threads(thread_ids: Sequence[UUID]) -> None:
    """Lock threads in the open scope: a writer of a checkpoint waits, and sees the thread as pruned."""
    list(AgentThread.objects.filter(id__in=thread_ids).order_by("external_id").select_for_update().values_list("id"))


def prune_thread(thread_id: UUID, keep: int) -> int:
    """Delete all but the ``keep`` newest checkpoints of each namespace, and the values that no checkpoint needs any
    more, in the open scope; return how many checkpoints went."""
    lock_threads([thread_id])
    doomed = plan_pruning(thread_id, keep)
    if doomed:
        Checkpoint.objects.filter(thread_id=thread_id, id__in=[one.row_id for one in doomed]).delete()
        delete_unused_values([thread_id], [one.checkpoint_id for one in doomed])
    return len(doomed)


def plan_pruning(thread_id: UUID, keep: int) -> list[CheckpointLink]:
    """Return the checkpoints that :func:`prune_thread` deletes."""
    links = _load_links(thread_id)
    by_namespace: defaultdict[str, list[CheckpointLink]] = defaultdict(list)
    for link in links:
        by_namespace[link.namespace].append(link)
    kept_roots = [one.checkpoint_id for one in by_namespace[ROOT][:keep]]
    kept: set[UUID] = set()
    for namespace, own in by_namespace.items():
        if not _is_ended_call(namespace, own, kept_roots):
            kept |= {one.row_id for one in own[:keep]}
    kept |= {one.row_id for one in _find_needed(thread_id, links, kept)}
    return [one for one in links if one.row_id not in kept]


def _load_links(thread_id: UUID) -> list[CheckpointLink]:
    with connection.cursor() as cursor:
        cursor.execute(LIST_CHECKPOINTS, [current_tenant_id(), thread_id])
        return [
            CheckpointLink(row_id, namespace, checkpoint_id, parent_id, root_id, tuple(channels))
            for row_id, namespace, checkpoint_id, parent_id, root_id, channels in cursor.fetchall()
        ]


def _is_ended_call(namespace: str, own: Sequence[CheckpointLink], kept_roots: Sequence[str]) -> bool:
    """Return whether a namespace is that of a call whose root checkpoint goes. A root that is newer than all others is
    not stored yet: calls may be saved first."""
    root_id = own[0].root_id if own else ""
    is_call = CALL in namespace and bool(root_id)
    return is_call and bool(kept_roots) and root_id not in kept_roots and root_id < kept_roots[0]


def _find_needed(thread_id: UUID, links: Sequence[CheckpointLink], kept: set[UUID]) -> Iterator[CheckpointLink]:
    """Yield the ancestors from which the delta channels of kept checkpoints are rebuilt."""
    starts = [one for one in links if one.row_id in kept and one.delta_channels]
    if not starts:
        return
    stored = _load_stored_channels(thread_id, sorted({name for one in starts for name in one.delta_channels}))
    by_id = {(one.namespace, one.checkpoint_id): one for one in links}
    for start in starts:
        missing = set(start.delta_channels) - stored[start.row_id]
        ancestor = by_id.get((start.namespace, start.parent_id))
        while missing and ancestor is not None:
            yield ancestor
            missing -= stored[ancestor.row_id]
            ancestor = by_id.get((ancestor.namespace, ancestor.parent_id))


def _load_stored_channels(thread_id: UUID, channels: Sequence[str]) -> Mapping[UUID, set[str]]:
    """Return by checkpoint which of the channels have a stored value there."""
    stored: defaultdict[UUID, set[str]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(LIST_STORED_CHANNELS, [current_tenant_id(), thread_id, list(channels)])
        for row_id, channel in cursor.fetchall():
            stored[row_id].add(channel)
    return stored
