"""Reads tenants: the directory and a staff member's tenants need no open scope."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from tenants.errors import TenantUnknown
from tenants.models import Tenant


def tenant_by_slug(slug: str) -> Tenant:
    """Return the tenant with this slug. Raises TenantUnknown."""
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise TenantUnknown(f"No tenant has the slug {slug!r}: `manage.py create_tenant` creates one.")
    return tenant


def all_tenant_ids() -> Iterable[UUID]:
    return list(Tenant.objects.order_by("created_at", "id").values_list("id", flat=True))


def roles_of_staff(user_id: int) -> dict[UUID, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenant_id, role FROM app.tenants_of_staff(%s)", [user_id])
        return dict(cursor.fetchall())
