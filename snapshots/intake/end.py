"""Ending a conversation on request: the work of its snapshot, once for each end (row C5)."""

from functools import partial

from django.db import transaction

from snapshots.intake.conversations import locked_known
from snapshots.models import Conversation, Work
from snapshots.queue.ends import end_conversation
from snapshots.queue.enqueue import nudge
from tenants.isolation import current_tenant_id


def end_on_request(subject_id: str, conversation_id: str) -> tuple[Conversation, Work]:
    """End a conversation by the product's own ids; a second time is the same work. Raises ConversationUnknown."""
    conversation = locked_known(subject_id, conversation_id)
    work = end_conversation(conversation)
    transaction.on_commit(partial(nudge, current_tenant_id()), robust=True)
    return conversation, work
