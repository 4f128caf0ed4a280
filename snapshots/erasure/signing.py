"""From the deletion to the certificate: a search for what was erased runs after the commit, and its result is
signed."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from memory_platform.kernel.errors import NotFound
from profiles.models import Erasure, ErasureScope, ErasureState, Preference, ProfileFact, Tag
from profiles.services.certificates import certificate_of, close_erasure, erasure_by_id, marks_in
from profiles.services.tombstones import Marks
from snapshots.erasure.policy import ERASURE_POLICY, ErasurePolicy
from snapshots.erasure.remaining_tombstones import messages_marked, snapshots_marked, subject_marked
from snapshots.erasure.tables import drop_zeros
from snapshots.erasure.windows import count_windows_left, drop_cached_windows
from snapshots.models import Conversation, Message, Snapshot
from snapshots.window.window import erase_windows
from tenants.isolation import current_tenant_id, tenant_tx

# Searches for what was erased, in an open scope of its own; returns what it found, by table.
Look = Callable[[], Mapping[str, Any]]

MEMORIES: tuple[type[Any], ...] = (Snapshot, Preference, ProfileFact, Tag)
# Here words stand among others, and a tombstone recognises only a whole text.
ONLY_BY_WORDS = ("receipt.rendered", "idempotent_reply")

REDIS_AWAY = {"away": True}


def sign_after_commit(erasure: Erasure, look: Look) -> None:
    """Have the erasure of the open transaction checked and signed once it has committed.

    If the process dies before that, :func:`sign_unsigned_erasures` does it.
    """
    transaction.on_commit(partial(_sign, current_tenant_id(), erasure.id, look), robust=True)


def has_left_behind(policy: ErasurePolicy = ERASURE_POLICY) -> bool:
    return _left_behind(policy) is not None


def sign_left_behind(tenant_id: UUID, policy: ErasurePolicy = ERASURE_POLICY) -> int:
    """Check and sign erasures whose process died; return how many. Runs outside any ``tenant_tx``.

    The process had committed the deletion, all of it or nothing, but perhaps not yet erased windows in Redis: that is
    done here. What was erased is searched for by ids and tombstones; ``unchecked`` names what only its words could
    find.
    """
    signed = 0
    while True:
        with tenant_tx(tenant_id):
            erasure = _left_behind(policy)
            if erasure is None:
                return signed
            close_erasure(erasure, {**_found_late(tenant_id, erasure), "late": True})
        signed += 1


def _sign(tenant_id: UUID, erasure_id: UUID, look: Look) -> None:
    with tenant_tx(tenant_id):
        close_erasure(erasure_by_id(erasure_id), look())


def _left_behind(policy: ErasurePolicy) -> Erasure | None:
    """Return the oldest unsigned erasure. Those of subjects are left to their jobs."""
    waiting = Erasure.objects.exclude(state=ErasureState.DONE).exclude(scope=ErasureScope.SUBJECT)
    return waiting.filter(requested_at__lte=Now() - policy.left_behind).order_by("requested_at").first()


def _found_late(tenant_id: UUID, erasure: Erasure) -> dict[str, Any]:
    if erasure.target is None:
        raise NotFound("this erasure is done")
    if erasure.scope == ErasureScope.CONVERSATION:
        return _conversation_found(tenant_id, erasure.target)
    return _memory_found(tenant_id, erasure.target, marks_in(certificate_of(erasure)))


def _conversation_found(tenant_id: UUID, conversation: UUID) -> dict[str, Any]:
    left = {
        "conversation": Conversation.objects.filter(id=conversation).count(),
        "message": Message.objects.filter(conversation_id=conversation).count(),
    }
    redis = count_windows_left(tenant_id, [conversation]) if erase_windows(tenant_id, [conversation]) else REDIS_AWAY
    return {"rows_left": drop_zeros(left), "redis": redis}


def _memory_found(tenant_id: UUID, memory: UUID, marks: Marks) -> dict[str, Any]:
    left = {rows._meta.db_table: rows._default_manager.filter(id=memory).count() for rows in MEMORIES}
    conversations: list[UUID] = []
    subject_id = subject_marked(marks)
    if subject_id is not None:
        messages = list(messages_marked(subject_id, marks))
        left["snapshot"] += len([one for one in snapshots_marked(subject_id, marks) if one != memory])
        left["message"] = sum(bool(message.content) for message in messages)
        conversations = sorted({message.conversation_id for message in messages})
    is_dropped = drop_cached_windows(tenant_id, conversations)
    redis = count_windows_left(tenant_id, conversations) if is_dropped else REDIS_AWAY
    return {"rows_left": drop_zeros(left), "redis": redis, "unchecked": list(ONLY_BY_WORDS)}
