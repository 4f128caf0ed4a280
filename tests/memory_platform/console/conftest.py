"""Staff of the test world: Sam supports acme, Mia manages it, Vic looks on; Gus works for globex; Olga operates."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from tenants.isolation import tenant_tx
from tenants.models import ActorKind, Role, Tenant
from tenants.services.audit import COMMAND_LINE, Actor
from tenants.services.support import open_support
from tenants.services.tenants import set_member
from tests.conftest import World


@dataclass(frozen=True, slots=True)
class Staff:
    """Logged-in browsers of the staff."""

    sam: Client
    mia: Client
    vic: Client
    gus: Client
    olga: Client


def log_in(username: str, *, tenant: Tenant | None = None, role: Role | None = None) -> Client:
    """Make a staff log-in, a member where a tenant is given, an operator otherwise."""
    user = User.objects.create_user(username, is_staff=True, is_superuser=tenant is None)
    if tenant and role:
        with tenant_tx(tenant.id):
            set_member(user.pk, role, by=COMMAND_LINE)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Start in English, and leave no language of a request behind in this thread."""
    with translation.override("en"):
        yield


def open_support_for(username: str, *tenants: Tenant) -> None:
    """Let an operator see the people of these tenants for a while."""
    by = Actor(ActorKind.OPERATOR, str(User.objects.get(username=username).pk))
    for tenant in tenants:
        with tenant_tx(tenant.id):
            open_support(by=by, reason="tests")


@pytest.fixture
def staff(world: World) -> Staff:
    """Five people at their browsers; the operator has a support session in both tenants."""
    acme, globex = world.acme.tenant, world.globex.tenant
    people = Staff(
        sam=log_in("sam", tenant=acme, role=Role.SUPPORT),
        mia=log_in("mia", tenant=acme, role=Role.MANAGER),
        vic=log_in("vic", tenant=acme, role=Role.VIEWER),
        gus=log_in("gus", tenant=globex, role=Role.SUPPORT),
        olga=log_in("olga"),
    )
    open_support_for("olga", acme, globex)
    return people
