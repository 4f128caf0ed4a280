"""Reads conversations and their messages."""

import zlib
from collections.abc import Sequence

import orjson
from django.db.models import QuerySet

from profiles.models import Subject
from profiles.selectors import build_subject_key
from snapshots.errors import ConversationUnknown
from snapshots.models import Conversation, Message, MessageArchive

# The columns of a message that move to its archive.
ARCHIVED_WORDS = ("content", "parts", "tool_calls", "metadata")


def list_conversations(subject: Subject) -> QuerySet[Conversation]:
    return Conversation.objects.filter(subject=subject).order_by()


def find_conversation(subject_id: str, conversation_id: str) -> Conversation:
    """Return a conversation by the product's own ids, in one query. Raises ConversationUnknown."""
    found = Conversation.objects.filter(subject_id=build_subject_key(subject_id), external_id=conversation_id).first()
    if found is None:
        raise ConversationUnknown
    return found


def list_messages(conversation: Conversation) -> QuerySet[Message]:
    return Message.objects.filter(subject_id=conversation.subject_id, conversation=conversation).order_by()


def add_archived_words(messages: Sequence[Message]) -> Sequence[Message]:
    """Return ``messages`` with their archived words; one query, none if nothing is archived.

    The table stays as it is. Do not save these rows: that would store the words again.
    """
    away = {str(message.id): message for message in messages if message.archived}
    if not away:
        return messages
    seqs = [message.seq for message in away.values()]
    archives = MessageArchive.objects.filter(
        conversation_id__in={message.conversation_id for message in away.values()},
        first_seq__lte=max(seqs),
        last_seq__gte=min(seqs),
    )
    for archive in archives:
        for key, words in orjson.loads(zlib.decompress(bytes(archive.packed))).items():
            for name in ARCHIVED_WORDS if key in away else ():
                setattr(away[key], name, words[name])
    return messages
