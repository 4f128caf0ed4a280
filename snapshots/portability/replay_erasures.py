"""Erase again after a restore: a certificate names nothing, so ids of present rows are hashed and compared.

A memory is found by its id, and by the tombstones of its words and messages: the backup may be older than the forgotten
memory and yet hold the message that said it, or another memory that says the same.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from memory_platform.providers.redis.client import redis_client
from profiles.models import ErasureScope, Preference, ProfileFact, Subject, Tag
from profiles.services.erasure_certificates import hash_object, hash_subject, list_tombstones
from profiles.services.tombstones import store_missing_tombstones
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.check_and_sign import find_marked_messages, find_marked_snapshots
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.learned.forget_whole_belief import forget_fact, forget_preference, forget_tag
from snapshots.erasure.memories import ErasureTarget, build_target, forget_target
from snapshots.erasure.subjects import erase_subject
from snapshots.errors import SnapshotUnknown
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.models import Conversation, Snapshot
from snapshots.window.redis_store import drop_all_windows
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE

REASON = "replayed after a restore"


def drop_restored_windows() -> int:
    """Drop all windows in Redis, and return how many: a restored database counts their versions again. Raises
    RedisAway."""
    return drop_all_windows(redis_client())


def replay_erasure(certificate: Mapping[str, Any]) -> bool:
    """Repeat the erasure of a genuine certificate, if its data is there; return whether it was. Opens its own scopes.

    A subject made after the erasure was requested is another one under the same id, and stays. The tombstones of a
    forgotten memory come back with it or without it: a post of it after a restore is refused as before.
    """
    tenant_id, scope = UUID(certificate["tenant_id"]), ErasureScope(certificate["scope"])
    with tenant_tx(tenant_id):
        subject = _find_subject(certificate)
        if subject is None:
            return False
        if scope is ErasureScope.CONVERSATION:
            return _delete_named_conversation(certificate, subject)
        if scope is ErasureScope.MEMORY and _forget_named_belief(certificate, subject):
            return True
        store_missing_tombstones(subject.id, list_tombstones(certificate))
    if scope is ErasureScope.SUBJECT:
        erase_subject(tenant_id, subject.external_id, by=COMMAND_LINE, reason=REASON)
        return True
    try:
        look = partial(_find_target, certificate, subject)
        forget_target(tenant_id, look, active_embedders(), by=COMMAND_LINE, reason=REASON)
    except SnapshotUnknown:
        return False
    return True


def _find_subject(certificate: Mapping[str, Any]) -> Subject | None:
    asked_at = datetime.fromisoformat(certificate["requested_at"])
    there = Subject.objects.filter(created_at__lt=asked_at, erasing=False).order_by()
    rows = there.values_list("id", "external_id").iterator()
    wanted = certificate["subject_hash"]
    found = next((row_id for row_id, name in rows if hash_subject(name) == wanted), None)
    return None if found is None else Subject.objects.get(id=found)


def _delete_named_conversation(certificate: Mapping[str, Any], subject: Subject) -> bool:
    rows = Conversation.objects.filter(subject_id=subject.id, created_at__lt=certificate["requested_at"])
    for name in rows.order_by().values_list("external_id", flat=True):
        if hash_object(ErasureScope.CONVERSATION, subject.external_id, name) == certificate["object_hash"]:
            delete_conversation(lock_conversation(subject.external_id, name), by=COMMAND_LINE, reason=REASON)
            return True
    return False


def _forget_named_belief(certificate: Mapping[str, Any], subject: Subject) -> bool:
    rows = (row for model in (Preference, ProfileFact, Tag) for row in model._default_manager.filter(subject=subject))
    wanted = certificate["object_hash"]
    row = next((one for one in rows if hash_object(ErasureScope.MEMORY, subject.external_id, one.id) == wanted), None)
    match row:
        case Preference():
            forget_preference(subject, row.category, row.key, by=COMMAND_LINE, reason=REASON)
        case ProfileFact():
            forget_fact(subject, row.field, is_attribute=row.is_attribute, by=COMMAND_LINE, reason=REASON)
        case Tag():
            forget_tag(subject, row, by=COMMAND_LINE, reason=REASON)
    return row is not None


def _find_target(certificate: Mapping[str, Any], subject: Subject) -> ErasureTarget:
    """Return the target of a certificate of one memory, in the open scope. Raises SnapshotUnknown."""
    marks, wanted = list_tombstones(certificate), certificate["object_hash"]
    ids = Snapshot.objects.filter(subject_id=subject.id).order_by("id").values_list("id", flat=True)
    named = {one for one in ids if hash_object(ErasureScope.MEMORY, subject.external_id, one) == wanted}
    named |= set(find_marked_snapshots(subject.id, marks))
    said = {message.id: message.content for message in find_marked_messages(subject.id, marks) if message.content}
    if not named and not said:
        raise SnapshotUnknown
    return build_target(subject, min(named or said), named, said)
