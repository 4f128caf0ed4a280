"""The choice of the tenant to work in: a table, with the waiting and failed items of each for an operator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Max, Q
from django.http import HttpRequest

from memory_platform.console.shared.custom_pages import is_operator
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.tenants.tenant_overview import load_backlogs
from snapshots.models import Message
from tenants.isolation import tenant_tx
from tenants.models import Member, Role, Tenant

# From so many tenants on, the table can be searched; it shows no more than the second number, and tells members and
# traffic of no more than the third: each takes queries in its own scope.
MIN_SEARCHED = 10
MAX_SHOWN = 100
MAX_TOLD = 25


@dataclass(frozen=True, slots=True)
class TenantLife:
    """How many members a tenant has, and how long ago its last message came, as HTML; "" for never."""

    members: int
    last_message: str


def load_tenant_lives(tenant_ids: list[UUID]) -> dict[UUID, TenantLife]:
    """Return members and traffic by tenant. Two queries for each, within its own scope."""
    lives = {}
    for tenant_id in tenant_ids:
        with tenant_tx(tenant_id):
            heard = Message.objects.aggregate(at=Max("accepted_at"))["at"]
            lives[tenant_id] = TenantLife(Member.objects.count(), render_time_ago(heard))
    return lives


def describe_tenant_choices(request: HttpRequest, roles: Mapping[UUID, str]) -> dict[str, Any]:
    """Return the rows of the table: the tenants of the person that match the search, by name. Two queries; for an
    operator more, see :func:`load_tenant_lives`."""
    words = request.GET.get("q", "").replace("\x00", "").strip()
    tenants = Tenant.objects.filter(id__in=roles).order_by("name", "slug")
    found = tenants.filter(Q(name__icontains=words) | Q(slug__icontains=words)) if words else tenants
    shown = list(found[:MAX_SHOWN])
    backlogs = load_backlogs() if is_operator(request) else {}
    lives = load_tenant_lives([tenant.id for tenant in shown[:MAX_TOLD]]) if is_operator(request) else {}
    choices = [
        {
            "tenant": tenant,
            "role": Role(roles[tenant.id]).label,
            "waiting": backlogs.get(tenant.id, (0, 0))[0],
            "failed": backlogs.get(tenant.id, (0, 0))[1],
            "life": lives.get(tenant.id),
        }
        for tenant in shown
    ]
    return {"choices": choices, "searched": words, "has_search": len(roles) >= MIN_SEARCHED, "has_any": bool(roles)}
