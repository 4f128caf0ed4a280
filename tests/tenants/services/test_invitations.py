"""Invitations: a link that works once, in one tenant, until its time is over. Rows: T1, T3, T7, D14."""

from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from tenants.errors import AlreadyMember, InvitationEnded
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord, Invitation, InvitationDigest, Member, Role
from tenants.services.audit import COMMAND_LINE, Actor
from tenants.services.invitations import (
    CreatedInvitation,
    accept_invitation,
    count_open_invitations,
    create_invitation,
    find_offer,
    renew_invitation,
    revoke_invitation,
)
from tenants.services.tenants import set_member
from tests.conftest import House, World


def invite(house: House, role: Role = Role.SUPPORT, by: Actor = COMMAND_LINE) -> CreatedInvitation:
    with tenant_tx(house.tenant.id):
        return create_invitation(role=role, invitee="Nia", slug=house.tenant.slug, by=by, reason="new colleague")


def make_account() -> User:
    return User.objects.create_user("nia", password="a-good-long-word", is_staff=True)


def change_invitation(house: House, invitation: Invitation, **values: object) -> None:
    with tenant_tx(house.tenant.id):
        Invitation.objects.filter(id=invitation.id).update(**values)


def list_audit(house: House) -> list[tuple[str, str, str]]:
    kinds = ("member", "invitation")
    with tenant_tx(house.tenant.id):
        records = AuditRecord.objects.filter(object_kind__in=kinds).order_by("at", "id")
        return list(records.values_list("action", "object_id", "reason"))


def test_an_invitation_makes_a_member_of_its_tenant_and_role(world: World) -> None:
    created = invite(world.acme)
    offer = find_offer(created.token)
    assert (offer.tenant_id, offer.tenant_name, offer.role) == (world.acme.tenant.id, "Acme", Role.SUPPORT)
    assert timedelta(days=6, hours=23) < offer.expires_at - utc_now() <= timedelta(days=7)
    account = accept_invitation(offer, make_account)
    with tenant_tx(world.acme.tenant.id):
        assert Member.objects.get().user_id == account.pk
        assert count_open_invitations() == 0
    made = str(created.invitation.id)
    assert list_audit(world.acme) == [
        ("member.invited", made, "support: new colleague"),
        ("member.set", str(account.pk), f"support: invitation {made}"),
        ("member.accepted", made, "support"),
    ]
    assert list_audit(world.globex) == []


def test_nothing_but_the_keyed_hash_is_stored(world: World) -> None:
    created = invite(world.acme)
    secret = created.token.rsplit(".", 1)[1]
    with tenant_tx(world.acme.tenant.id):
        assert secret not in str(list(Invitation.objects.values()))
        assert secret not in str(list(AuditRecord.objects.values()))
        with pytest.raises(Exception, match="permission denied"):
            InvitationDigest.objects.count()
    with connection.cursor() as cursor:
        cursor.execute("SELECT digest FROM app.find_invitation(%s, %s)", ["acme", created.invitation.id])
        assert secret.encode() not in bytes(cursor.fetchone()[0])


def spoil(token: str, part: int, text: str) -> str:
    parts = token.split(".")
    parts[part] = text
    return ".".join(parts)


@pytest.mark.parametrize(
    "change",
    [
        lambda token: "",
        lambda token: "x",
        lambda token: token[:-1],
        lambda token: token + "x",
        lambda token: token[:-1] + ("0" if token[-1] != "0" else "1"),
        lambda token: token.upper(),
        lambda token: token + "\x00",
        lambda token: token + " ",
        lambda token: spoil(token, 0, "globex"),
        lambda token: spoil(token, 0, "nobody"),
        lambda token: spoil(token, 0, "ac'me"),
        lambda token: spoil(token, 1, new_id().hex),
        lambda token: spoil(token, 1, "密" * 32),
        lambda token: spoil(token, 2, "0" * 43),
        lambda token: "a" * 100_000,
    ],
)
def test_a_spoilt_link_offers_nothing(world: World, change: Callable[[str], str]) -> None:
    with pytest.raises(InvitationEnded):
        find_offer(change(invite(world.acme).token))


def test_an_id_of_one_tenant_with_the_secret_of_another_offers_nothing(world: World) -> None:
    acme, globex = invite(world.acme).token.split("."), invite(world.globex).token.split(".")
    for mixed in ((acme[0], acme[1], globex[2]), (globex[0], acme[1], acme[2]), (acme[0], globex[1], globex[2])):
        with pytest.raises(InvitationEnded):
            find_offer(".".join(mixed))


