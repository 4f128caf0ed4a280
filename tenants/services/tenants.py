"""Creates tenants, sets and removes their members. A tenant that has a manager keeps one."""

from collections import defaultdict
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Case, F, When

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from tenants.errors import LastManager
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, Invitation, Member, Role, Tenant
from tenants.services.audit import Actor, record_audit
from tenants.services.policies import make_first_version

LOCK_MANAGERS = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def create_tenant(*, slug: str, name: str, by: Actor, locale: str = "", reason: str = "") -> Tenant:
    """Create a tenant inside its own scope. Raises ValidationError for a slug that is taken or malformed."""
    tenant = build_tenant(slug=slug, name=name, locale=locale)
    with tenant_tx(tenant.id):
        insert_tenant(tenant, by=by, reason=reason)
    return tenant


def build_tenant(*, slug: str, name: str, locale: str = "") -> Tenant:
    """Return a tenant that is not stored yet. Raises ValidationError for a slug that is taken or malformed."""
    tenant = Tenant(id=new_id(), slug=slug, name=name, locale=locale)
    tenant.full_clean()
    return tenant


def insert_tenant(tenant: Tenant, *, by: Actor, reason: str) -> None:
    """Store a new tenant with its first policy version, in its own open scope."""
    tenant.save(force_insert=True)
    make_first_version()
    record_audit(by, "tenant.created", object_kind="tenant", object_id=str(tenant.id), reason=reason)


def change_tenant(tenant: Tenant, *, name: str, locale: str) -> None:
    """Change the name and locale of the open tenant. The locale is part of the policies in force: every process reads
    it anew."""
    Tenant.objects.filter(id=tenant.id).update(
        name=name,
        policy_epoch=Case(When(locale=locale, then=F("policy_epoch")), default=F("policy_epoch") + 1),
        locale=locale,
    )


def set_member(user_id: int, role: Role, *, by: Actor, reason: str = "", from_groups: bool = False) -> Member:
    """Make a user a member of the open tenant, or change the role. Raises LastManager.

    ``from_groups``: a group of the log-in provider gives the role, and may take it again.
    """
    if role is not Role.MANAGER:
        require_another_manager(user_id)
        _revoke_invitations_of(user_id, by=by)
    values = {"role": role, "from_groups": from_groups}
    member, _ = Member.objects.update_or_create(user_id=user_id, defaults=values)
    told = f"{role.value}: {reason}" if reason else role.value
    record_audit(by, "member.set", object_kind="member", object_id=str(user_id), reason=told)
    return member


def remove_member(user_id: int, *, by: Actor, reason: str) -> None:
    """End a user's membership of the open tenant; do nothing if there is none. Raises LastManager."""
    require_another_manager(user_id)
    _revoke_invitations_of(user_id, by=by)
    removed, _ = Member.objects.filter(user_id=user_id).delete()
    if removed:
        record_audit(by, "member.removed", object_kind="member", object_id=str(user_id), reason=reason)


def require_another_manager(user_id: int) -> None:
    """Raise LastManager if this user is a manager of the open tenant and no other active one is. The answer holds until
    the transaction ends: whoever else takes a manager away waits for it."""
    _lock_managers()
    if is_last_manager(user_id):
        raise LastManager


def is_last_manager(user_id: int) -> bool:
    """Return whether this user is a manager of the open tenant and no other active one is, at this moment."""
    managers = Member.objects.filter(role=Role.MANAGER)
    others = managers.filter(user__is_active=True).exclude(user_id=user_id)
    return managers.filter(user_id=user_id).exists() and not others.exists()


def list_tenants_managed_alone(user_id: int) -> list[Tenant]:
    """Return the tenants of which this user is a manager and no other active one is. Needs an open transaction, until
    whose end the answer holds; looks into all tenants, so it is for the operator."""
    _lock_managers()
    managers = defaultdict[UUID, set[int]](set)
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, user_id FROM app.managers_beside(%s)", [user_id])
        for tenant_id, manager in cursor.fetchall():
            managers[tenant_id].add(manager)
    others = frozenset[int]().union(*managers.values()) - {user_id}
    active = set(get_user_model().objects.filter(pk__in=others, is_active=True).values_list("pk", flat=True))
    alone = [tenant_id for tenant_id, users in managers.items() if not users & active]
    return list(Tenant.objects.filter(id__in=alone))


def _lock_managers() -> None:
    """Let nobody else take away a manager until this transaction ends.

    One lock for the whole platform: a deactivated account may be a manager of several tenants. Managers are taken away
    seldom, and such a transaction is short.
    """
    with connection.cursor() as cursor:
        cursor.execute(LOCK_MANAGERS, ["managers"])


def _revoke_invitations_of(user_id: int, *, by: Actor) -> None:
    """End the open invitations that this user made: who loses the role must not come back by their own link."""
    own = Invitation.objects.filter(actor_kind=ActorKind.STAFF, actor_id=str(user_id))
    still_open = own.filter(accepted_at__isnull=True, revoked_at__isnull=True)
    for invitation in still_open.select_for_update().order_by("id"):
        Invitation.objects.filter(id=invitation.id).update(revoked_at=utc_now())
        record_audit(by, "invitation.revoked", object_kind="invitation", object_id=str(invitation.id))
