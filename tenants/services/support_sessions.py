"""Support sessions: opened with a reason and a time, ended by themselves or by hand, each in the audit trail."""

from datetime import timedelta

from django.db.models import Exists, OuterRef

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, Refused
from tenants.config import SUPPORT_CONFIG, SupportConfig
from tenants.isolation import current_tenant_id
from tenants.models import SupportEnd, SupportSession, Tenant
from tenants.services.audit import Actor, record_audit


class SupportRefused(Refused):
    """A support session without a reason, or for too long. HTTP 422."""

    code = "support_refused"


def open_support(
    *, by: Actor, reason: str, lasts: timedelta | None = None, config: SupportConfig = SUPPORT_CONFIG
) -> SupportSession:
    """Let somebody see the personal data of the open tenant for a while. Raises SupportRefused."""
    lasts = config.lasts if lasts is None else lasts
    if not reason.strip():
        raise SupportRefused(
            "A support session needs a reason.", faults=[FieldFault("reason", "required", "Give a reason.")]
        )
    if not timedelta(0) < lasts <= config.longest:
        raise SupportRefused(
            "The support session is too long.", faults=[FieldFault("lasts", "range", "Must be at most 8 hours.")]
        )
    now = utc_now()
    session = SupportSession.objects.create(
        actor_kind=by.kind, actor_id=by.id, reason=reason, started_at=now, ends_at=now + lasts
    )
    told = f"{lasts.total_seconds() / 60:.0f} min: {reason}"[:500]
    record_audit(by, "support.opened", object_kind="support_session", object_id=str(session.id), reason=told)
    return session


def current_support(by: Actor) -> SupportSession | None:
    """Return somebody's session in the open tenant: the one that lasts longest, or None."""
    ended = SupportEnd.objects.filter(session_id=OuterRef("id"))
    held = SupportSession.objects.filter(actor_id=by.id, actor_kind=by.kind, ends_at__gt=utc_now())
    return held.filter(~Exists(ended)).order_by("-ends_at").first()


def end_support(*, by: Actor) -> int:
    ended = 0
    while (session := current_support(by)) is not None:
        SupportEnd.objects.create(session=session)
        record_audit(by, "support.ended", object_kind="support_session", object_id=str(session.id))
        ended += 1
    return ended


def set_members_need_support_session(*, needed: bool, by: Actor, reason: str) -> None:
    """Set whether members of the open tenant need a session, too. Operators always need one."""
    tenant_id = current_tenant_id()
    Tenant.objects.filter(id=tenant_id).update(support_sessions=needed)
    action = "support.needed" if needed else "support.not_needed"
    record_audit(by, action, object_kind="tenant", object_id=str(tenant_id), reason=reason)
