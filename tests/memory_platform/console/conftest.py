"""Staff of the test world: Sam supports acme, Mia manages it, Vic looks on; Gus works for globex; Olga operates."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.test import Client
from django.utils import translation

from memory_platform.console.shared.tenant_access import find_desk
from memory_platform.console.shared.tenant_switch_guard import TENANT_FIELD
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, Role, Tenant
from tenants.services.audit import COMMAND_LINE, Actor
from tenants.services.support_sessions import open_support
from tenants.services.tenants import set_member
from tests.conftest import HANDLER, House, World


class Browser(Client):
    """Sends with a form the tenant that its page stood in, as a browser does; here always the one worked in now."""

    def __init__(self) -> None:
        super().__init__()
        self.handler = HANDLER

    def post(self, path: str, data: Any = None, *args: Any, **kwargs: Any) -> Any:  # type: ignore[override]  # as given
        """Send a form; one that names its tenant, or names "", is sent as it is."""
        if data is None or (isinstance(data, dict) and TENANT_FIELD not in data):
            data = {**(data or {}), **self._tenant_named()}
        return super().post(path, data, *args, **kwargs)

    def _tenant_named(self) -> dict[str, str]:
        if settings.SESSION_COOKIE_NAME not in self.cookies:
            return {}
        request = HttpRequest()
        request.session = self.session
        request.user = get_user(request)
        desk = find_desk(request)
        return {TENANT_FIELD: str(desk.tenant.id)} if desk else {}


class Staff:
    """The staff's browsers. All have accounts; each logs in when a test first names it, and few name all.

    A test that counts queries names the browser before it counts.
    """

    def __init__(self, users: Mapping[str, User]) -> None:
        self._users = users

    @cached_property
    def sam(self) -> Client:
        return open_browser(self._users["sam"])

    @cached_property
    def mia(self) -> Client:
        return open_browser(self._users["mia"])

    @cached_property
    def vic(self) -> Client:
        return open_browser(self._users["vic"])

    @cached_property
    def gus(self) -> Client:
        return open_browser(self._users["gus"])

    @cached_property
    def olga(self) -> Client:
        return open_browser(self._users["olga"])


def log_in(username: str, *, tenant: Tenant | None = None, role: Role | None = None) -> Client:
    """Make a member of the staff and log them in."""
    return open_browser(make_user(username, tenant=tenant, role=role))


def make_user(username: str, *, tenant: Tenant | None = None, role: Role | None = None) -> User:
    """Make a member where a tenant is given, an operator otherwise."""
    user = User.objects.create_user(username, is_staff=True, is_superuser=tenant is None)
    if tenant and role:
        with tenant_tx(tenant.id):
            set_member(user.pk, role, by=COMMAND_LINE)
    return user


def open_browser(user: User) -> Client:
    client = Browser()
    client.force_login(user)
    return client


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    """Hash passwords fast: the platform takes 0.2 s for each, a minute in all of these tests."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def acme(world: World) -> House:
    return world.acme


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
    return log_in_staff(world)


def log_in_staff(world: World) -> Staff:
    """Give five people accounts; the operator opens a support session in both tenants."""
    acme, globex = world.acme.tenant, world.globex.tenant
    users = (
        make_user("sam", tenant=acme, role=Role.SUPPORT),
        make_user("mia", tenant=acme, role=Role.MANAGER),
        make_user("vic", tenant=acme, role=Role.VIEWER),
        make_user("gus", tenant=globex, role=Role.SUPPORT),
        make_user("olga"),
    )
    open_support_for("olga", acme, globex)
    return Staff({user.username: user for user in users})
