"""Who may work in which tenant, and in which role. Read anew on every request: removing a role takes effect at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Case, CharField, F, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Cast, Coalesce
from django.http import HttpRequest

from tenants.models import ActorKind, AuditRecord, Role, SupportSession, Tenant
from tenants.selectors import roles_of_staff
from tenants.services.audit import Actor

Acted = TypeVar("Acted", AuditRecord, SupportSession)
View = TypeVar("View", bound=Callable[..., Any])
SESSION_KEY = "tenant"
STRENGTH = {role: rank for rank, role in enumerate(Role.values)}


@dataclass(frozen=True, slots=True)
class Desk:
    """The tenant and the role in which a staff member works now, and the tenants they may switch to."""

    tenant: Tenant
    role: str
    choices: tuple[Tenant, ...]

    def may(self, needed: Role) -> bool:
        return STRENGTH[self.role] >= STRENGTH[needed]

    @property
    def role_name(self) -> str:
        return str(Role(self.role).label)


def desk_of(request: HttpRequest) -> Desk | None:
    """Return the desk of this request; None when no tenant is chosen yet, or none is granted."""
    roles = tenant_roles(request)
    choices = tuple(Tenant.objects.filter(id__in=roles))
    chosen = request.session.get(SESSION_KEY)
    at_hand = [tenant for tenant in choices if str(tenant.id) == chosen]
    # A person with one tenant need not choose it.
    if not at_hand and len(choices) == 1:
        at_hand = list(choices)
    return Desk(at_hand[0], roles[at_hand[0].id], choices) if at_hand else None


def tenant_roles(request: HttpRequest) -> dict[UUID, str]:
    """Return ``{tenant id: role}``. The platform operator (superuser) is a manager of every tenant."""
    user = request.user
    if not isinstance(user, User) or not (user.is_active and user.is_staff):
        return {}
    if user.is_superuser:
        return dict.fromkeys(Tenant.objects.values_list("id", flat=True), Role.MANAGER.value)
    return roles_of_staff(user.pk)


def actor_of(request: HttpRequest) -> Actor:
    user = request.user
    kind = ActorKind.OPERATOR if isinstance(user, User) and user.is_superuser else ActorKind.STAFF
    return Actor(kind, str(user.pk), getattr(request, "request_id", ""))


def with_names(records: QuerySet[Acted]) -> QuerySet[Acted]:
    """Annotate the records with ``who``: the user name of staff and operators, else the id of the key or job."""
    user = User.objects.annotate(as_text=Cast("pk", CharField())).filter(as_text=OuterRef("actor_id"))
    user_name = Coalesce(Subquery(user.values("username")[:1]), F("actor_id"), output_field=CharField())
    people = When(actor_kind__in=(ActorKind.STAFF, ActorKind.OPERATOR), then=user_name)
    return records.annotate(who=Case(people, default=F("actor_id"), output_field=CharField()))


def mark_tenantless(view: View) -> View:
    """Mark a console view that runs without a tenant's scope. ``request.desk`` is set all the same."""
    view.tenantless = True  # type: ignore[attr-defined]  # read back by ConsoleSite.admin_view
    return view


def current_desk(request: HttpRequest) -> Desk | None:
    return getattr(request, "desk", None)
