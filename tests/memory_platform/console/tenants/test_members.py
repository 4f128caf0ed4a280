"""Members: the last manager stays, nobody leaves by a slip, nobody is added by name. Rows: D2, T3, T7, D14."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from memory_platform.kernel.ids import new_id
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Member, Role
from tenants.services.audit import COMMAND_LINE
from tenants.services.invitations import accept_invitation, create_invitation, find_offer
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.shared.desks import MEMBERS, join_tenant, read_page_text, switch_tenant

REFUSAL = "mia is the last active manager of this tenant"
ADVICE = "Make somebody else a manager first: change the role of a member, or invite a manager."


def find_member(house: House, username: str) -> Member:
    with tenant_tx(house.tenant.id):
        return Member.objects.get(user__username=username)


def list_roles(house: House) -> dict[str, str]:
    with tenant_tx(house.tenant.id):
        return dict(Member.objects.values_list("user__username", "role"))


def send_form(client: Client, house: House, username: str, way: str, **values: str) -> str:
    """Take somebody's membership or role away by one of the console's forms; return what the page then says."""
    member = find_member(house, username)
    page = f"{MEMBERS}{member.pk}/"
    forms: dict[str, tuple[str, dict[str, Any]]] = {
        "form": (f"{page}change/", {"role": "support"}),
        "page": (f"{page}delete/", {"post": "yes"}),
        "list": (MEMBERS, {"action": "remove", "_selected_action": [str(member.pk)]}),
    }
    address, body = forms[way]
    answer: Any = client.post(address, {**body, "reason": "reorganised", **values}, follow=True)
    assert answer.status_code == 200
    return read_messages(answer)


def read_messages(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", answer.content.decode()).split())


@pytest.mark.parametrize("way", ["form", "page", "list"])
@pytest.mark.parametrize("who", ["mia", "olga"])
def test_the_last_manager_stays_by_whatever_form(acme: House, staff: Staff, way: str, who: str) -> None:
    switch_tenant(staff.olga, acme)
    client = staff.mia if who == "mia" else staff.olga
    before = list_roles(acme)
    shown = send_form(client, acme, "mia", way)
    if way == "list" and who == "mia":
        assert "you chose yourself, too" in shown
    else:
        assert REFUSAL in shown
        assert ADVICE in shown
    assert list_roles(acme) == before
    with tenant_tx(acme.tenant.id):
        assert not AuditRecord.objects.filter(action__in=("member.removed", "member.changed")).exists()


def test_all_members_at_once_are_not_removed(acme: House, staff: Staff) -> None:
    switch_tenant(staff.olga, acme)
    before = list_roles(acme)
    chosen = [str(find_member(acme, name).pk) for name in before]
    body = {"action": "remove", "_selected_action": chosen, "reason": "clean up"}
    assert REFUSAL in read_messages(staff.olga.post(MEMBERS, body, follow=True))
    assert list_roles(acme) == before


def test_the_page_that_would_remove_the_last_manager_has_no_form(acme: House, staff: Staff) -> None:
    page = staff.mia.get(f"{MEMBERS}{find_member(acme, 'mia').pk}/delete/").content.decode()
    assert REFUSAL in page
    assert 'name="post"' not in page
    assert "/console/tenants/invitation/add/" in page


@pytest.mark.parametrize("way", ["form", "page"])
def test_a_manager_who_is_not_the_last_may_go_after_reading_what_is_lost(acme: House, staff: Staff, way: str) -> None:
    join_tenant(acme.tenant, "sam", Role.MANAGER)
    page = f"{MEMBERS}{find_member(acme, 'mia').pk}/"
    if way == "form":
        assert "With the role of a manager you lose" in read_page_text(staff.mia.get(f"{page}change/"))
        assert "this is your own role. Tick the box" in send_form(staff.mia, acme, "mia", way)
        assert list_roles(acme)["mia"] == Role.MANAGER
        send_form(staff.mia, acme, "mia", way, accepts_loss="on")
        assert list_roles(acme)["mia"] == Role.SUPPORT
    else:
        assert "This is you, manager of Acme" in read_page_text(staff.mia.get(f"{page}delete/"))
        assert "not a member of any tenant yet" in send_form(staff.mia, acme, "mia", way)
        assert "mia" not in list_roles(acme)


def test_the_list_does_not_remove_the_person_who_acts(acme: House, staff: Staff) -> None:
    join_tenant(acme.tenant, "sam", Role.MANAGER)
    chosen = [str(find_member(acme, name).pk) for name in ("mia", "vic")]
    body = {"action": "remove", "_selected_action": chosen, "reason": "reorganised"}
    page = staff.mia.post(MEMBERS, body, follow=True).content.decode()
    assert f"{MEMBERS}{find_member(acme, 'mia').pk}/delete/" in page
    assert set(list_roles(acme)) == {"sam", "mia", "vic"}


def test_a_form_without_a_change_leaves_a_role_to_the_group_that_gave_it(acme: House, staff: Staff) -> None:
    member = find_member(acme, "vic")
    with tenant_tx(acme.tenant.id):
        Member.objects.filter(pk=member.pk).update(from_groups=True)
    send_form(staff.mia, acme, "vic", "form", role=member.role)
    assert find_member(acme, "vic").from_groups
    send_form(staff.mia, acme, "vic", "form", role="support")
    assert not find_member(acme, "vic").from_groups


def test_somebody_elses_role_is_not_asked_twice(acme: House, staff: Staff) -> None:
    page = staff.mia.get(f"{MEMBERS}{find_member(acme, 'sam').pk}/change/").content.decode()
    assert "accepts_loss" not in page
    assert "accepts_loss" not in staff.vic.get(f"{MEMBERS}{find_member(acme, 'vic').pk}/change/").content.decode()
    page = f"{MEMBERS}{find_member(acme, 'sam').pk}/change/"
    assert staff.mia.post(page, {"role": "viewer", "reason": "less"}).status_code == 302
    assert list_roles(acme)["sam"] == Role.VIEWER


def test_nobody_is_added_by_user_name(acme: House, staff: Staff) -> None:
    log_in("nia")
    switch_tenant(staff.olga, acme)
    answers = []
    for client in (staff.mia, staff.olga):
        for name in ("nia", "gus", "nobody"):
            answer = client.post(f"{MEMBERS}add/", {"username": name, "role": "viewer", "reason": "x"})
            answers.append((answer.status_code, answer.content.decode().count(name)))
    assert set(answers) == {(403, 0)}
    assert f"{MEMBERS}add/" not in staff.mia.get(MEMBERS).content.decode()
    assert set(list_roles(acme)) == {"sam", "mia", "vic"}


def test_the_list_leads_managers_to_invitations(acme: House, staff: Staff) -> None:
    assert "/console/tenants/invitation/add/" in staff.mia.get(MEMBERS).content.decode()
    assert "/console/tenants/invitation/" not in staff.sam.get(MEMBERS).content.decode()


def test_another_tenants_manager_gets_what_nobody_has(world: World, staff: Staff) -> None:
    join_tenant(world.globex.tenant, "gus", Role.MANAGER)
    before, sam = list_roles(world.acme), find_member(world.acme, "sam")
    for act, body in (("change", {"role": "viewer"}), ("delete", {"post": "yes"}), ("history", {})):
        theirs, nobodys = (
            staff.gus.post(f"{MEMBERS}{row}/{act}/", {**body, "reason": "mine"}) for row in (sam.pk, new_id())
        )
        assert (theirs.status_code, theirs.headers.get("Location")) == (
            nobodys.status_code,
            nobodys.headers.get("Location"),
        )
    staff.gus.post(MEMBERS, {"action": "remove", "_selected_action": [str(sam.pk)], "reason": "mine"})
    assert list_roles(world.acme) == before


def send_account(client: Client, username: str, **values: str) -> Any:
    user = User.objects.get(username=username)
    body = {"username": username, "first_name": "", "last_name": "", "email": ""}
    return client.post(f"/console/auth/user/{user.pk}/change/", {**body, **values})


def test_the_account_of_a_last_manager_stays_active(world: World, staff: Staff) -> None:
    switch_tenant(staff.olga, world.globex)
    join_tenant(world.globex.tenant, "mia", Role.MANAGER)
    answer = send_account(staff.olga, "mia")
    assert answer.status_code == 200
    assert "the last active manager of: Acme, Globex" in answer.content.decode()
    assert User.objects.get(username="mia").is_active
    join_tenant(world.acme.tenant, "sam", Role.MANAGER)
    join_tenant(world.globex.tenant, "gus", Role.MANAGER)
    assert send_account(staff.olga, "mia").status_code == 302
    assert not User.objects.get(username="mia").is_active
    assert send_account(staff.olga, "mia").status_code == 302
    assert send_account(staff.olga, "vic").status_code == 302
    assert "the last active manager of: Acme" in send_account(staff.olga, "sam").content.decode()


def test_the_last_operator_stays_one(world: World, staff: Staff) -> None:
    switch_tenant(staff.olga, world.globex)
    for lost in ({"is_active": "on"}, {"is_superuser": "on"}):
        assert "the last operator" in send_account(staff.olga, "olga", **lost).content.decode()
    olga = User.objects.get(username="olga")
    assert (olga.is_active, olga.is_superuser) == (True, True)
    assert send_account(staff.olga, "vic", is_active="on", is_superuser="on").status_code == 302
    assert send_account(staff.olga, "olga", is_active="on").status_code == 302
    assert not User.objects.get(username="olga").is_superuser


def test_no_account_is_deleted(world: World, staff: Staff) -> None:
    switch_tenant(staff.olga, world.acme)
    mia = User.objects.get(username="mia")
    assert staff.olga.post(f"/console/auth/user/{mia.pk}/delete/", {"post": "yes"}).status_code == 403
    body = {"action": "delete_selected", "_selected_action": [str(mia.pk)], "post": "yes"}
    staff.olga.post("/console/auth/user/", body)
    assert User.objects.filter(username="mia", is_active=True).exists()


def test_the_page_of_an_account_has_no_hash_and_a_way_to_each_act(world: World, staff: Staff) -> None:
    mia = User.objects.get(username="mia")
    mia.set_password("a-good-long-word-41")
    mia.save()
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    page = staff.olga.get(f"/console/auth/user/{mia.pk}/change/").content.decode()
    assert "<bdi>mia</bdi>" in page
    assert all(word in page for word in ("Operator of the platform", f"{mia.pk}/access/", f"{mia.pk}/password/"))
    assert not any(word in page for word in ("salt", "Superuser", mia.password, "Change user"))
    added = staff.olga.get("/console/auth/user/add/").content.decode()
    assert "Password-based" not in added
    assert "works in no tenant yet" in added
    sent = {"username": "pia", "email": "", "password1": "a-good-long-word-41", "password2": "a-good-long-word-41"}
    staff.olga.post("/console/auth/user/add/", sent)
    assert User.objects.get(username="pia").is_staff
    other = {"password1": "another-long-word-41", "password2": "another-long-word-41", "set-password": "1"}
    assert staff.olga.post(f"/console/auth/user/{mia.pk}/password/", other).status_code == 302
    mia.refresh_from_db()
    assert mia.check_password("another-long-word-41")


def test_a_member_who_was_invited_came_by_invitation(acme: House, staff: Staff) -> None:
    with tenant_tx(acme.tenant.id):
        made = create_invitation(role=Role.VIEWER, invitee="Nia", slug="acme", by=COMMAND_LINE, reason="")
    nia = User.objects.create_user("nia", is_staff=True)
    with tenant_tx(acme.tenant.id):  # long before
        Member.objects.update(created_at=timezone.now() - timedelta(days=1))
    accept_invitation(find_offer(made.token), lambda: nia)
    page = staff.mia.get("/console/tenants/member/?added=invitation").content.decode()
    rows = page.partition('id="result_list"')[2].partition("</table>")[0]
    assert "nia" in rows
    assert "mia" not in rows
    with tenant_tx(acme.tenant.id):
        member = Member.objects.get(user_id=nia.pk)
    assert "Remove nia" in staff.mia.get(f"/console/tenants/member/{member.pk}/delete/").content.decode()
