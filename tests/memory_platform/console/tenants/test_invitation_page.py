"""Whoever has a link becomes a member with it, once; a dead link tells nothing. Rows: D2, D14, T1, T3, T7."""

import re
from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from allauth.core.ratelimit import clear
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Invitation, Member, Role
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.shared.desks import read_page_text
from tests.memory_platform.console.tenants.invitations import (
    ACCEPT,
    LIST,
    PAGE,
    invite,
    list_actions,
    list_invitations,
)

PASSWORD = "a-good-long-word-41"


@pytest.fixture(autouse=True)
def fresh_tries(world: World, rf: RequestFactory) -> None:
    clear(rf.post(ACCEPT), action="invitation")


def send(client: Client, link: str, **values: str) -> Any:
    return client.post(ACCEPT, {"token": link.partition("#")[2], **values})


def create(client: Client, link: str, username: str = "nia", password: str = PASSWORD, **values: str) -> Any:
    passwords = {"password1": password, "password2": password}
    return send(client, link, act="create", username=username, **{**passwords, **values})


def list_roles(house: House) -> dict[str, str]:
    with tenant_tx(house.tenant.id):
        return dict(Member.objects.values_list("user__username", "role"))


def test_a_newcomer_makes_an_account_and_works_in_the_tenant(acme: House, staff: Staff) -> None:
    link, nia = invite(staff.mia), Client()
    assert "Paste the link" in nia.get(PAGE).content.decode()
    offer = send(nia, link)
    assert "You are invited to Acme. Your role: support." in read_page_text(offer)
    assert list_roles(acme).keys() == {"sam", "mia", "vic"}
    assert create(nia, link)["Location"] == "/console/"
    page = nia.get("/console/").content.decode()
    assert "Welcome to Acme. Your role is: support." in page
    account = User.objects.get(username="nia")
    assert (account.is_staff, account.is_superuser, account.is_active) == (True, False, True)
    assert account.check_password(PASSWORD)
    assert list_roles(acme)["nia"] == Role.SUPPORT
    assert list_actions(acme) == ["member.invited", "member.accepted"]
    with tenant_tx(acme.tenant.id):
        record = AuditRecord.objects.get(action="member.accepted")
    assert (record.actor_kind, record.actor_id) == ("staff", str(account.pk))
    assert "accepted" in read_page_text(staff.mia.get(f"{LIST}?state=accepted"))
    assert Client().login(username="nia", password=PASSWORD)


def test_to_open_a_link_changes_nothing(acme: House, staff: Staff) -> None:
    """Mail scanners open links, some with scripts, some of them often."""
    link, scanner = invite(staff.mia), Client()
    before = [vars(one) | {"_state": None} for one in list_invitations(acme)]
    for _ in range(3):
        assert scanner.get(link).status_code == 200
        assert scanner.head(link).status_code == 200
        assert send(scanner, link).status_code == 200
    assert [vars(one) | {"_state": None} for one in list_invitations(acme)] == before
    assert list_actions(acme) == ["member.invited"]
    assert User.objects.count() == 5
    assert scanner.get(ACCEPT)["Location"] == PAGE
    assert scanner.post(PAGE, {"token": link}).status_code == 405
    for method in ("put", "patch", "delete"):
        assert getattr(scanner, method)(ACCEPT).status_code == 405


def test_the_token_stays_in_the_page(acme: House, staff: Staff) -> None:
    link, nia = invite(staff.mia), Client()
    token = link.partition("#")[2]
    secret = token.rsplit(".", 1)[1]
    answer = send(nia, link)
    assert f'value="{token}"' in answer.content.decode()
    for page in (answer, create(nia, link, password="x")):
        assert "no-store" in page["Cache-Control"]
        assert page["Referrer-Policy"] == "same-origin"
        assert all(secret not in value for value in page.headers.values())
        assert page.request["PATH_INFO"] == ACCEPT
        assert page.request["QUERY_STRING"] == ""
    create(nia, link)
    assert all(secret not in cookie.value for cookie in nia.cookies.values())
    assert all(secret not in str(session.get_decoded()) for session in Session.objects.all())
    script = nia.get("/static/console/invitation.js")
    assert b"history.replaceState(null" in b"".join(script)


def test_a_whole_link_may_be_pasted(acme: House, staff: Staff) -> None:
    link = invite(staff.mia)
    assert "You are invited to Acme" in read_page_text(Client().post(ACCEPT, {"token": f"  {link}\n"}))


def spend(house: House, **values: object) -> None:
    with tenant_tx(house.tenant.id):
        Invitation.objects.update(**values)


