"""Adding work to the queue, in the transaction that makes it necessary."""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Now

from memory_platform.kernel.ids import new_id
from memory_platform.observability.logs import Event, log
from memory_platform.observability.tracing import find_trace_parent
from snapshots.models import Conversation, ConversationStatus, Message, MessageRole, Work, WorkKind
from snapshots.queue import sql
from snapshots.queue.config import QUEUE_CONFIG
from snapshots.queue.sql import run_sql

# What is done with a message, by role. Nothing is remembered of what tools and systems say.
WORK_BY_ROLE = {
    MessageRole.USER: (WorkKind.STATEMENT, WorkKind.EXTRACT),
    MessageRole.ASSISTANT: (WorkKind.EXTRACT,),
}


def enqueue_messages(messages: Sequence[Message]) -> None:
    """Add the items of remembered messages in the order given; existing ones stay as they are.

    Call it in the transaction of acceptance while the conversation's row is locked: the order of locks becomes the
    order of items. The messages come with their conversation loaded.
    """
    items = [
        (kind, message)
        for message in messages
        if message.remember and message.conversation.remember
        for kind in find_work_kinds(message)
    ]
    if items:
        run_sql(
            sql.ENQUEUE_MESSAGES,
            ids=[new_id() for _ in items],
            kinds=[str(kind) for kind, _ in items],
            subjects=[message.subject_id for _, message in items],
            conversations=[message.conversation_id for _, message in items],
            messages=[message.pk for _, message in items],
            trace_parent=find_trace_parent(),
        )


def find_work_kinds(message: Message) -> Sequence[WorkKind]:
    """Return the kinds of work that a message brings; an assistant that only calls tools says nothing."""
    if message.role == MessageRole.ASSISTANT and not message.content:
        return ()
    return WORK_BY_ROLE.get(MessageRole(message.role), ())


def enqueue_summaries(conversations: Collection[UUID]) -> None:
    """Add the running summary of the newest whole stretch of user messages; an existing one stays as it is. Workers
    call it after reading messages, so that a request pays nothing for it."""
    if conversations:
        run_sql(sql.ENQUEUE_SUMMARIES, conversations=sorted(conversations), every=QUEUE_CONFIG.summary_turns)


def enqueue_conversation_end(conversation: Conversation) -> Work:
    """Return the one item of this end of the conversation, added if it is new. Also for conversations that must not be
    remembered: the handler leaves them out."""
    end = {
        "subject_id": conversation.subject_id,
        "conversation_id": conversation.pk,
        "kind": WorkKind.CONVERSATION,
        "generation": conversation.generation,
    }
    known = Work.objects.filter(**end).first()
    if known is not None:
        return known
    Work.objects.bulk_create([Work(**end)], ignore_conflicts=True)
    return Work.objects.get(**end)


def end_conversation(conversation: Conversation) -> Work:
    """End the conversation and return the work that makes its snapshot; ending it twice returns the same work.

    Inside the open ``tenant_tx``; ``conversation`` shows the new state afterwards. The caller wakes the workers after
    the commit.
    """
    row = Conversation.objects.filter(pk=conversation.pk, subject_id=conversation.subject_id)
    # The conditional UPDATE decides between two ends, and waits for an acceptance that would reopen it.
    ended = row.filter(status=ConversationStatus.OPEN).update(
        status=ConversationStatus.ENDED, ended_at=Now(), version=F("version") + 1
    )
    conversation.refresh_from_db(fields=["status", "ended_at", "version", "generation"])
    if ended:
        log(Event.CONVERSATION_ENDED, conversation=conversation.pk, generation=conversation.generation)
    return enqueue_conversation_end(conversation)
