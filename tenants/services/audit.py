"""Writes the audit trail."""

from dataclasses import dataclass
from uuid import UUID

from memory_platform.providers.redis.client import RedisAway, RedisScript, redis_client
from tenants.config import AUDIT_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord

HOUR_S = 3_600
# An hour begins with its first refusal.
COUNT_REFUSAL = RedisScript(
    "refusals",
    """
local number = redis.call('INCR', KEYS[1])
if number == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {number}
""",
)


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
    """Add a refusal in a transaction of its own: the refused action's transaction rolls back, its record stays. After
    many of one actor in an hour, only each hundredth is recorded, with its number."""
    number = _count_refusal(tenant_id, by)
    many = number > AUDIT_CONFIG.refusals_per_hour
    if many and number % AUDIT_CONFIG.refusals_per_record:
        return
    reason = f"refusal {number} within an hour; those between are not recorded" if many else ""
    with tenant_tx(tenant_id):
        _write(by, action, object_kind=object_kind, object_id=object_id, reason=reason, refused=True)


def _count_refusal(tenant_id: UUID, by: Actor) -> int:
    """Return the number of this refusal among the actor's of an hour; 1 while Redis is away, so that none is lost."""
    key = f"refusals:{{{tenant_id}}}:{by.kind}:{by.id}"
    try:
        (number,) = COUNT_REFUSAL.run(redis_client(), (key,), (HOUR_S,))
    except RedisAway:
        return 1
    return int(number)


def _write(by: Actor, action: str, **fields: object) -> None:
    AuditRecord.objects.create(
        actor_kind=by.kind,
        actor_id=by.id,
        request_id=by.request_id,
        action=action,
        **fields,
    )
