"""Deleting a conversation: its messages, their work, what was remembered from it alone, its window."""

from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from snapshots.embedding.store import touch_memory
from snapshots.models import Conversation, Receipt, ReceiptMemory, Snapshot, SnapshotSource, SubjectMemory
from snapshots.queue.counts import remove_work_of_conversation
from snapshots.window.window import bury_windows
from tenants.isolation import current_tenant_id


def delete_conversation(conversation: Conversation) -> None:
    """Delete the conversation and every snapshot that no other conversation supports; ``conversation`` is locked.

    The order of locks is the workers' order: work items, then the subject's memory. What a worker computes meanwhile it
    cannot store: its item is gone.
    """
    remove_work_of_conversation(conversation)
    forget_snapshots(conversation)
    Conversation.objects.filter(id=conversation.id, subject_id=conversation.subject_id).delete()
    transaction.on_commit(partial(bury_windows, current_tenant_id(), [conversation.id]), robust=True)


def forget_snapshots(conversation: Conversation) -> None:
    """Delete the snapshots made from this conversation alone, and the prompts that showed it or them."""
    subject_id = conversation.subject_id
    memory = SubjectMemory.objects.filter(subject_id=subject_id)
    memory.select_for_update().first()  # from here on nobody stores a snapshot of this subject
    gone = sole_snapshots(conversation)
    strip_receipts(conversation, gone)
    own = Snapshot.objects.filter(subject_id=subject_id)
    # Those that another conversation supports, too, stay without a conversation.
    changed = own.filter(Q(id__in=gone) | Q(conversation=conversation)).order_by().values_list("position", flat=True)
    if changed:
        touch_memory(subject_id, changed=changed)
        own.filter(id__in=gone).delete()


def sole_snapshots(conversation: Conversation) -> list[UUID]:
    """Return the ids of the snapshots whose sources all stand in this conversation."""
    sources = SnapshotSource.objects.filter(subject_id=conversation.subject_id, memory=OuterRef("id")).order_by()
    inside = Exists(sources.filter(message__conversation=conversation))
    outside = Exists(sources.exclude(message__conversation=conversation))
    rows = Snapshot.objects.filter(Q(conversation=conversation) | inside, subject_id=conversation.subject_id)
    return list(rows.exclude(outside).order_by().values_list("id", flat=True))


def strip_receipts(conversation: Conversation, snapshots: list[UUID]) -> None:
    """Drop the rendered prompts of this conversation, and of others that showed one of ``snapshots``."""
    shown = ReceiptMemory.objects.filter(
        subject_id=conversation.subject_id, receipt=OuterRef("id"), memory_ref__in=snapshots
    )
    Receipt.objects.filter(
        Q(conversation=conversation) | Exists(shown), subject_id=conversation.subject_id, rendered__isnull=False
    ).update(rendered=None)
