"""A tenant that has a manager keeps one, whoever takes managers away at the same moment. Rows: T3, T7."""

import time
from collections.abc import Callable
from threading import Barrier, Thread

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from tenants.errors import LastManager
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord, Invitation, Member, Role, Tenant
from tenants.services.audit import COMMAND_LINE, Actor
from tenants.services.invitations import create_invitation
from tenants.services.tenants import (
    is_last_manager,
    list_tenants_managed_alone,
    remove_member,
    require_another_manager,
    set_member,
)
from tests.conftest import World


def join(tenant: Tenant, username: str, role: Role = Role.MANAGER) -> int:
    user, _ = User.objects.get_or_create(username=username, defaults={"is_staff": True})
    with tenant_tx(tenant.id):
        set_member(user.pk, role, by=COMMAND_LINE)
    return user.pk


def list_managers(tenant: Tenant) -> list[str]:
    with tenant_tx(tenant.id):
        managers = Member.objects.filter(role=Role.MANAGER, user__is_active=True).order_by("user__username")
        return list(managers.values_list("user__username", flat=True))


def remove(tenant: Tenant, user_id: int) -> None:
    with tenant_tx(tenant.id):
        remove_member(user_id, by=COMMAND_LINE, reason="left")


def demote(tenant: Tenant, user_id: int) -> None:
    with tenant_tx(tenant.id):
        set_member(user_id, Role.SUPPORT, by=COMMAND_LINE)


def deactivate(tenant: Tenant, user_id: int) -> None:
    """Do what the operator's page does: look, and save in the same transaction."""
    with transaction.atomic():
        if list_tenants_managed_alone(user_id):
            raise LastManager
        User.objects.filter(pk=user_id).update(is_active=False)


WAYS = [remove, demote, deactivate]


@pytest.mark.parametrize("take_away", WAYS)
def test_the_last_manager_stays(world: World, take_away: Callable[[Tenant, int], None]) -> None:
    acme = world.acme.tenant
    mia, sam = join(acme, "mia"), join(acme, "sam", Role.SUPPORT)
    with pytest.raises(LastManager):
        take_away(acme, mia)
    assert list_managers(acme) == ["mia"]
    take_away(acme, sam)
    join(acme, "max")
    take_away(acme, mia)
    assert list_managers(acme) == ["max"]


@pytest.mark.parametrize("first", WAYS)
@pytest.mark.parametrize("second", WAYS)
def test_two_managers_who_take_each_other_away_leave_one(
    world: World, first: Callable[[Tenant, int], None], second: Callable[[Tenant, int], None]
) -> None:
    acme = world.acme.tenant
    mia, max_ = join(acme, "mia"), join(acme, "max")
    together, refused = Barrier(2), []

    def run(take_away: Callable[[Tenant, int], None], user_id: int) -> None:
        together.wait(5)
        try:
            take_away(acme, user_id)
        except LastManager:
            refused.append(user_id)
        finally:
            connection.close()

    crew = [Thread(target=run, args=(first, mia)), Thread(target=run, args=(second, max_))]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert len(refused) == 1
    assert len(list_managers(acme)) == 1


def test_the_second_connection_waits_for_the_first_to_commit(world: World) -> None:
    acme = world.acme.tenant
    mia, max_ = join(acme, "mia"), join(acme, "max")
    outcomes: list[str] = []

    def remove_max() -> None:
        try:
            remove(acme, max_)
            outcomes.append("removed")
        except LastManager:
            outcomes.append("refused")
        finally:
            connection.close()

    other = Thread(target=remove_max)
    with tenant_tx(acme.id):
        remove_member(mia, by=COMMAND_LINE, reason="left")
        other.start()
        time.sleep(0.5)
        assert outcomes == []
    other.join()
    assert outcomes == ["refused"]


def test_a_deactivated_manager_counts_for_nothing(world: World) -> None:
    acme = world.acme.tenant
    mia = join(acme, "mia")
    User.objects.filter(pk=join(acme, "max")).update(is_active=False)
    with pytest.raises(LastManager):
        remove(acme, mia)


def test_managers_of_another_tenant_count_for_nothing(world: World) -> None:
    mia = join(world.acme.tenant, "mia")
    join(world.globex.tenant, "mia")
    join(world.globex.tenant, "gus")
    assert [tenant.slug for tenant in list_tenants_managed_alone(mia)] == ["acme"]
    with pytest.raises(LastManager):
        remove(world.acme.tenant, mia)
    remove(world.globex.tenant, mia)
    assert list_managers(world.globex.tenant) == ["gus"]


def test_who_is_no_manager_is_no_last_one(world: World) -> None:
    sam = join(world.acme.tenant, "sam", Role.SUPPORT)
    assert list_tenants_managed_alone(sam) == []
    with tenant_tx(world.acme.tenant.id):
        assert not is_last_manager(sam)
        require_another_manager(sam)
    remove(world.acme.tenant, sam)
    remove(world.acme.tenant, sam)
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.filter(action="member.removed").count() == 1


@pytest.mark.parametrize("take_away", [remove, demote])
def test_open_invitations_end_with_the_role_of_who_made_them(
    world: World, take_away: Callable[[Tenant, int], None]
) -> None:
    acme = world.acme.tenant
    mia, max_ = join(acme, "mia"), join(acme, "max")
    with tenant_tx(acme.id):
        for manager in (mia, max_):
            by = Actor(ActorKind.STAFF, str(manager))
            create_invitation(role=Role.VIEWER, invitee="Nia", slug="acme", by=by, reason="new")
    take_away(acme, mia)
    with tenant_tx(acme.id):
        assert Invitation.objects.get(actor_id=str(mia)).revoked_at is not None
        assert Invitation.objects.get(actor_id=str(max_)).revoked_at is None
        assert AuditRecord.objects.filter(action="invitation.revoked").count() == 1
