"""Where a subject leaves traces beside its rows: windows in Redis, images in this process, parts of imports."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory_platform.providers.redis.client import RedisAway, redis_client
from snapshots.models import Conversation, Job, JobKind
from snapshots.recall.loading.cache import IMAGES
from snapshots.window.store import USE, bury_turns, drop_turns, window_key
from tenants.isolation import tenant_tx

CHUNK = 500


def forget_here(tenant_id: UUID, subject_id: UUID) -> None:
    """Drop this process's images of a subject. Others' hold no words, find nothing any more, and leave by disuse."""
    IMAGES.discard_subject(tenant_id, subject_id)


def conversation_ids(subject_id: UUID) -> list[UUID]:
    """Return the ids of a subject's conversations, in the open scope."""
    return list(Conversation.objects.filter(subject_id=subject_id).order_by().values_list("id", flat=True))


def bury_windows_of(tenant_id: UUID, subject_id: UUID) -> list[UUID] | None:
    """Erase the windows of all conversations of a subject, as :func:`buried` does."""
    with tenant_tx(tenant_id):
        ids = conversation_ids(subject_id)
    return buried(tenant_id, ids)


def buried(tenant_id: UUID, conversations: list[UUID]) -> list[UUID] | None:
    """Erase windows, against late writers too, and return their conversations; None while Redis is away.

    What it holds then runs out by itself, and no reader asks for it any more.
    """
    try:
        for start in range(0, len(conversations), CHUNK):
            bury_turns(redis_client(), [window_key(tenant_id, one) for one in conversations[start : start + CHUNK]])
    except RedisAway:
        return None
    return conversations


def dropped(tenant_id: UUID, conversations: list[UUID]) -> list[UUID] | None:
    """Drop windows, which the next reader has made again, and return their conversations; None while Redis is away."""
    try:
        drop_turns(redis_client(), [window_key(tenant_id, one) for one in conversations])
    except RedisAway:
        return None
    return conversations


def windows_found(tenant_id: UUID, conversations: Iterable[UUID] | None) -> dict[str, Any]:
    """Return how many windows were looked for in Redis, and how many still hold words; ``away`` if it cannot tell."""
    if conversations is None:
        return {"away": True}
    keys = [window_key(tenant_id, one) for one in conversations]
    try:
        left = sum(bool(redis_client().call(USE, lambda client, key=key: client.hget(key, "turns"))) for key in keys)  # type: ignore[misc]
    except RedisAway:
        return {"away": True}
    return {"away": False, "windows": len(keys), "left": left}


def import_jobs_of(subject_id: UUID) -> QuerySet[Job]:
    """Return the imports into a subject, whose parts hold words until they are done."""
    return Job.objects.filter(kind=JobKind.IMPORT, params__subject=str(subject_id))
