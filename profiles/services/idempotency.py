"""Repeated requests: the first answer is kept in the transaction of its write and replayed for a day."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db import OperationalError, connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict
from memory_platform.kernel.ids import new_id
from profiles.models import IdempotentReply, Subject, ToolSave
from tenants.isolation import current_tenant_id

LOCK_NOT_AVAILABLE = "55P03"


class KeyReused(Conflict):
    """The key was used before with another body. HTTP 409."""

    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used with another body")


class TwinRunning(Conflict):
    """A request with the same key has not finished. HTTP 409, retryable."""

    code = "idempotency_twin_running"
    retryable = True
    retry_after_s = 1

    def __init__(self) -> None:
        super().__init__("a request with this Idempotency-Key is still running")


@dataclass(frozen=True, slots=True)
class RequestIdentity:
    """The identity of a request: SHA-256 of method and path (``endpoint``, hex) and of the body."""

    endpoint: str
    key: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class KeptReply:
    """An answer as it was sent."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


def claim_reply(request: RequestIdentity, *, wait_ms: int, kept_for: timedelta) -> KeptReply | None:
    """Claim the key for the open transaction, or return the answer that an earlier request left under it.

    A twin that holds the key is waited for ``wait_ms``. Raises TwinRunning when it takes longer and KeyReused when the
    earlier request had another body. None means: do the work, then call :func:`keep_reply` in the same transaction.
    """
    same_key = IdempotentReply.objects.filter(endpoint=request.endpoint, key=request.key)
    same_key.filter(created_at__lt=utc_now() - kept_for).delete()
    if _insert_claim(request, wait_ms):
        return None
    earlier = same_key.first()
    if earlier is None:  # purged or erased between the two statements
        raise TwinRunning
    if bytes(earlier.request_hash) != request.digest:
        raise KeyReused
    return KeptReply(earlier.status or 0, bytes(earlier.body or b""), earlier.headers)


def keep_reply(request: RequestIdentity, reply: KeptReply, *, subject_id: UUID | None) -> None:
    """Store the answer under the claimed key; it is erased with its subject."""
    IdempotentReply.objects.filter(endpoint=request.endpoint, key=request.key).update(
        status=reply.status, body=reply.body, headers=dict(reply.headers), subject_id=subject_id
    )


def _insert_claim(request: RequestIdentity, wait_ms: int) -> bool:
    """Insert the claim; the unique index makes a concurrent twin wait until the first has committed or rolled back."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{wait_ms}ms"])
        try:
            cursor.execute(
                "INSERT INTO idempotent_reply (id, tenant_id, endpoint, key, request_hash, headers, created_at)"
                " VALUES (%s, %s, %s, %s, %s, '{}', %s) ON CONFLICT (tenant_id, endpoint, key) DO NOTHING",
                [new_id(), current_tenant_id(), request.endpoint, request.key, request.digest, utc_now()],
            )
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
                raise TwinRunning from None
            raise
        claimed = bool(cursor.rowcount == 1)
        cursor.execute("SET LOCAL lock_timeout TO DEFAULT")
    return claimed


def was_saved(subject: Subject, conversation: str, memory_id: UUID) -> bool:
    return ToolSave.objects.filter(subject_id=subject.id, conversation=conversation, memory_ref=memory_id).exists()


def record_save(subject: Subject, conversation: str, memory_id: UUID) -> None:
    row = ToolSave(subject_id=subject.id, conversation=conversation, memory_ref=memory_id)
    ToolSave.objects.bulk_create([row], ignore_conflicts=True)
