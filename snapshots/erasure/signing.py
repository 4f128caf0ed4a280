"""From the deletion to the certificate: what was erased is looked for after the commit, then signed."""

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
from snapshots.erasure.traces import buried, dropped, windows_found
from snapshots.models import Conversation, Message, Snapshot
from tenants.isolation import current_tenant_id, tenant_tx

Look = Callable[[], Mapping[str, Any]]
"""Looks for what was erased, in an open scope of its own; returns what it found, by table."""

MEMORIES: tuple[type[Any], ...] = (Snapshot, Preference, ProfileFact, Tag)
ONLY_BY_WORDS = ("receipt.rendered", "idempotent_reply")
"""Where words stand among others: a mark recognises a whole text."""


def sign_after_commit(erasure: Erasure, look: Look) -> None:
    """Have the erasure of the open transaction checked and signed once it has committed.

    A process that dies before leaves it to :func:`sign_left_behind`.
    """
    transaction.on_commit(partial(_sign, current_tenant_id(), erasure.id, look), robust=True)


def has_left_behind(policy: ErasurePolicy = ERASURE_POLICY) -> bool:
    """Return whether somebody died between an erasure and its signature, in the open scope."""
    return _left_behind(policy) is not None


def sign_left_behind(tenant_id: UUID, policy: ErasurePolicy = ERASURE_POLICY) -> int:
    """Check and sign what others left behind; return how many. Runs outside any ``tenant_tx``.

    Whoever died had committed the deletion, all of it or nothing, and had perhaps not yet taken the words out of Redis:
    that is done here. What it held is looked for by ids and marks; ``unchecked`` names what only its words could find.
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
    """Return the oldest one. Those of subjects are their jobs' to end."""
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
    return {"rows_left": _some(left), "redis": windows_found(tenant_id, buried(tenant_id, [conversation]))}


def _memory_found(tenant_id: UUID, memory: UUID, marks: Marks) -> dict[str, Any]:
    left = {rows._meta.db_table: rows._default_manager.filter(id=memory).count() for rows in MEMORIES}
    conversations: list[UUID] = []
    subject_id = subject_marked(marks)
    if subject_id is not None:
        messages = list(messages_marked(subject_id, marks))
        left["snapshot"] += len([one for one in snapshots_marked(subject_id, marks) if one != memory])
        left["message"] = sum(bool(message.content) for message in messages)
        conversations = sorted({message.conversation_id for message in messages})
    redis = windows_found(tenant_id, dropped(tenant_id, conversations))
    return {"rows_left": _some(left), "redis": redis, "unchecked": list(ONLY_BY_WORDS)}


def _some(left: Mapping[str, int]) -> dict[str, int]:
    return {table: rows for table, rows in left.items() if rows}
