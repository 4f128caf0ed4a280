"""Delete a conversation: its messages, their work, its window, and the memories from it alone. Signs a certificate."""

from collections import Counter
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from profiles.models import Ask, Erasure, ErasureScope, IdempotentReply, ToolSave
from profiles.services.erasure_certificates import add_counts, open_erasure
from profiles.services.subject_lock import lock_subject
from profiles.services.tombstones import record_tombstones
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.erasure.check_and_sign import count_windows_left, sign_after_commit
from snapshots.erasure.derived_rows import delete_snapshots, dissolve_consolidations
from snapshots.erasure.forgotten_word_copies import ForgottenWords, blank_candidates_of_messages, strip_receipts
from snapshots.erasure.learned.unlearn_messages import UnlearnedRows, unlearn_messages
from snapshots.erasure.notes_of_forgotten_messages import detach_notes, find_notes_only_in
from snapshots.erasure.subject_tables import drop_zeros
from snapshots.models import (
    Conversation,
    ForgetOrder,
    Message,
    MessageArchive,
    MessageRole,
    PreferenceSource,
    ProfileFactSource,
    Snapshot,
    SnapshotSource,
    SubjectMemory,
    TagSource,
)
from snapshots.queue.metrics import remove_work_of_conversation
from snapshots.window.cached_window import erase_windows
from tenants.isolation import current_tenant_id
from tenants.services.audit import COMMAND_LINE, Actor

# Rows that name the conversation by the product's own id.
TABLES_WITH_EXTERNAL_ID = (Ask, ToolSave)
SOURCE_LINKS = (SnapshotSource, PreferenceSource, ProfileFactSource, TagSource)


def delete_conversation(conversation: Conversation, *, by: Actor = COMMAND_LINE, reason: str = "") -> Erasure:
    """Delete the conversation and memories that no other one supports; return the erasure, signed after the commit.

    The caller locks ``conversation``. Locks follow the workers' order: work items, the subject, its memory. A worker
    still computing cannot store: its item is gone.
    """
    external_id = conversation.subject.external_id
    name = conversation.external_id
    erasure = open_erasure(
        ErasureScope.CONVERSATION, external_id, name=name, target=conversation.id, by=by, reason=reason
    )
    counts = Counter(work=remove_work_of_conversation(conversation))
    words, unlearned = erase_conversation_words(conversation)
    counts.update(words)
    counts.update(delete_conversation_rows(conversation))
    add_counts(erasure, counts)
    tenant_id = current_tenant_id()
    transaction.on_commit(partial(erase_windows, tenant_id, [conversation.id]), robust=True)
    sign_after_commit(erasure, partial(count_rows_left, tenant_id, conversation, unlearned))
    return erasure


def erase_conversation_words(conversation: Conversation) -> tuple[Counter[str], UnlearnedRows]:
    """Erase memories from this conversation alone, and its words elsewhere; return the rows by table, and unlearned
    rows. Deletes all idempotent replies of the subject: one may repeat its turns."""
    subject_id = conversation.subject_id
    lock_subject(conversation.subject)
    memory = SubjectMemory.objects.filter(subject_id=subject_id)
    memory.select_for_update().first()  # from here on nobody stores a snapshot of this subject
    messages = add_archived_words(
        list(Message.objects.filter(subject_id=subject_id, conversation=conversation).order_by())
    )
    ids = [message.id for message in messages]
    gone = list({*find_sole_snapshots(conversation), *find_notes_only_in(subject_id, ids)})
    texts = Snapshot.objects.filter(subject_id=subject_id, id__in=gone).order_by().values_list("text", flat=True)
    said = [message.content for message in messages if message.role == MessageRole.USER and message.remember]
    words = ForgottenWords.from_texts(subject_id, [*texts, *said])
    counts = strip_receipts(ForgottenWords(subject_id, frozenset()), gone, [conversation.id])
    counts["candidate"] = blank_candidates_of_messages(subject_id, ids)
    counts["forget_order"] = ForgetOrder.objects.filter(subject_id=subject_id, messages__overlap=ids).delete()[0]
    unlearned = unlearn_messages(conversation.subject, ids, words)
    counts.update(unlearned.counts)
    counts["idempotent_reply"] += IdempotentReply.objects.filter(subject_id=subject_id).delete()[0]
    counts.update(delete_sole_snapshots(conversation, gone))
    counts.update(detach_notes(subject_id, ids, words))
    names = [(conversation.external_id, message.external_id) for message in messages]
    record_tombstones(subject_id, texts=words.texts, messages=names)
    return counts, unlearned


def delete_sole_snapshots(conversation: Conversation, snapshot_ids: list[UUID]) -> Counter[str]:
    """Delete ``snapshot_ids`` and dissolve consolidations made of them. Snapshots that others support, too, stay and
    lose the key."""
    subject_id = conversation.subject_id
    shared = (
        Snapshot.objects.filter(subject_id=subject_id, conversation=conversation)
        .exclude(id__in=snapshot_ids)
        .order_by()
    )
    positions = list(shared.values_list("position", flat=True))
    if positions:
        begin_memory_epoch(subject_id, changed=positions)
    counts = dissolve_consolidations(subject_id, snapshot_ids) if snapshot_ids else Counter[str]()
    counts.update(delete_snapshots(subject_id, snapshot_ids))
    return counts


def delete_conversation_rows(conversation: Conversation) -> Counter[str]:
    own = {"subject_id": conversation.subject_id}
    counts = Counter[str]()
    for link in SOURCE_LINKS:
        rows = link.objects.filter(message__conversation=conversation, **own)
        counts[link._meta.db_table] += rows.delete()[0]
    for named in TABLES_WITH_EXTERNAL_ID:
        told = named.objects.filter(conversation=conversation.external_id, **own)
        counts[named._meta.db_table] = told.delete()[0]
    for part in (MessageArchive, Message):
        counts[part._meta.db_table] = part.objects.filter(conversation=conversation, **own).delete()[0]
    counts["conversation"] = Conversation.objects.filter(id=conversation.id, **own).delete()[0]
    return counts


def find_sole_snapshots(conversation: Conversation) -> list[UUID]:
    sources = SnapshotSource.objects.filter(subject_id=conversation.subject_id, memory=OuterRef("id")).order_by()
    inside = Exists(sources.filter(message__conversation=conversation))
    outside = Exists(sources.exclude(message__conversation=conversation))
    rows = Snapshot.objects.filter(Q(conversation=conversation) | inside, subject_id=conversation.subject_id)
    return list(rows.exclude(outside).order_by().values_list("id", flat=True))


def count_rows_left(tenant_id: UUID, conversation: Conversation, unlearned: UnlearnedRows) -> dict[str, object]:
    """Return the rows left of the deleted ones, and the state of the window in Redis, for the certificate."""
    left = {
        "conversation": Conversation.objects.filter(id=conversation.id).count(),
        "message": Message.objects.filter(conversation_id=conversation.id).count(),
        **unlearned.count_left(),
    }
    return {"rows_left": drop_zeros(left), "redis": count_windows_left(tenant_id, [conversation.id])}
