"""Memberships that groups of a log-in provider give: made to match the groups at each log-in."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from memory_platform.observability.logs import Event, log
from tenants.errors import LastManager
from tenants.isolation import tenant_tx
from tenants.models import Member, Role
from tenants.services.audit import Actor, record_audit
from tenants.services.tenants import remove_member, set_member

REASON = "groups of the log-in provider"
KEPT = "the groups give less, but a tenant needs a manager"


def sync_group_memberships(user_id: int, roles: Mapping[UUID, Role], *, member_of: Iterable[UUID], by: Actor) -> None:
    """Make the memberships from groups those in ``roles``; ``member_of``: where the person is a member now.

    Memberships that somebody gave by hand stay as they are, and so does the last manager of a tenant.
    """
    for tenant_id in sorted({*roles, *member_of}):
        with tenant_tx(tenant_id):
            _sync_membership(user_id, roles.get(tenant_id), by)


def _sync_membership(user_id: int, role: Role | None, by: Actor) -> None:
    member = Member.objects.select_for_update().filter(user_id=user_id).first()
    if member is not None and not member.from_groups:
        return
    if (member.role if member else None) == role:
        return
    try:
        if role is None:
            remove_member(user_id, by=by, reason=REASON)
        else:
            set_member(user_id, role, by=by, reason=REASON, from_groups=True)
    except LastManager:
        log(Event.LAST_MANAGER_KEPT)
        record_audit(by, "member.kept", object_kind="member", object_id=str(user_id), reason=KEPT)
