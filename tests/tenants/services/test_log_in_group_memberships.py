"""Memberships from groups follow the groups; no hand-given role and no last manager is taken. Rows: D14, T3, T7."""

import threading
from collections.abc import Mapping

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord, Member, Role
from tenants.selectors import roles_of_staff
from tenants.services.audit import COMMAND_LINE, Actor
from tenants.services.log_in_group_memberships import sync_group_memberships
from tenants.services.tenants import set_member
from tests.conftest import House, World

OIDC = Actor(ActorKind.OPERATOR, "oidc")


@pytest.fixture
def pat(world: World) -> User:
    return User.objects.create_user("pat", is_staff=True)


def match(user: User, roles: Mapping[House, Role]) -> None:
    wanted = {house.tenant.id: role for house, role in roles.items()}
    sync_group_memberships(user.pk, wanted, member_of=roles_of_staff(user.pk), by=OIDC)


def list_roles(house: House) -> dict[str, tuple[str, bool]]:
    with tenant_tx(house.tenant.id):
        return {row.user.username: (row.role, row.from_groups) for row in Member.objects.select_related("user")}


def list_actions(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        return list(AuditRecord.objects.filter(actor_id="oidc").order_by("at").values_list("action", flat=True))


def test_roles_are_gained_changed_and_lost(world: World, pat: User) -> None:
    acme, globex = world.acme, world.globex
    match(pat, {acme: Role.SUPPORT})
    match(pat, {acme: Role.MANAGER, globex: Role.VIEWER})
    assert list_roles(acme) == {"pat": ("manager", True)}
    with tenant_tx(acme.tenant.id):
        set_member(User.objects.create_user("mo").pk, Role.MANAGER, by=COMMAND_LINE)
    match(pat, {globex: Role.VIEWER})
    assert list_roles(acme) == {"mo": ("manager", False)}
    assert list_actions(acme) == ["member.set", "member.set", "member.removed"]
    assert list_actions(globex) == ["member.set"]


def test_what_a_manager_decides_is_no_longer_the_groups(world: World, pat: User) -> None:
    match(pat, {world.acme: Role.SUPPORT})
    with tenant_tx(world.acme.tenant.id):
        set_member(pat.pk, Role.VIEWER, by=COMMAND_LINE)
    match(pat, {world.acme: Role.MANAGER})
    match(pat, {})
    assert list_roles(world.acme) == {"pat": ("viewer", False)}
    assert list_actions(world.acme) == ["member.set"]


def test_two_managers_who_lose_their_groups_at_once_leave_one(world: World, pat: User) -> None:
    people = [pat, User.objects.create_user("pia", is_staff=True)]
    for person in people:
        match(person, {world.acme: Role.MANAGER})
    start = threading.Barrier(2)

    def lose(person: User) -> None:
        start.wait()
        match(person, {})
        connection.close()

    threads = [threading.Thread(target=lose, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [role for role, _ in list_roles(world.acme).values()] == ["manager"]
    assert sorted(list_actions(world.acme)[2:]) == ["member.kept", "member.removed"]
