"""Search for erased data after the commit of a deletion, and sign the result as a certificate."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from memory_platform.kernel.errors import NotFound
from profiles.models import Erasure, ErasureScope, ErasureState, Preference, ProfileFact, Tag
from profiles.services.certificates import certificate_of, close_erasure, erasure_by_id, tombstones_in
from profiles.services.tombstones import Marks
from snapshots.erasure.config import ERASURE_POLICY, ErasureConfig
from snapshots.erasure.tables import drop_zeros
from snapshots.erasure.tombstone_matches import find_marked_messages, find_marked_snapshots, find_marked_subject
from snapshots.erasure.window_search import count_windows_left, drop_cached_windows
from snapshots.models import Conversation, Message, Snapshot
from snapshots.window.cached_window import erase_windows
from tenants.isolation import current_tenant_id, tenant_tx

# Searches for what was erased, in an open scope of its own; returns what it found, by table.
SearchErased = Callable[[], Mapping[str, Any]]

MEMORY_TABLES: tuple[type[Any], ...] = (Snapshot, Preference, ProfileFact, Tag)
# Here words stand among others, and a tombstone recognises only a whole text.
ONLY_BY_WORDS = ("receipt.rendered", "idempotent_reply")

REDIS_AWAY = {"away": True}


def sign_after_commit(erasure: Erasure, look: SearchErased) -> None:
    """Have the erasure of the open transaction checked and signed once it has committed.

    If the process dies before that, :func:`sign_unsigned_erasures` does it.
    """
    transaction.on_commit(partial(_search_and_sign, current_tenant_id(), erasure.id, look), robust=True)


def has_unsigned_erasure(config: ErasureConfig = ERASURE_POLICY) -> bool:
    return _find_unsigned_erasure(config) is not None


def sign_unsigned_erasures(tenant_id: UUID, config: ErasureConfig = ERASURE_POLICY) -> int:
    """Check and sign erasures whose process died; return how many. Runs outside any ``tenant_tx``.

    The process committed the whole deletion, but perhaps did not erase windows in Redis, so this function does. It
    searches for erased data by ids and tombstones; ``unchecked`` names the data that only its words could find.
    """
    signed = 0
    while True:
        with tenant_tx(tenant_id):
            erasure = _find_unsigned_erasure(config)
            if erasure is None:
                return signed
            close_erasure(erasure, {**_search_unsigned_erasure(tenant_id, erasure), "late": True})
        signed += 1


def _search_and_sign(tenant_id: UUID, erasure_id: UUID, look: SearchErased) -> None:
    with tenant_tx(tenant_id):
        close_erasure(erasure_by_id(erasure_id), look())


def _find_unsigned_erasure(config: ErasureConfig) -> Erasure | None:
    """Return the oldest unsigned erasure. Those of subjects are left to their jobs."""
    waiting = Erasure.objects.exclude(state=ErasureState.DONE).exclude(scope=ErasureScope.SUBJECT)
    return waiting.filter(requested_at__lte=Now() - config.left_behind).order_by("requested_at").first()


def _search_unsigned_erasure(tenant_id: UUID, erasure: Erasure) -> dict[str, Any]:
    if erasure.target is None:
        raise NotFound("this erasure is done")
    if erasure.scope == ErasureScope.CONVERSATION:
        return _erase_windows_and_find_leftovers(tenant_id, erasure.target)
    return _find_leftovers_and_drop_cache(tenant_id, erasure.target, tombstones_in(certificate_of(erasure)))


def _erase_windows_and_find_leftovers(tenant_id: UUID, conversation: UUID) -> dict[str, Any]:
    left = {
        "conversation": Conversation.objects.filter(id=conversation).count(),
        "message": Message.objects.filter(conversation_id=conversation).count(),
    }
    redis = count_windows_left(tenant_id, [conversation]) if erase_windows(tenant_id, [conversation]) else REDIS_AWAY
    return {"rows_left": drop_zeros(left), "redis": redis}


def _find_leftovers_and_drop_cache(tenant_id: UUID, memory: UUID, marks: Marks) -> dict[str, Any]:
    left = {rows._meta.db_table: rows._default_manager.filter(id=memory).count() for rows in MEMORY_TABLES}
    conversations: list[UUID] = []
    subject_id = find_marked_subject(marks)
    if subject_id is not None:
        messages = list(find_marked_messages(subject_id, marks))
        left["snapshot"] += len([one for one in find_marked_snapshots(subject_id, marks) if one != memory])
        left["message"] = sum(bool(message.content) for message in messages)
        conversations = sorted({message.conversation_id for message in messages})
    is_dropped = drop_cached_windows(tenant_id, conversations)
    redis = count_windows_left(tenant_id, conversations) if is_dropped else REDIS_AWAY
    return {"rows_left": drop_zeros(left), "redis": redis, "unchecked": list(ONLY_BY_WORDS)}
