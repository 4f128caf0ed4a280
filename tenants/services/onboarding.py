"""Sets up a tenant in one transaction: the tenant, an invitation for its manager, its first API key."""

from dataclasses import dataclass

from tenants.isolation import tenant_tx
from tenants.models import Role, Scope, Tenant
from tenants.services.audit import Actor
from tenants.services.invitations import CreatedInvitation, create_invitation
from tenants.services.keys import CreatedKey, create_key
from tenants.services.tenants import build_tenant, insert_tenant

FIRST_KEY_NAME = "first"
FIRST_SCOPES = (Scope.MEMORY_READ, Scope.MEMORY_WRITE)


@dataclass(frozen=True, slots=True)
class TenantSetup:
    """A new tenant with the secrets that cannot be shown again: its first key, and the manager's link if somebody was
    invited."""

    tenant: Tenant
    key: CreatedKey
    invitation: CreatedInvitation | None


def set_up_tenant(
    *, slug: str, name: str, locale: str = "", manager: str = "", by: Actor, reason: str = ""
) -> TenantSetup:
    """Create a tenant with its first key; invite ``manager``, a name or an e-mail address, unless it is "".

    Raises ValidationError for a slug that is taken or malformed.
    """
    tenant = build_tenant(slug=slug, name=name, locale=locale)
    with tenant_tx(tenant.id):
        insert_tenant(tenant, by=by, reason=reason)
        key = create_key(name=FIRST_KEY_NAME, scopes=FIRST_SCOPES, by=by)
        invitation = (
            create_invitation(role=Role.MANAGER, invitee=manager, slug=slug, by=by, reason=reason) if manager else None
        )
    return TenantSetup(tenant, key, invitation)
