"""Rows made from a memory that is forgotten: made again without it, or deleted when nothing else supports them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Now

from memory_platform.kernel.clock import utc_now
from profiles.models import ToolSave
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.models import (
    BeliefCounter,
    Calibration,
    Consolidation,
    Conversation,
    Episode,
    MemoryAct,
    MemoryLane,
    MemoryReview,
    Message,
    Note,
    NoteSlot,
    Snapshot,
    SnapshotCounter,
    SnapshotKind,
    SnapshotSource,
    SnapshotVector,
    SnapshotVersion,
    SnapshotWords,
    Task,
    Work,
    WorkKind,
    WorkState,
)
from snapshots.queue.worker_wake_ups import wake_workers
from tenants.isolation import current_tenant_id

CONVERSATION_KINDS = (SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT)
# Rows that belong to a snapshot by its key.
SNAPSHOT_PARTS = (NoteSlot, Note, SnapshotVersion, SnapshotWords, SnapshotVector, SnapshotSource, SnapshotCounter)


def find_consolidated_members(snapshot: Snapshot) -> set[UUID]:
    if snapshot.kind != SnapshotKind.CONSOLIDATED:
        return set()
    rows = Consolidation.objects.filter(subject_id=snapshot.subject_id, memory_ref=snapshot.id)
    listed = {member for members in rows.values_list("members", flat=True) for member in members}
    own = Snapshot.objects.filter(subject_id=snapshot.subject_id, superseded_by_id=snapshot.id)
    return listed | set(own.order_by().values_list("id", flat=True))


def end_leases(subject_id: UUID, conversations: Collection[UUID]) -> None:
    """End the leases of workers on these conversations, so that they cannot write outdated results."""
    rows = Work.objects.filter(subject_id=subject_id, conversation_id__in=conversations, state=WorkState.LEASED)
    list(rows.order_by("position").select_for_update().values_list("pk"))
    rows.update(state=WorkState.READY, due_at=Now(), lease_token=None, lease_until=None)


def remake_conversation_snapshots(
    subject_id: UUID, messages: Mapping[UUID, Message], *, besides: Collection[UUID]
) -> Counter[str]:
    """Delete the snapshots of whole conversations with these messages, and have them made again without them.

    A conversation that has gone on since makes its snapshot at its next end. One without other words makes nothing.
    """
    inside = SnapshotSource.objects.filter(subject_id=subject_id, memory=OuterRef("id"), message_id__in=list(messages))
    rows = Snapshot.objects.filter(Exists(inside), subject_id=subject_id, kind__in=CONVERSATION_KINDS)
    made = dict(rows.exclude(id__in=besides).order_by().values_list("id", "conversation_id"))
    counts = delete_snapshots(subject_id, made)
    conversations = {message.conversation_id: message.conversation for message in messages.values()}
    for conversation in conversations.values():
        own = Conversation.objects.filter(id=conversation.id, subject_id=subject_id)
        if own.exclude(summary="").update(summary="", summarised_seq=0):
            counts["conversation.summary"] += 1
            _requeue_newest(conversation, WorkKind.SUMMARY)
        if conversation.id in made.values():
            _requeue_newest(conversation, WorkKind.CONVERSATION, generation=conversation.generation)
    return counts


def dissolve_consolidations(subject_id: UUID, snapshot_ids: Collection[UUID]) -> Counter[str]:
    """Undo consolidations of memories that go; their other members hold again. Return the rows by table."""
    joined = Consolidation.objects.filter(
        subject_id=subject_id, lane=MemoryLane.SNAPSHOTS, members__overlap=list(snapshot_ids)
    )
    counts = Counter[str]()
    for consolidation in joined:
        if consolidation.undone_at is None and consolidation.memory_ref not in snapshot_ids:
            _revive_members(subject_id, consolidation.memory_ref)
            counts.update(delete_snapshots(subject_id, [consolidation.memory_ref]))
    counts["consolidation"] = joined.delete()[0]
    counts["consolidation"] += Consolidation.objects.filter(
        subject_id=subject_id, memory_ref__in=snapshot_ids
    ).delete()[0]
    return counts


def delete_snapshots(subject_id: UUID, ids: Iterable[UUID]) -> Counter[str]:
    """Delete snapshots with their parts and all notes of maintenance about them; return the rows by table. In the open
    scope; the caller may have locked the subject's memory already."""
    gone, counts = list(ids), Counter[str]()
    if not gone:
        return counts
    own = Snapshot.objects.filter(subject_id=subject_id, id__in=gone)
    begin_memory_epoch(subject_id, changed=own.order_by().values_list("position", flat=True))
    counts.update(_delete_episodes(subject_id, gone))
    for part in SNAPSHOT_PARTS:
        key = "memory_id__in" if part is SnapshotSource else "snapshot_id__in"
        counts[part._meta.db_table] = part.objects.filter(subject_id=subject_id, **{key: gone}).delete()[0]
    counts.update(delete_rows_about(subject_id, gone))
    counts["snapshot"] = own.delete()[0]
    return counts


def delete_rows_about(subject_id: UUID, memories: Collection[UUID]) -> Counter[str]:
    """Delete reviews, acts, calibrations, counts and tool saves of memories; return the rows by table."""
    counts = Counter[str]()
    for model in (MemoryReview, MemoryAct, Calibration, BeliefCounter, ToolSave):
        rows = model.objects.filter(subject_id=subject_id, memory_ref__in=memories)
        counts[model._meta.db_table] = rows.delete()[0]
    return counts


def _delete_episodes(subject_id: UUID, snapshot_ids: Collection[UUID]) -> dict[str, int]:
    told = Episode.objects.filter(subject_id=subject_id, snapshot_id__in=snapshot_ids).order_by()
    tasks = list(told.values_list("task_id", flat=True))
    if not tasks:
        return {}
    counts = {"episode": told.delete()[0]}
    return {**counts, "task": Task.objects.filter(subject_id=subject_id, id__in=tasks).delete()[0]}


def _revive_members(subject_id: UUID, joined_into: UUID) -> None:
    """Let the members of a consolidation hold again, as before it; how they were joined leaves their history."""
    members = Snapshot.objects.filter(subject_id=subject_id, superseded_by_id=joined_into)
    begin_memory_epoch(subject_id, changed=members.order_by().values_list("position", flat=True))
    members.update(invalid_at=None, superseded_by=None, version=F("version") + 1, last_validated_at=utc_now())


def _requeue_newest(conversation: Conversation, kind: WorkKind, **which: int) -> None:
    items = Work.objects.filter(subject_id=conversation.subject_id, conversation_id=conversation.id, kind=kind, **which)
    newest = items.order_by("-generation").values("id")[:1]
    again = {"state": WorkState.READY, "attempts": 0, "due_at": Now(), "done_at": None}
    Work.objects.filter(id__in=newest).update(**again, lease_token=None, lease_until=None)
    transaction.on_commit(partial(wake_workers, current_tenant_id()), robust=True)
