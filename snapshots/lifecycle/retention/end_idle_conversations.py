"""Conversations that nobody ended end by themselves."""

from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from snapshots.job_preview import CarePreview
from snapshots.lifecycle.config import IDLE_CONFIG, IdleConfig
from snapshots.models import Conversation, ConversationStatus
from snapshots.queue.enqueue import end_conversation
from snapshots.queue.worker_wake_ups import wake_workers
from tenants.isolation import tenant_tx


def end_idle_conversations(tenant_id: UUID, config: IdleConfig = IDLE_CONFIG) -> int:
    """End conversations whose last acceptance is ``after`` ago or longer; return how many.

    Runs outside any ``tenant_tx``, a batch at a time. One that is being written to at this moment is passed over.
    """
    ended = 0
    while batch := _end_batch(tenant_id, config):
        ended += batch
    if ended:
        wake_workers(tenant_id)
    return ended


def preview_idle(config: IdleConfig = IDLE_CONFIG) -> CarePreview:
    ids = [str(found) for found in _find_idle(config).values_list("id", flat=True)]
    return CarePreview({"conversations": len(ids)}, ids)


def _find_idle(config: IdleConfig) -> QuerySet[Conversation]:
    since = Now() - config.after
    return Conversation.objects.filter(status=ConversationStatus.OPEN, last_accepted_at__lte=since).order_by(
        "last_accepted_at"
    )


def _end_batch(tenant_id: UUID, config: IdleConfig) -> int:
    with tenant_tx(tenant_id):
        conversations = list(_find_idle(config).select_for_update(skip_locked=True, no_key=True)[: config.batch])
        for conversation in conversations:
            end_conversation(conversation)
    return len(conversations)
