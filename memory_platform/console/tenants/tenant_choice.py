"""The choice of the tenant to work in: a table, with what waits and failed in each for an operator."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import HttpRequest

from memory_platform.console.shared.custom_pages import is_operator
from memory_platform.console.tenants.tenant_overview import load_backlogs
from tenants.models import Role, Tenant

# From so many tenants on, the table can be searched; it shows no more than the second number.
MIN_SEARCHED = 10
MAX_SHOWN = 100


def describe_tenant_choices(request: HttpRequest, roles: Mapping[UUID, str]) -> dict[str, Any]:
    """Return the rows of the table: the tenants of the person that match the search, by name. Two queries."""
    words = request.GET.get("q", "").replace("\x00", "").strip()
    tenants = Tenant.objects.filter(id__in=roles).order_by("name", "slug")
    found = tenants.filter(Q(name__icontains=words) | Q(slug__icontains=words)) if words else tenants
    backlogs = load_backlogs() if is_operator(request) else {}
    choices = [
        {
            "tenant": tenant,
            "role": Role(roles[tenant.id]).label,
            "waiting": backlogs.get(tenant.id, (0, 0))[0],
            "failed": backlogs.get(tenant.id, (0, 0))[1],
        }
        for tenant in found[:MAX_SHOWN]
    ]
    return {"choices": choices, "searched": words, "has_search": len(roles) >= MIN_SEARCHED, "has_any": bool(roles)}
