"""Putting work into the queue: in the transaction that makes it necessary."""

from collections.abc import Collection, Sequence
from uuid import UUID

from memory_platform.kernel.ids import new_id
from snapshots.models import Conversation, Message, MessageRole, Work, WorkKind
from snapshots.queue import sql
from snapshots.queue.policy import QUEUE_POLICY, QueuePolicy
from snapshots.queue.rows import rows

KINDS_OF_MESSAGE = {
    MessageRole.USER: (WorkKind.STATEMENT, WorkKind.EXTRACT),
    MessageRole.ASSISTANT: (WorkKind.EXTRACT,),
}
"""What is done with a message, by who said it: what tools and systems say is remembered by nothing."""


def enqueue_messages(messages: Sequence[Message]) -> None:
    """Add the items of remembered messages, in the order given; known ones stay as they are.

    Call it in the transaction of acceptance while the conversation's row is locked: the lock's order becomes the
    items' order. The messages come with their conversation loaded.
    """
    items = [
        (kind, message)
        for message in messages
        if message.remember and message.conversation.remember
        for kind in kinds_of(message)
    ]
    if items:
        rows(
            sql.ENQUEUE_MESSAGES,
            ids=[new_id() for _ in items],
            kinds=[str(kind) for kind, _ in items],
            subjects=[message.subject_id for _, message in items],
            conversations=[message.conversation_id for _, message in items],
            messages=[message.pk for _, message in items],
        )


def kinds_of(message: Message) -> Sequence[WorkKind]:
    """Return the kinds of work that a message brings; an assistant that only calls tools says nothing."""
    if message.role == MessageRole.ASSISTANT and not message.content:
        return ()
    return KINDS_OF_MESSAGE.get(MessageRole(message.role), ())


def enqueue_summaries(conversations: Collection[UUID], *, policy: QueuePolicy = QUEUE_POLICY) -> None:
    """Add the running summary of the newest whole stretch of user messages; a known one stays as it is.

    The worker calls it behind what it has read: a request pays nothing for it.
    """
    if conversations:
        rows(sql.ENQUEUE_SUMMARIES, conversations=sorted(conversations), every=policy.summary_turns)


def enqueue_conversation_end(conversation: Conversation) -> Work:
    """Return the one item of this end of the conversation, added when it is new.

    It exists for conversations that are not to be remembered too: its handler leaves them out.
    """
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
