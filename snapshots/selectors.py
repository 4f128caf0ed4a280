"""Reading conversations, snapshots and receipts."""

from django.db.models import QuerySet

from profiles.models import Subject
from snapshots.errors import ConversationUnknown
from snapshots.models import Conversation, Message


def conversations_of(subject: Subject) -> QuerySet[Conversation]:
    """Return the subject's conversations, in no order."""
    return Conversation.objects.filter(subject=subject).order_by()


def conversation_of(subject_id: str, conversation_id: str) -> Conversation:
    """Return a conversation by the product's own ids, in one query. Raises ConversationUnknown."""
    found = Conversation.objects.filter(subject__external_id=subject_id, external_id=conversation_id).first()
    if found is None:
        raise ConversationUnknown
    return found


def messages_of(conversation: Conversation) -> QuerySet[Message]:
    """Return the conversation's messages, in no order."""
    return Message.objects.filter(subject_id=conversation.subject_id, conversation=conversation).order_by()
