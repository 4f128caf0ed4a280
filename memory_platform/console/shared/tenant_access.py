"""Who may work in which tenant, and in which role. Read anew on every request: removing a role takes effect at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Case, CharField, F, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Cast, Coalesce
from django.http import HttpRequest
from django.utils.translation import gettext as _

from profiles.models import Erasure
from tenants.models import ActorKind, ApiKey, AuditRecord, Invitation, Role, SupportSession, Tenant
from tenants.selectors import roles_of_staff
from tenants.services.audit import COMMAND_LINE, Actor

AuditedRow = TypeVar("AuditedRow", AuditRecord, SupportSession, Invitation, Erasure)
View = TypeVar("View", bound=Callable[..., Any])
TENANT_SESSION_KEY = "tenant"
ROLE_RANKS = {role: rank for rank, role in enumerate(Role.values)}


@dataclass(frozen=True, slots=True)
class TenantDesk:
    """The tenant and the role in which a staff member works now, and the tenants they may switch to."""

    tenant: Tenant
    role: str
    choices: tuple[Tenant, ...]
    is_operator: bool = False

    def has_role(self, needed: Role) -> bool:
        return ROLE_RANKS[self.role] >= ROLE_RANKS[needed]

    @property
    def role_name(self) -> str:
        return str(ActorKind.OPERATOR.label if self.is_operator else Role(self.role).label)


def find_desk(request: HttpRequest) -> TenantDesk | None:
    """Return the desk of this request; None if no tenant is chosen yet, or the person has no tenant."""
    roles = load_tenant_roles(request)
    choices = tuple(Tenant.objects.filter(id__in=roles))
    chosen = request.session.get(TENANT_SESSION_KEY)
    at_hand = [tenant for tenant in choices if str(tenant.id) == chosen]
    # A person with one tenant need not choose it.
    if not at_hand and len(choices) == 1:
        at_hand = list(choices)
    if not at_hand:
        return None
    is_operator = bool(getattr(request.user, "is_superuser", False))
    return TenantDesk(at_hand[0], roles[at_hand[0].id], choices, is_operator)


def load_tenant_roles(request: HttpRequest) -> dict[UUID, str]:
    """Return ``{tenant id: role}``. The platform operator (superuser) is a manager of every tenant."""
    user = request.user
    if not isinstance(user, User) or not (user.is_active and user.is_staff):
        return {}
    if user.is_superuser:
        return dict.fromkeys(Tenant.objects.values_list("id", flat=True), Role.MANAGER.value)
    return roles_of_staff(user.pk)


def make_actor(request: HttpRequest) -> Actor:
    user = request.user
    kind = ActorKind.OPERATOR if isinstance(user, User) and user.is_superuser else ActorKind.STAFF
    return Actor(kind, str(user.pk), getattr(request, "request_id", ""))


def annotate_actor_names(records: QuerySet[AuditedRow], field: str = "actor_id") -> QuerySet[AuditedRow]:
    """Annotate the records with ``who``: the name of staff, a key or the command line, or the id of a job."""
    people = When(actor_kind__in=(ActorKind.STAFF, ActorKind.OPERATOR), then=_build_user_name(field))
    keys = When(actor_kind=ActorKind.API_KEY, then=_build_key_name(field))
    return records.annotate(who=Case(people, keys, default=F(field), output_field=CharField()))


def annotate_user_names(rows: QuerySet[Any], field: str) -> QuerySet[Any]:
    """Annotate rows with ``who``: the user name if ``field`` holds the id of a user, the name of the command line, else
    its value."""
    named: QuerySet[Any] = rows.annotate(who=_build_user_name(field))
    return named


def _build_user_name(field: str) -> Coalesce:
    user = User.objects.annotate(as_text=Cast("pk", CharField())).filter(as_text=OuterRef(field))
    command_line = When(**{field: COMMAND_LINE.id}, then=Value(_("command line")))
    other = Case(command_line, default=F(field), output_field=CharField())
    return Coalesce(Subquery(user.values("username")[:1]), other, output_field=CharField())


def _build_key_name(field: str) -> Coalesce:
    named = ApiKey.objects.filter(key_id=OuterRef(field))
    return Coalesce(Subquery(named.values("name")[:1]), F(field), output_field=CharField())


def find_actor_name(reference: str) -> str:
    """Return the user name for "staff:5" or "5"; a reference to anything else as it is."""
    kind, _colon, user_id = reference.rpartition(":")
    if kind not in ("", ActorKind.STAFF, ActorKind.OPERATOR) or not user_id.isdecimal():
        return reference
    # Nine digits fit the column; the reference may hold anything.
    name = User.objects.filter(pk=int(user_id[:9])).values_list("username", flat=True).first()
    return name or reference


def mark_scopeless(view: View) -> View:
    """Mark a console view that runs without a tenant's scope. ``request.desk`` is set all the same."""
    view.tenantless = True  # type: ignore[attr-defined]  # read back by ConsoleSite.admin_view
    return view


def current_desk(request: HttpRequest) -> TenantDesk | None:
    return getattr(request, "desk", None)
