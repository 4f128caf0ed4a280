"""Writes the audit trail."""

from dataclasses import dataclass
from uuid import UUID

from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord


@dataclass(frozen=True, slots=True)
class Actor:
    kind: ActorKind
    id: str
    request_id: str = ""


COMMAND_LINE = Actor(ActorKind.OPERATOR, "command-line")


def record_audit(
    by: Actor,
    action: str,
    *,
    object_kind: str = "",
    object_id: str = "",
    subject_ref: UUID | None = None,
    reason: str = "",
) -> None:
    """Add one record in the open scope, in the transaction of the audited action."""
    _write(by, action, object_kind=object_kind, object_id=object_id, subject_ref=subject_ref, reason=reason)


def record_refusal(tenant_id: UUID, by: Actor, action: str, *, object_kind: str = "", object_id: str = "") -> None:
    """Add a refusal in a transaction of its own: the refused action's transaction rolls back, its record stays."""
    with tenant_tx(tenant_id):
        _write(by, action, object_kind=object_kind, object_id=object_id, refused=True)


def _write(by: Actor, action: str, **fields: object) -> None:
    AuditRecord.objects.create(
        actor_kind=by.kind,
        actor_id=by.id,
        request_id=by.request_id,
        action=action,
        **fields,
    )