DEAD: dict[str, Callable[[House, str], str]] = {
    "expired": lambda house, link: spend(house, expires_at=utc_now() - timedelta(seconds=1)) or link,  # type: ignore[func-returns-value]
    "used": lambda house, link: spend(house, accepted_at=utc_now()) or link,  # type: ignore[func-returns-value]
    "revoked": lambda house, link: spend(house, revoked_at=utc_now()) or link,  # type: ignore[func-returns-value]
    "mistyped": lambda house, link: link[:-1] + ("0" if link[-1] != "0" else "1"),
    "short": lambda house, link: link[:-1],
    "unknown": lambda house, link: f"#acme.{new_id().hex}.{'0' * 43}",
    "of no tenant": lambda house, link: f"#nobody.{new_id().hex}.{'0' * 43}",
    "of another tenant": lambda house, link: link.replace("#acme.", "#globex."),
    "empty": lambda house, link: "",
    "hostile": lambda house, link: "#<script>alert(1)</script>\x00' OR 1=1 --",
    "huge": lambda house, link: "#" + "x" * 100_000,
}


def test_every_dead_link_gets_one_and_the_same_answer(acme: House, staff: Staff) -> None:
    answers = set()
    for spoil in DEAD.values():
        link = invite(staff.mia)
        dead = spoil(acme, link)
        for act in ({}, {"act": "create", "username": "nia", "password1": PASSWORD, "password2": PASSWORD}):
            answer = send(Client(), dead, **act)
            answers.add((answer.status_code, read_page_text(answer)))
        with tenant_tx(acme.tenant.id):
            Invitation.objects.all().delete()
    assert len(answers) == 1
    ((status, text),) = answers
    assert status == 404
    assert "Ask the manager who invited you for a new link." in text
    assert not User.objects.filter(username="nia").exists()


def test_a_user_name_that_is_taken_is_not_available_whoever_has_it(world: World, staff: Staff) -> None:
    User.objects.create_user("gone", is_active=False)
    link, errors = invite(staff.mia), set()
    for name in ("gus", "olga", "mia", "GUS", "gone"):
        page = create(Client(), link, username=name).content.decode()
        errors.add("".join(re.findall(r'<ul class="errorlist".*?</ul>', page, re.DOTALL)))
    assert len(errors) == 1
    assert "This user name is not available. Choose another one." in errors.pop()
    assert create(Client(), link)["Location"] == "/console/"


def test_the_page_names_who_invites_and_says_a_fault_at_its_field(acme: House, staff: Staff) -> None:
    answer = create(Client(), invite(staff.mia), password="short").content.decode()
    assert "<bdi>mia</bdi> invites you." in answer
    assert answer.index('id="id_password1"') - answer.index("too short") < 500
    assert answer.index("too short") < answer.index('for="id_password2"')


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"password": "short"}, "too short"),
        ({"password": "password1234"}, "too common"),
        ({"username": "nia-of-acme", "password": "nia-of-acme"}, "too similar"),
        ({"password2": "another-one-41"}, "match"),
        ({"username": ""}, "required"),
        ({"username": "a b"}, "valid username"),
        ({"username": "<b>"}, "valid username"),
        ({"username": "x" * 151}, "at most 150"),
    ],
)
def test_what_is_wrong_with_an_account_is_said_and_the_link_stays(
    acme: House, staff: Staff, values: dict[str, str], fault: str
) -> None:
    link = invite(staff.mia)
    answer = create(Client(), link, **values)
    assert answer.status_code == 200
    assert fault in answer.content.decode()
    assert PASSWORD not in answer.content.decode()
    assert create(Client(), link)["Location"] == "/console/"


def test_nobody_becomes_more_than_the_invitation_says(acme: House, staff: Staff) -> None:
    more = {"role": "manager", "is_superuser": "on", "is_staff": "", "tenant": "x"}
    create(Client(), invite(staff.mia, role="viewer"), **more)
    account = User.objects.get(username="nia")
    assert (account.is_staff, account.is_superuser) == (True, False)
    assert list_roles(acme)["nia"] == Role.VIEWER


def test_somebody_of_another_tenant_accepts_with_their_account(world: World, staff: Staff) -> None:
    link = invite(staff.mia, role="viewer")
    page = read_page_text(send(staff.gus, link))
    assert "You are logged in as gus." in page
    assert "password" not in page.lower()
    assert "gus" not in list_roles(world.acme)
    assert create(staff.gus, link).status_code == 200, "the account at hand is the one that is asked"
    assert not User.objects.filter(username="nia").exists()
    assert send(staff.gus, link, act="accept")["Location"] == "/console/"
    assert "Welcome to Acme" in staff.gus.get("/console/").content.decode()
    assert list_roles(world.acme)["gus"] == Role.VIEWER
    assert list_roles(world.globex)["gus"] == Role.SUPPORT


def test_an_operator_may_become_a_member(acme: House, staff: Staff) -> None:
    assert send(staff.olga, invite(staff.mia), act="accept")["Location"] == "/console/"
    assert list_roles(acme)["olga"] == Role.SUPPORT
    with tenant_tx(acme.tenant.id):
        assert AuditRecord.objects.get(action="member.accepted").actor_kind == "operator"


