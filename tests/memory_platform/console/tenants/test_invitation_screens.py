"""Managers invite by link: shown once, revoked, made anew, mailed; within their tenant. Rows: D2, D14, T1, T3, T7."""

import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from tenants.errors import InvitationEnded
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Invitation, Role
from tenants.services.invitations import find_offer
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.shared.desks import read_page_text, switch_tenant
from tests.memory_platform.console.tenants.invitations import (
    ADD,
    LINK,
    LIST,
    fill_form,
    invite,
    list_actions,
    list_invitations,
    run_mail_server,
)

ADDRESS = "nia@example.com"


def token_of(link: str) -> str:
    return link.partition("#")[2]


def is_open(link: str) -> bool:
    try:
        find_offer(token_of(link))
    except InvitationEnded:
        return False
    return True


def run_action(client: Client, action: str, invitation_id: UUID, reason: str = "slip") -> Any:
    body = {"action": action, "_selected_action": [str(invitation_id)], "reason": reason}
    return client.post(LIST, body, follow=True)


def test_a_link_is_shown_once_and_stands_nowhere_else(acme: House, staff: Staff) -> None:
    answer = staff.mia.post(ADD, fill_form(staff.mia))
    (link,) = LINK.findall(answer.content.decode())
    assert is_open(link)
    assert "no-store" in answer["Cache-Control"]
    assert "this platform has no mail server" in read_page_text(answer)
    secret = token_of(link).rsplit(".", 1)[1]
    (made,) = list_invitations(acme)
    for page in (LIST, f"{LIST}{made.pk}/change/", f"{LIST}{made.pk}/history/", "/console/tenants/auditrecord/"):
        shown = staff.mia.get(page)
        assert shown.status_code == 200
        assert secret not in shown.content.decode(), page
    assert all(secret not in cookie.value for cookie in staff.mia.cookies.values())
    assert all(secret not in str(session.get_decoded()) for session in Session.objects.all())
    with tenant_tx(acme.tenant.id):
        assert secret not in str(list(AuditRecord.objects.values()))
        record = AuditRecord.objects.get(action="member.invited")
    assert (record.object_id, record.reason) == (str(made.pk), "support: new colleague")
    assert "Nia" not in str(vars(record))


def test_the_link_has_the_origin_that_the_browser_names(acme: House, staff: Staff) -> None:
    sent = fill_form(staff.mia)
    answer = staff.mia.post(ADD, sent, headers={"Origin": "https://memory.example.com"}).content.decode()
    assert 'data-copy="https://memory.example.com/console/invitation/#acme.' in answer


def test_a_form_that_is_sent_twice_makes_one_invitation(acme: House, staff: Staff) -> None:
    sent = fill_form(staff.mia)
    first, second = (staff.mia.post(ADD, sent).content.decode() for _ in "12")
    assert len(LINK.findall(first)) == 1
    assert LINK.findall(second) == []
    assert "has already made an invitation" in second
    assert len(list_invitations(acme)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"role": ""},
        {"role": "operator"},
        {"role": "owner"},
        {"invitee": ""},
        {"invitee": " \u200b "},
        {"invitee": "x" * 201},
        {"reason": ""},
        {"reason": "\u202e"},
        {"sheet": "x"},
        {"invitee": "a\x00b"},
    ],
)
def test_an_invitation_that_cannot_be_is_asked_for_again(acme: House, staff: Staff, wrong: dict[str, str]) -> None:
    answer = staff.mia.post(ADD, fill_form(staff.mia, **wrong))
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    assert list_invitations(acme) == []


def test_a_manager_sees_what_is_open_for_whom_until_when_and_by_whom(acme: House, staff: Staff) -> None:
    invite(staff.mia)
    invite(staff.mia, invitee="<b>Old</b>", role="viewer")
    with tenant_tx(acme.tenant.id):
        Invitation.objects.filter(role="viewer").update(expires_at=utc_now() - timedelta(days=1))
    page = read_page_text(staff.mia.get(LIST))
    assert re.search(r"Nia 王\s*support\s*open", page)
    assert "mia" in page
    assert "Old" not in page
    assert "expired" in read_page_text(staff.mia.get(f"{LIST}?state=expired"))
    everything = staff.mia.get(f"{LIST}?state=all").content.decode()
    assert "&lt;b&gt;Old" in everything
    assert "Nia 王" in everything
    assert "1 open invitation<" in staff.mia.get("/console/tenants/member/").content.decode()


def test_a_revoked_link_works_no_longer(acme: House, staff: Staff) -> None:
    link = invite(staff.mia)
    (made,) = list_invitations(acme)
    assert "give a reason" in run_action(staff.mia, "revoke", made.pk, reason="").content.decode()
    assert is_open(link)
    assert "the links no longer work" in run_action(staff.mia, "revoke", made.pk).content.decode()
    assert not is_open(link)
    assert "Nothing was done" in run_action(staff.mia, "revoke", made.pk).content.decode()
    assert list_actions(acme) == ["member.invited", "invitation.revoked"]
    assert "revoked" in read_page_text(staff.mia.get(f"{LIST}?state=revoked"))


def test_a_new_link_takes_the_place_of_the_old_one(acme: House, staff: Staff) -> None:
    old = invite(staff.mia)
    (first,) = list_invitations(acme)
    (new,) = LINK.findall(run_action(staff.mia, "renew", first.pk, reason="").content.decode())
    assert not is_open(old)
    assert is_open(new)
    again = run_action(staff.mia, "renew", first.pk).content.decode()
    assert LINK.findall(again) == []
    assert "Nothing was done" in again
    assert len(list_invitations(acme)) == 2


