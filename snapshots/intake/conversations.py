"""The conversation's row: created on first sight, and locked, because the order of locks is the order of messages."""

from django.db.models import F
from django.db.models.functions import Now

from profiles.models import Subject
from snapshots.errors import ConversationUnknown
from snapshots.models import Conversation, ConversationStatus


def lock_or_create_conversation(subject: Subject, external_id: str) -> Conversation:
    """Return the subject's conversation, created if it is new, its row locked until the transaction ends."""
    # Not FOR UPDATE: workers that store memories of this conversation hold its key and must not wait.
    rows = Conversation.objects.select_for_update(no_key=True)
    found = rows.filter(subject=subject, external_id=external_id).first()
    if found is not None:
        return found
    # A conversation that a twin request made meanwhile is locked by the same statement, so it cannot vanish again.
    Conversation.objects.bulk_create(
        [Conversation(subject=subject, external_id=external_id)],
        update_conflicts=True,
        unique_fields=["tenant", "subject", "external_id"],
        update_fields=["last_accepted_at"],  # any field that no key refers to would do
    )
    return Conversation.objects.get(subject=subject, external_id=external_id)


def lock_conversation(subject_id: str, conversation_id: str) -> Conversation:
    """Return an existing conversation by the product's own ids, its row locked. Raises ConversationUnknown."""
    rows = Conversation.objects.select_for_update(no_key=True, of=("self",))
    found = rows.filter(subject__external_id=subject_id, external_id=conversation_id).first()
    if found is None:
        raise ConversationUnknown
    return found


def record_acceptance(conversation: Conversation, stored: int) -> None:
    """Count ``stored`` new messages. A conversation that had ended is open again, and its next end makes new work."""
    reopened = conversation.status == ConversationStatus.ENDED
    conversation.next_seq += stored
    conversation.version += 1
    conversation.generation += reopened
    conversation.status = ConversationStatus.OPEN
    conversation.ended_at = None
    Conversation.objects.filter(id=conversation.id, subject_id=conversation.subject_id).update(
        next_seq=conversation.next_seq,
        version=conversation.version,
        generation=conversation.generation,
        status=conversation.status,
        ended_at=None,
        last_accepted_at=Now(),  # the database's clock: the job that ends idle conversations reads it
    )


def set_remember(conversation: Conversation, *, remember: bool) -> Conversation:
    """Set whether messages accepted from now on may teach anything; ``conversation`` is locked."""
    if conversation.remember != remember:
        conversation.remember = remember
        conversation.version += 1
        Conversation.objects.filter(id=conversation.id, subject_id=conversation.subject_id).update(
            remember=remember, version=F("version") + 1
        )
    return conversation
