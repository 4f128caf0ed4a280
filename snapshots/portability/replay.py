"""Erasing again after a restore: a certificate names nothing, so what is there is hashed and compared (matrix 61)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from profiles.models import ErasureScope, Subject
from profiles.services.certificates import object_hash, subject_hash
from snapshots.embedding.spaces import active_embedders
from snapshots.erasure.memories import forget_memory
from snapshots.erasure.subjects import erase_subject
from snapshots.intake.conversations import locked_known
from snapshots.intake.delete import delete_conversation
from snapshots.lifecycle.values import SnapshotAddress
from snapshots.models import Conversation, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE

REASON = "replayed after a restore"


def replay_erasure(certificate: Mapping[str, Any]) -> bool:
    """Erase what a genuine certificate tells of, if it is there again; return whether it was. Opens its own scopes.

    A subject that was made after the erasure is another one under the same id, and stays.
    """
    tenant_id, scope = UUID(certificate["tenant_id"]), ErasureScope(certificate["scope"])
    with tenant_tx(tenant_id):
        external_id = _subject_of(certificate)
        if external_id is None:
            return False
        if scope is ErasureScope.CONVERSATION:
            return _delete_conversation(certificate, external_id)
        address = _memory_of(certificate, external_id) if scope is ErasureScope.MEMORY else None
    if scope is ErasureScope.SUBJECT:
        erase_subject(tenant_id, external_id, by=COMMAND_LINE, reason=REASON)
    elif address is not None:
        forget_memory(tenant_id, address, active_embedders(), by=COMMAND_LINE, reason=REASON)
    return scope is ErasureScope.SUBJECT or address is not None


def _subject_of(certificate: Mapping[str, Any]) -> str | None:
    erased_at = datetime.fromisoformat(certificate["erased_at"])
    there = Subject.objects.filter(created_at__lt=erased_at, erasing=False).order_by()
    names = there.values_list("external_id", flat=True)
    return next((name for name in names.iterator() if subject_hash(name) == certificate["subject_hash"]), None)


def _delete_conversation(certificate: Mapping[str, Any], external_id: str) -> bool:
    rows = Conversation.objects.filter(subject__external_id=external_id, created_at__lt=certificate["erased_at"])
    for name in rows.order_by().values_list("external_id", flat=True):
        if object_hash(ErasureScope.CONVERSATION, external_id, name) == certificate["object_hash"]:
            delete_conversation(locked_known(external_id, name), by=COMMAND_LINE, reason=REASON)
            return True
    return False


def _memory_of(certificate: Mapping[str, Any], external_id: str) -> SnapshotAddress | None:
    rows = Snapshot.objects.filter(subject__external_id=external_id).order_by().values_list("id", flat=True)
    wanted = certificate["object_hash"]
    found = (one for one in rows if object_hash(ErasureScope.MEMORY, external_id, one) == wanted)
    return next((SnapshotAddress(external_id, one) for one in found), None)
