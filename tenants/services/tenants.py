"""Creates tenants and members."""

from django.db.models import Case, F, When

from memory_platform.kernel.ids import new_id
from tenants.isolation import tenant_tx
from tenants.models import Member, Role, Tenant
from tenants.services.audit import Actor, record_audit
from tenants.services.policies import make_first_version


def create_tenant(*, slug: str, name: str, by: Actor, locale: str = "", reason: str = "") -> Tenant:
    """Create a tenant inside its own scope. Raises ValidationError for a slug that is taken or malformed."""
    tenant = Tenant(id=new_id(), slug=slug, name=name, locale=locale)
    tenant.full_clean()
    with tenant_tx(tenant.id):
        tenant.save(force_insert=True)
        make_first_version()
        record_audit(by, "tenant.created", object_kind="tenant", object_id=str(tenant.id), reason=reason)
    return tenant


def change_tenant(tenant: Tenant, *, name: str, locale: str) -> None:
    """Change the name and locale of the open tenant. The locale is part of the policies in force: every process reads
    it anew."""
    Tenant.objects.filter(id=tenant.id).update(
        name=name,
        policy_epoch=Case(When(locale=locale, then=F("policy_epoch")), default=F("policy_epoch") + 1),
        locale=locale,
    )


def set_member(user_id: int, role: Role, *, by: Actor, reason: str = "") -> Member:
    member, _ = Member.objects.update_or_create(user_id=user_id, defaults={"role": role})
    told = f"{role.value}: {reason}" if reason else role.value
    record_audit(by, "member.set", object_kind="member", object_id=str(user_id), reason=told)
    return member