def test_a_member_is_told_so_and_stays_what_they_are(acme: House, staff: Staff) -> None:
    link = invite(staff.mia, role="viewer")
    answer = send(staff.mia, link, act="accept")
    assert answer.status_code == 409
    assert "mia is a member of this tenant already" in read_page_text(answer)
    assert list_roles(acme)["mia"] == Role.MANAGER
    assert create(Client(), link)["Location"] == "/console/"


def test_accepting_needs_a_log_in_or_an_account(acme: House, staff: Staff) -> None:
    link = invite(staff.mia)
    assert "Make your account" in send(Client(), link, act="accept").content.decode()
    User.objects.filter(username="gus").update(is_active=False)
    assert "Make your account" in send(staff.gus, link, act="accept").content.decode()
    assert list_roles(acme).keys() == {"sam", "mia", "vic"}


def test_a_link_that_is_accepted_twice_at_once_makes_one_account(acme: House, staff: Staff) -> None:
    link = invite(staff.mia)
    together, statuses = Barrier(2), []

    def run(username: str) -> None:
        client = Client()
        together.wait(10)
        statuses.append(create(client, link, username=username).status_code)
        connection.close()

    crew = [Thread(target=run, args=(name,)) for name in ("nia", "nora")]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert sorted(statuses) == [302, 404]
    assert len(list_roles(acme)) == 4
    assert User.objects.filter(username__in=("nia", "nora")).count() == 1


def test_a_user_name_that_two_take_at_once_is_given_once(acme: House, staff: Staff) -> None:
    links = [invite(staff.mia), invite(staff.mia)]
    together, statuses = Barrier(2), []

    def run(link: str) -> None:
        client = Client()
        together.wait(10)
        statuses.append(create(client, link).status_code)
        connection.close()

    crew = [Thread(target=run, args=(link,)) for link in links]
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    assert sorted(statuses) == [200, 302]
    assert User.objects.filter(username="nia").count() == 1
    assert list_actions(acme).count("member.accepted") == 1


def test_a_forged_form_of_another_site_is_refused(acme: House, staff: Staff) -> None:
    link, strict = invite(staff.mia), Client(enforce_csrf_checks=True)
    assert create(strict, link).status_code == 403
    page = strict.get(PAGE).content.decode()
    forgery_token, *_same = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert create(strict, link, csrfmiddlewaretoken=forgery_token)["Location"] == "/console/"


def test_who_owes_a_second_factor_sets_it_up_before_accepting(acme: House, staff: Staff, settings: Settings) -> None:
    link = invite(staff.mia)
    settings.CONSOLE_REQUIRE_SECOND_FACTOR = True
    answer = send(staff.gus, link, act="accept")
    assert answer["Location"] == reverse("admin:mfa_activate_totp")
    assert "member.accepted" not in list_actions(acme)


def test_one_address_opens_so_many_links_and_no_more(acme: House, staff: Staff) -> None:
    link = invite(staff.mia)
    statuses = [send(Client(), "#x").status_code for _ in range(30)]
    assert set(statuses) == {404}
    refused = create(Client(), link)
    assert refused.status_code == 429
    assert "Wait ten minutes" in refused.content.decode()
    assert Client().get(PAGE).status_code == 200
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert create(elsewhere, link)["Location"] == "/console/"


def test_without_redis_nobody_is_refused(acme: House, staff: Staff, settings: Settings) -> None:
    link = invite(staff.mia)
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    assert create(Client(), link)["Location"] == "/console/"


def test_the_manager_who_left_leaves_no_open_link(acme: House, staff: Staff) -> None:
    max_ = log_in("max", tenant=acme.tenant, role=Role.MANAGER)
    link = invite(max_, role="manager")
    User.objects.filter(username="max").update(is_active=False)
    assert send(Client(), link).status_code == 404


def test_a_new_session_begins_with_the_account(acme: House, staff: Staff) -> None:
    link, nia = invite(staff.mia), Client()
    nia.get(PAGE)
    session = nia.session
    session["planted"] = "x"
    session.save()
    nia.cookies[django_settings.SESSION_COOKIE_NAME] = str(session.session_key)
    create(nia, link)
    assert nia.session.session_key != session.session_key


def test_it_is_said_in_chinese(acme: House, staff: Staff) -> None:
    link, chinese = invite(staff.mia), Client(headers={"Accept-Language": "zh-CN"})
    pages = [chinese.get(PAGE), send(chinese, link), send(chinese, "#x"), create(chinese, link, username="gus")]
    for page, text in zip(pages, ("粘贴", "您受邀加入 Acme", "此邀请无效", "此用户名不可用"), strict=True):
        assert text in read_page_text(page)
        for english in ("invitation", "Link", "account", "available"):
            assert english not in read_page_text(page)
