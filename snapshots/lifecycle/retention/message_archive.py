"""The words of aged messages move to a compressed archive, and come back on request.

A message's row stays, since sources point at it; only its words leave the table that serves reads. Lists of messages
read archived words from the archive (:func:`snapshots.conversation_queries.add_archived_words`). Whole conversations
are archived that ended long ago and have no work left, a stretch of their messages in a transaction of its own.
"""

import zlib
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import orjson
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from profiles.audit import record_act
from snapshots.conversation_queries import ARCHIVED_WORDS, add_archived_words
from snapshots.job_preview import CarePreview
from snapshots.lifecycle.config import ARCHIVE, ArchiveConfig
from snapshots.models import Conversation, ConversationStatus, Message, MessageArchive, Work, WorkState
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BLANK_WORDS: Mapping[str, Any] = {"content": "", "parts": None, "tool_calls": None, "metadata": {}}


def preview_archive(config: ArchiveConfig = ARCHIVE) -> CarePreview:
    aged = find_aged_conversations(config)
    rows = Message.objects.filter(conversation__in=aged.values("id"), archived=False)
    examples = [str(one) for one in aged.order_by("id").values_list("id", flat=True)[: config.batch]]
    return CarePreview({"conversations": aged.count(), "messages": rows.count()}, examples)


def archive_tenant(
    tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True, config: ArchiveConfig = ARCHIVE
) -> int:
    """Move the words of aged conversations; return the messages moved.

    Runs outside any ``tenant_tx``. Safe to run twice, concurrently, and to kill: the next run moves the rest.
    """
    moved, after = 0, UUID(int=0)
    while may_go_on():
        with tenant_tx(tenant_id):
            aged = find_aged_conversations(config).filter(id__gt=after).order_by("id")
            ids = list(aged.values_list("id", flat=True)[: config.batch])
        for conversation_id in ids:
            while may_go_on():
                with tenant_tx(tenant_id):
                    some = archive_message_batch(conversation_id, config)
                moved += some
                if not some:
                    break
        if len(ids) < config.batch:
            break
        after = ids[-1]
    return moved


def archive_message_batch(conversation_id: UUID, config: ArchiveConfig) -> int:
    """Move the words of a conversation's next messages, in the open scope; 0 if nothing is left or it is locked."""
    aged = find_aged_conversations(config).filter(id=conversation_id).select_for_update(skip_locked=True, of=("self",))
    conversation = aged.first()
    if conversation is None:
        return 0
    own = Message.objects.filter(subject_id=conversation.subject_id, conversation=conversation)
    messages = list(own.filter(archived=False).order_by("seq").select_for_update()[: config.stretch])
    if not messages:
        return 0
    plain = orjson.dumps(
        {str(message.id): {name: getattr(message, name) for name in ARCHIVED_WORDS} for message in messages}
    )
    MessageArchive.objects.create(
        subject_id=conversation.subject_id,
        conversation=conversation,
        first_seq=messages[0].seq,
        last_seq=messages[-1].seq,
        messages=len(messages),
        plain_bytes=len(plain),
        packed=zlib.compress(plain, config.level),
    )
    own.filter(id__in=[message.id for message in messages]).update(**BLANK_WORDS, archived=True)
    return len(messages)


def restore_messages(conversation: Conversation, *, by: Actor, reason: str = "") -> int:
    """Put the words of a conversation's messages back and drop its archive, in the open scope; return how many.

    They stay for as long as those of a conversation that has just ended. Leaves an audit record where any came back.
    """
    held = Conversation.objects.select_for_update(no_key=True).get(id=conversation.id)
    own = Message.objects.filter(subject_id=conversation.subject_id, conversation=conversation)
    messages = add_archived_words(list(own.filter(archived=True).order_by("seq").select_for_update()))
    for message in messages:
        message.archived = False
    Message.objects.bulk_update(messages, [*ARCHIVED_WORDS, "archived"], batch_size=ARCHIVE.stretch)
    MessageArchive.objects.filter(subject_id=conversation.subject_id, conversation=conversation).delete()
    if messages:
        held.restored_at = Now()
        held.save(update_fields=["restored_at"])
        record_act(by, "conversation.restored", conversation, reason)
    return len(messages)


def find_aged_conversations(config: ArchiveConfig) -> QuerySet[Conversation]:
    """Return ended conversations without work whose last message is old, unless archived or lately restored."""
    own: dict[str, object] = {"conversation_id": OuterRef("id")}
    archived = MessageArchive.objects.filter(**own, last_seq__gte=OuterRef("next_seq") - 1)
    open_work = Work.objects.filter(**own).exclude(state=WorkState.DONE)
    return Conversation.objects.filter(
        ~Exists(archived),
        ~Exists(open_work),
        Q(restored_at__isnull=True) | Q(restored_at__lte=Now() - config.after),
        status=ConversationStatus.ENDED,
        last_accepted_at__lte=Now() - config.after,
        next_seq__gt=1,
    )
