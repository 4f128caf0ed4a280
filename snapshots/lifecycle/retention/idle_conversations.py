"""Conversations that nobody ended end by themselves."""

from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from snapshots.lifecycle.policy import IDLE_POLICY, IdlePolicy
from snapshots.models import Conversation, ConversationStatus
from snapshots.queue.enqueue import end_conversation
from snapshots.queue.wake_up import wake_workers
from snapshots.values import CarePreview
from tenants.isolation import tenant_tx


def end_idle_conversations(tenant_id: UUID, policy: IdlePolicy = IDLE_POLICY) -> int:
    """End conversations whose last acceptance is ``after`` ago or longer; return how many.

    Runs outside any ``tenant_tx``, a batch at a time. One that is being written to at this moment is passed over.
    """
    ended = 0
    while batch := _end_batch(tenant_id, policy):
        ended += batch
    if ended:
        wake_workers(tenant_id)
    return ended


def preview_idle(policy: IdlePolicy = IDLE_POLICY) -> CarePreview:
    ids = [str(found) for found in _find_idle(policy).values_list("id", flat=True)]
    return CarePreview({"conversations": len(ids)}, ids)


def _find_idle(policy: IdlePolicy) -> QuerySet[Conversation]:
    since = Now() - policy.after
    return Conversation.objects.filter(status=ConversationStatus.OPEN, last_accepted_at__lte=since).order_by(
        "last_accepted_at"
    )


def _end_batch(tenant_id: UUID, policy: IdlePolicy) -> int:
    with tenant_tx(tenant_id):
        conversations = list(_find_idle(policy).select_for_update(skip_locked=True, no_key=True)[: policy.batch])
        for conversation in conversations:
            end_conversation(conversation)
    return len(conversations)
