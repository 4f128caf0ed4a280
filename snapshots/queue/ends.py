"""Ending a conversation: one verb for the API, the console and the job that ends idle ones (row C5)."""

from django.db.models import F
from django.db.models.functions import Now

from memory_platform.observability.logs import Event, log
from snapshots.models import Conversation, ConversationStatus, Work
from snapshots.queue.enqueue import enqueue_conversation_end


def end_conversation(conversation: Conversation) -> Work:
    """End the conversation and return the work that makes its snapshot; ending it twice returns the same work.

    Inside the open ``tenant_tx``; ``conversation`` shows the new state afterwards. The caller nudges after the commit.
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