def test_a_link_ends_with_its_time_its_use_and_its_revocation(world: World) -> None:
    expired, used, revoked = (invite(world.acme) for _ in range(3))
    offers = {one.invitation.id: find_offer(one.token) for one in (expired, used, revoked)}
    change_invitation(world.acme, expired.invitation, expires_at=utc_now())
    accept_invitation(offers[used.invitation.id], make_account)
    with tenant_tx(world.acme.tenant.id):
        assert revoke_invitation(revoked.invitation, by=COMMAND_LINE, reason="slip")
        assert not revoke_invitation(revoked.invitation, by=COMMAND_LINE, reason="again")
        assert not revoke_invitation(used.invitation, by=COMMAND_LINE, reason="too late")
    for one in (expired, used, revoked):
        with pytest.raises(InvitationEnded):
            find_offer(one.token)
        with pytest.raises(InvitationEnded):
            accept_invitation(offers[one.invitation.id], lambda: User.objects.create_user("late"))
    assert not User.objects.filter(username="late").exists()
    assert [reason for action, _, reason in list_audit(world.acme) if action == "invitation.revoked"] == ["slip"]


def test_a_new_link_ends_the_old_one(world: World) -> None:
    old = invite(world.acme, Role.MANAGER)
    change_invitation(world.acme, old.invitation, expires_at=utc_now())
    with tenant_tx(world.acme.tenant.id):
        new = renew_invitation(old.invitation, slug="acme", by=COMMAND_LINE, reason="lost")
        again = renew_invitation(old.invitation, slug="acme", by=COMMAND_LINE, reason="lost")
    assert again is None
    assert new is not None
    assert find_offer(new.token).role is Role.MANAGER
    assert new.invitation.invitee == "Nia"
    with pytest.raises(InvitationEnded):
        find_offer(old.token)


def test_a_link_that_is_used_twice_at_once_makes_one_member(world: World) -> None:
    offer = find_offer(invite(world.acme).token)
    together, outcomes = Barrier(2), []

    def run(username: str) -> None:
        together.wait(5)
        try:
            accept_invitation(offer, lambda: User.objects.create_user(username, is_staff=True))
            outcomes.append("accepted")
        except InvitationEnded:
            outcomes.append("ended")
        finally:
            connection.close()

    crew = [Thread(target=run, args=(name,)) for name in ("nia", "nora")]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert sorted(outcomes) == ["accepted", "ended"]
    assert User.objects.count() == 1


def test_an_account_that_cannot_be_made_leaves_the_invitation_open(world: World) -> None:
    created = invite(world.acme)
    User.objects.create_user("nia")
    with pytest.raises(IntegrityError):
        accept_invitation(find_offer(created.token), make_account)
    assert find_offer(created.token).role is Role.SUPPORT


def test_a_member_keeps_the_role_and_the_invitation_stays_open(world: World) -> None:
    created, account = invite(world.acme, Role.VIEWER), make_account()
    with tenant_tx(world.acme.tenant.id):
        set_member(account.pk, Role.MANAGER, by=COMMAND_LINE)
    with pytest.raises(AlreadyMember):
        accept_invitation(find_offer(created.token), lambda: account)
    with tenant_tx(world.acme.tenant.id):
        assert Member.objects.get().role == Role.MANAGER
        assert count_open_invitations() == 1


def test_who_lost_the_right_to_invite_does_not_return_by_an_old_link(world: World) -> None:
    mia, olga = (User.objects.create_user(name, is_staff=True) for name in ("mia", "olga"))
    User.objects.filter(pk=olga.pk).update(is_superuser=True)
    with tenant_tx(world.acme.tenant.id):
        set_member(mia.pk, Role.MANAGER, by=COMMAND_LINE)
    tokens = {
        "staff": invite(world.acme, by=Actor(ActorKind.STAFF, str(mia.pk))).token,
        "operator": invite(world.acme, by=Actor(ActorKind.OPERATOR, str(olga.pk))).token,
    }
    for token in tokens.values():
        find_offer(token)
    User.objects.filter(pk=olga.pk).update(is_superuser=False)
    User.objects.filter(pk=mia.pk).update(is_active=False)
    for token in tokens.values():
        with pytest.raises(InvitationEnded):
            find_offer(token)


def test_invitations_of_another_tenant_are_out_of_reach(world: World) -> None:
    theirs = invite(world.acme).invitation
    with tenant_tx(world.globex.tenant.id):
        assert Invitation.objects.count() == 0
        assert not revoke_invitation(theirs, by=COMMAND_LINE, reason="mine")
        assert renew_invitation(theirs, slug="acme", by=COMMAND_LINE, reason="mine") is None
        with connection.cursor() as cursor:
            cursor.execute("UPDATE invitation SET revoked_at = now() WHERE id = %s", [theirs.id])
            assert cursor.rowcount == 0
    assert not list_audit(world.globex)


def test_the_same_id_is_made_once(world: World) -> None:
    ref = UUID(int=7)
    with tenant_tx(world.acme.tenant.id):
        given = {"role": Role.VIEWER, "invitee": "Nia", "slug": "acme", "by": COMMAND_LINE, "reason": ""}
        create_invitation(**given, invitation_ref=ref)  # type: ignore[arg-type]  # one of several types
    with pytest.raises(IntegrityError), tenant_tx(world.acme.tenant.id):
        create_invitation(**given, invitation_ref=ref)  # type: ignore[arg-type]