def test_support_and_viewers_neither_see_nor_make_invitations(acme: House, staff: Staff) -> None:
    sent, link = fill_form(staff.mia), invite(staff.mia)
    (made,) = list_invitations(acme)
    for client in (staff.sam, staff.vic):
        assert client.get(LIST).status_code == 403
        assert client.get(f"{LIST}{made.pk}/change/").status_code == 403
        assert client.post(ADD, sent).status_code == 403
        assert run_action(client, "revoke", made.pk).status_code == 403
        assert "tenants/invitation" not in client.get("/console/").content.decode()
    assert is_open(link)
    assert len(list_invitations(acme)) == 1


def test_nobody_changes_or_deletes_an_invitation(acme: House, staff: Staff) -> None:
    invite(staff.mia)
    (made,) = list_invitations(acme)
    assert staff.mia.post(f"{LIST}{made.pk}/change/", {"role": "manager", "invitee": "x"}).status_code == 403
    assert staff.mia.post(f"{LIST}{made.pk}/delete/", {"post": "yes"}).status_code == 403
    (same,) = list_invitations(acme)
    assert (same.role, same.invitee) == (made.role, made.invitee)


def test_another_tenants_manager_gets_what_nobody_has(world: World, staff: Staff) -> None:
    gia = log_in("gia", tenant=world.globex.tenant, role=Role.MANAGER)
    link = invite(staff.mia)
    (made,) = list_invitations(world.acme)
    assert "Nia" not in gia.get(f"{LIST}?state=all").content.decode()
    for act in ("change", "history", "delete"):
        theirs, nobodys = (gia.get(f"{LIST}{row}/{act}/") for row in (made.pk, new_id()))
        assert theirs.status_code == nobodys.status_code
        assert "Nia" not in theirs.content.decode()
    for action in ("revoke", "renew"):
        pages = [read_page_text(run_action(gia, action, row)) for row in (made.pk, new_id())]
        assert pages[0] == pages[1]
        assert not LINK.findall(pages[0])
    assert is_open(link)
    assert list_actions(world.acme) == ["member.invited"]
    assert list_actions(world.globex) == []


def test_the_operator_invites_the_first_manager_of_a_new_tenant(world: World, staff: Staff) -> None:
    switch_tenant(staff.olga, world.globex)
    link = invite(staff.olga, role="manager")
    offer = find_offer(token_of(link))
    assert (offer.tenant_name, offer.role) == ("Globex", Role.MANAGER)
    User.objects.filter(username="olga").update(is_superuser=False)
    assert not is_open(link)


def test_a_link_is_mailed_to_an_address(acme: House, staff: Staff, settings: Settings) -> None:
    with run_mail_server(settings) as server:
        answer = staff.mia.post(ADD, fill_form(staff.mia, invitee=ADDRESS))
        assert "The link was mailed to this address." in read_page_text(answer)
        (link,) = LINK.findall(answer.content.decode())
        no_address = staff.mia.post(ADD, fill_form(staff.mia))
        assert "is not an e-mail address" in read_page_text(no_address)
    (mail,) = server.mails
    assert (mail["To"], mail["From"], mail["Subject"]) == (ADDRESS, "console@example.com", "Invitation to Acme")
    body = mail.get_payload(decode=True).decode()  # type: ignore[union-attr]  # one part
    assert link in body
    assert "mia invites you to work on the memory platform for Acme, as support." in body
    assert re.search(r"until .*\d{4}.* UTC", body)


def test_a_mail_that_cannot_be_sent_is_said_and_the_link_is_shown(
    acme: House, staff: Staff, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with run_mail_server(settings, refuses=True) as server:
        answer = staff.mia.post(ADD, fill_form(staff.mia, invitee=ADDRESS))
        assert "the mail server did not take it" in read_page_text(answer)
        assert is_open(LINK.findall(answer.content.decode())[0])
        assert server.mails == []
    answer = staff.mia.post(ADD, fill_form(staff.mia, invitee=ADDRESS))  # nothing listens there any more
    assert "the mail server does not answer" in read_page_text(answer)
    assert is_open(LINK.findall(answer.content.decode())[0])
    chosen = [str(one.pk) for one in list_invitations(acme)]
    answer = staff.mia.post(LIST, {"action": "renew", "_selected_action": chosen})
    assert len(LINK.findall(answer.content.decode())) == 2
    assert read_page_text(answer).count("the mail server does not answer") == 2
    assert ADDRESS not in caplog.text


def test_a_name_of_two_lines_breaks_no_header(acme: House, staff: Staff, settings: Settings) -> None:
    with tenant_tx(acme.tenant.id):
        type(acme.tenant).objects.filter(pk=acme.tenant.pk).update(name="Acme\r\nBcc: eve@example.com")
    with run_mail_server(settings) as server:
        staff.mia.post(ADD, fill_form(staff.mia, invitee=ADDRESS))
    assert server.mails[0]["Bcc"] is None
    assert server.mails[0]["Subject"] == "Invitation to Acme Bcc: eve@example.com"


def test_it_is_said_in_chinese(acme: House, staff: Staff, settings: Settings) -> None:
    staff.mia.post("/i18n/setlang/", {"language": "zh-hans", "next": "/console/"})
    with run_mail_server(settings) as server:
        page = read_page_text(staff.mia.post(ADD, fill_form(staff.mia, invitee=ADDRESS)))
    assert "链接" in page
    assert "The link" not in page
    assert "邀请" in str(server.mails[0].get_payload(decode=True).decode())  # type: ignore[union-attr]
