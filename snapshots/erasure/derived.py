"""What was made from a memory that is to be forgotten: made again without it, or gone when nothing else supports it."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Now

from memory_platform.kernel.clock import utc_now
from profiles.models import ToolSave
from snapshots.embedding.store import touch_memory
from snapshots.models import (
    BeliefCounter,
    Calibration,
    Consolidation,
    Conversation,
    Episode,
    Lane,
    MemoryAct,
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
from snapshots.queue.wake_up import nudge
from tenants.isolation import current_tenant_id

OF_CONVERSATIONS = (SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT)
PARTS = (NoteSlot, Note, SnapshotVersion, SnapshotWords, SnapshotVector, SnapshotSource, SnapshotCounter)
"""What hangs on a snapshot by its key."""


def members_of(snapshot: Snapshot) -> set[UUID]:
    """Return the memories that were joined into this one; none for one that was said."""
    if snapshot.kind != SnapshotKind.CONSOLIDATED:
        return set()
    rows = Consolidation.objects.filter(subject_id=snapshot.subject_id, memory_ref=snapshot.id)
    listed = {member for members in rows.values_list("members", flat=True) for member in members}
    own = Snapshot.objects.filter(subject_id=snapshot.subject_id, superseded_by_id=snapshot.id)
    return listed | set(own.order_by().values_list("id", flat=True))


def take_back_work(subject_id: UUID, conversations: Collection[UUID]) -> None:
    """Take leases from whoever works at these conversations: what they have read must not be written any more."""
    rows = Work.objects.filter(subject_id=subject_id, conversation_id__in=conversations, state=WorkState.LEASED)
    list(rows.order_by("position").select_for_update().values_list("pk"))
    rows.update(state=WorkState.READY, due_at=Now(), lease_token=None, lease_until=None)


def remake_conversation_snapshots(
    subject_id: UUID, messages: Mapping[UUID, Message], *, besides: Collection[UUID]
) -> Counter[str]:
    """Delete what was made of whole conversations with these messages in them, and have it made again without them.

    A conversation that has gone on since makes it at its next end. Of one without other words nothing comes.
    """
    inside = SnapshotSource.objects.filter(subject_id=subject_id, memory=OuterRef("id"), message_id__in=list(messages))
    rows = Snapshot.objects.filter(Exists(inside), subject_id=subject_id, kind__in=OF_CONVERSATIONS)
    made = dict(rows.exclude(id__in=besides).order_by().values_list("id", "conversation_id"))
    counts = delete_snapshots(subject_id, made)
    conversations = {message.conversation_id: message.conversation for message in messages.values()}
    for conversation in conversations.values():
        if _drop_summary(conversation):
            counts["conversation.summary"] += 1
            _make_again(conversation, WorkKind.SUMMARY)
        if conversation.id in made.values():
            _make_again(conversation, WorkKind.CONVERSATION, generation=conversation.generation)
    return counts


def dissolve_consolidations(subject_id: UUID, gone: Collection[UUID]) -> Counter[str]:
    """Take apart what was joined from memories that go; its other members hold again. Return the rows by table."""
    joined = Consolidation.objects.filter(subject_id=subject_id, lane=Lane.SNAPSHOTS, members__overlap=list(gone))
    counts = Counter[str]()
    for consolidation in joined:
        if consolidation.undone_at is None and consolidation.memory_ref not in gone:
            _revive(subject_id, consolidation.memory_ref)
            counts.update(delete_snapshots(subject_id, [consolidation.memory_ref]))
    counts["consolidation"] = joined.delete()[0]
    counts["consolidation"] += Consolidation.objects.filter(subject_id=subject_id, memory_ref__in=gone).delete()[0]
    return counts


def delete_snapshots(subject_id: UUID, ids: Iterable[UUID]) -> Counter[str]:
    """Delete snapshots with all that hangs on them and what care noted of them; return the rows by table.

    In the open scope; whoever calls may have locked the subject's memory already.
    """
    gone, counts = list(ids), Counter[str]()
    if not gone:
        return counts
    own = Snapshot.objects.filter(subject_id=subject_id, id__in=gone)
    touch_memory(subject_id, changed=own.order_by().values_list("position", flat=True))
    counts.update(_delete_episodes(subject_id, gone))
    for part in PARTS:
        key = "memory_id__in" if part is SnapshotSource else "snapshot_id__in"
        counts[part._meta.db_table] = part.objects.filter(subject_id=subject_id, **{key: gone}).delete()[0]
    for note in (MemoryReview, MemoryAct, Calibration, BeliefCounter, ToolSave):
        counts[note._meta.db_table] = note.objects.filter(subject_id=subject_id, memory_ref__in=gone).delete()[0]
    counts["snapshot"] = own.delete()[0]
    return counts


def _delete_episodes(subject_id: UUID, gone: Collection[UUID]) -> dict[str, int]:
    """Delete the episodes that these snapshots tell, and the tasks that they were made of; return the rows by table."""
    told = Episode.objects.filter(subject_id=subject_id, snapshot_id__in=gone).order_by()
    tasks = list(told.values_list("task_id", flat=True))
    if not tasks:
        return {}
    counts = {"episode": told.delete()[0]}
    return {**counts, "task": Task.objects.filter(subject_id=subject_id, id__in=tasks).delete()[0]}


def _revive(subject_id: UUID, joined_into: UUID) -> None:
    """Let the members of a consolidation hold again, as before it; how they were joined leaves their history."""
    members = Snapshot.objects.filter(subject_id=subject_id, superseded_by_id=joined_into)
    touch_memory(subject_id, changed=members.order_by().values_list("position", flat=True))
    members.update(invalid_at=None, superseded_by=None, version=F("version") + 1, last_validated_at=utc_now())


def _drop_summary(conversation: Conversation) -> int:
    """Drop a running summary: the next one is made without what is gone."""
    rows = Conversation.objects.filter(id=conversation.id, subject_id=conversation.subject_id).exclude(summary="")
    return rows.update(summary="", summarised_seq=0)


def _make_again(conversation: Conversation, kind: WorkKind, **which: int) -> None:
    """Give the newest item of a kind to the workers again."""
    items = Work.objects.filter(subject_id=conversation.subject_id, conversation_id=conversation.id, kind=kind, **which)
    newest = items.order_by("-generation").values("id")[:1]
    again = {"state": WorkState.READY, "attempts": 0, "due_at": Now(), "done_at": None}
    Work.objects.filter(id__in=newest).update(**again, lease_token=None, lease_until=None)
    transaction.on_commit(partial(nudge, current_tenant_id()), robust=True)
