"""Who comes from an OpenID provider, and what their groups give. Rows: D2, D14, T3, T7."""

import time
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User

from tenants.isolation import tenant_tx
from tenants.models import Role, StaffIdentity, Tenant
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import set_member
from tests.conftest import World
from tests.memory_platform.console.log_in.people import (
    ACCOUNT,
    CODE,
    LOGIN,
    PASSWORD,
    START,
    is_logged_in,
    open_browser,
    read_text,
    switch_on,
    try_password,
)
from tests.memory_platform.console.log_in.provider_log_ins import (
    BACK,
    GO,
    go_and_come_back,
    list_audit,
    list_roles,
    log_in_with,
    read_refusal,
)
from tests.oidc_server import FakeProvider


def test_without_a_provider_there_is_no_button_and_no_address(world: World) -> None:
    client = open_browser()
    assert "organisation" not in read_text(client.get(LOGIN))
    for page in (GO, BACK):
        assert client.get(page).status_code == 404


def test_a_first_log_in_makes_an_account_with_the_groups_roles(provider: FakeProvider, world: World) -> None:
    assert GO in open_browser().get(LOGIN).content.decode()
    client, answer = log_in_with(provider, "acme-support", given_name="Pat", family_name="Lee", email="pat@example.com")
    assert answer["Location"] == START
    assert is_logged_in(client)
    user = User.objects.get(username="pat")
    assert (user.is_staff, user.is_superuser, user.has_usable_password()) == (True, False, False)
    assert (user.get_full_name(), user.email) == ("Pat Lee", "pat@example.com")
    assert list_roles(world.acme) == {"pat": "support"}
    assert list_roles(world.globex) == {}
    assert list_audit(world.acme) == [("member.set", "operator", "support: groups of the log-in provider")]
    assert LogEntry.objects.get(object_id=str(user.pk)).change_message.startswith("Made at the first log-in")
    text = read_text(client.get(ACCOUNT))
    assert "through your organisation" in text
    assert client.get("/console/account/second-factor/")["Location"] == ACCOUNT


def test_it_leads_to_the_page_that_was_wanted_and_nowhere_else(provider: FakeProvider) -> None:
    provider.claims["groups"] = ["acme-support"]
    client = open_browser()
    assert go_and_come_back(client, "/console/profiles/subject/")["Location"] == "/console/profiles/subject/"
    assert go_and_come_back(open_browser(), "https://evil.example/")["Location"] == START


def test_groups_that_change_change_the_memberships(provider: FakeProvider, world: World) -> None:
    log_in_with(provider, "acme-support")
    log_in_with(provider, "both", "acme-support")
    assert (list_roles(world.acme), list_roles(world.globex)) == ({"pat": "support"}, {"pat": "viewer"})
    log_in_with(provider, "both")
    assert list_roles(world.acme) == {"pat": "viewer"}
    log_in_with(provider, "acme-support")
    assert (list_roles(world.acme), list_roles(world.globex)) == ({"pat": "support"}, {})
    assert [action for action, _, _ in list_audit(world.globex)] == ["member.set", "member.removed"]
    before = list_audit(world.acme)
    log_in_with(provider, "acme-support")
    assert list_audit(world.acme) == before, "nothing changed, nothing is recorded"
    client, answer = log_in_with(provider)
    assert answer["Location"] == START
    assert client.get(START)["Location"] == "/console/switch/"
    assert list_roles(world.acme) == {}
    assert User.objects.filter(username__startswith="pat").count() == 1


def test_memberships_given_by_hand_stay(provider: FakeProvider, world: World) -> None:
    log_in_with(provider, "acme-support")
    user = User.objects.get(username="pat")
    with tenant_tx(world.globex.tenant.id):
        set_member(user.pk, Role.SUPPORT, by=COMMAND_LINE)
    with tenant_tx(world.acme.tenant.id):
        set_member(user.pk, Role.VIEWER, by=COMMAND_LINE)  # a manager's decision counts from now on
    log_in_with(provider, "acme-bosses", "both")
    log_in_with(provider)
    assert (list_roles(world.acme), list_roles(world.globex)) == ({"pat": "viewer"}, {"pat": "support"})


def test_the_last_manager_is_kept_and_the_audit_trail_says_so(provider: FakeProvider, world: World) -> None:
    log_in_with(provider, "acme-bosses")
    for groups in (["acme-support"], []):
        log_in_with(provider, *groups)
        assert list_roles(world.acme) == {"pat": "manager"}
    kept = ("member.kept", "operator", "the groups give less, but a tenant needs a manager")
    assert list_audit(world.acme)[1:] == [kept, kept]
    other = User.objects.create_user("mo", is_staff=True)
    with tenant_tx(world.acme.tenant.id):
        set_member(other.pk, Role.MANAGER, by=COMMAND_LINE)
    log_in_with(provider)
    assert list_roles(world.acme) == {"mo": "manager"}


def test_a_person_is_known_by_issuer_and_subject_alone(provider: FakeProvider, world: World, settings: Any) -> None:
    User.objects.create_superuser("pat", email="pat@example.com", password=PASSWORD)
    log_in_with(provider, "acme-support", email="pat@example.com", email_verified=True)
    made = StaffIdentity.objects.get().user
    assert made.username.startswith("pat-")
    assert not made.is_superuser
    log_in_with(provider, "acme-support", preferred_username="renamed", email="other@example.com")
    assert StaffIdentity.objects.get().user == made
    log_in_with(provider, "acme-support", sub="person-2", preferred_username="PAT", email="pat@example.com")
    assert StaffIdentity.objects.count() == 2
    provider.issuer += "-two"
    settings.CONSOLE_OIDC_ISSUER = provider.issuer
    log_in_with(provider, "acme-support", sub="person-1")
    assert StaffIdentity.objects.filter(subject="person-1").values("user").distinct().count() == 2


def test_nobody_gets_in_without_a_group_that_gives_something(provider: FakeProvider, world: World) -> None:
    for groups in ([], ["unknown"], ["nowhere"], ["ACME-SUPPORT"], [" acme-support"]):
        client, answer = log_in_with(provider, *groups)
        assert "none of your groups gives access" in read_refusal(client, answer), groups
    assert not User.objects.exists()


@pytest.mark.parametrize(
    "groups",
    [
        "acme-bosses",
        {"acme-bosses": True},
        ["acme-bosses", 7],
        ["acme-bosses", None],
        [["acme-bosses"]],
        7,
        True,
        None,
    ],
)
def test_groups_of_another_shape_give_nothing(provider: FakeProvider, world: World, groups: Any) -> None:
    provider.claims["groups"] = groups
    client = open_browser()
    assert "none of your groups" in read_refusal(client, go_and_come_back(client))
    assert not User.objects.exists()


def test_thousands_of_groups_cost_nothing_and_give_what_they_give(provider: FakeProvider, world: World) -> None:
    began = time.perf_counter()
    client, _ = log_in_with(provider, *(f"group-{number}" for number in range(5_000)), "acme-support", "superuser")
    assert is_logged_in(client)
    client, answer = log_in_with(provider, *(f"group-{number}" for number in range(100_000)), "acme-bosses")
    assert "answer was refused" in read_refusal(client, answer), "a token of more than a megabyte"
    assert time.perf_counter() - began < 10
    assert list_roles(world.acme) == {"pat": "support"}
    assert not User.objects.get().is_superuser


def test_who_comes_over_somebody_s_session_counts_as_from_the_provider(
    provider: FakeProvider, world: World, settings: Any
) -> None:
    settings.CONSOLE_REQUIRE_SECOND_FACTOR = True
    client = open_browser()
    client.force_login(User.objects.create_user("ann", is_staff=True), backend=settings.AUTHENTICATION_BACKENDS[0])
    provider.claims["groups"] = ["acme-support"]
    go_and_come_back(client)
    assert client.get(START).status_code == 200, "nobody asks for a second factor here"


def test_nobody_becomes_an_operator_by_what_the_provider_says(provider: FakeProvider, world: World) -> None:
    says = {"is_superuser": True, "is_staff": True, "role": "operator", "id": 1, "password": "x"}
    log_in_with(provider, "acme-support", **says)
    assert not User.objects.get().is_superuser


def test_groups_may_come_from_userinfo_but_only_about_the_same_person(provider: FakeProvider, world: World) -> None:
    provider.userinfo = {"groups": ["acme-support"]}
    client = open_browser()
    go_and_come_back(client)
    assert is_logged_in(client)
    provider.claims["sub"], provider.userinfo = "person-2", {"sub": "person-1", "groups": ["acme-bosses"]}
    client = open_browser()
    assert "none of your groups" in read_refusal(client, go_and_come_back(client))


def test_second_factors_are_asked_for_after_passwords_only(provider: FakeProvider, settings: Any, pam: User) -> None:
    browser = open_browser()
    try_password(browser)
    switch_on(browser)
    StaffIdentity.objects.create(user=pam, issuer=provider.issuer, subject="person-1")
    settings.CONSOLE_REQUIRE_SECOND_FACTOR = True
    client, answer = log_in_with(provider)
    assert answer["Location"] == START
    assert client.get(START).status_code == 200
    assert try_password(open_browser())["Location"] == CODE
    log_in_with(provider, "acme-support", sub="person-9")
    client, _ = log_in_with(provider, "acme-support", sub="person-9")
    assert client.get(START).status_code == 200, "nobody without a password sets up a factor"


def test_a_deactivated_account_stays_out_and_gains_nothing(provider: FakeProvider, world: World) -> None:
    log_in_with(provider, "acme-support")
    User.objects.update(is_active=False)
    client, answer = log_in_with(provider, "acme-bosses", "both")
    assert "none of your groups" in read_refusal(client, answer)
    assert list_roles(world.acme) == {"pat": "support"}
    assert list_roles(world.globex) == {}


def test_a_hostile_name_is_a_plain_one(provider: FakeProvider, world: World) -> None:
    log_in_with(provider, "acme-support", preferred_username="<b>x</b> \u202e" + "y" * 200, given_name=7, email="nope")
    user = User.objects.get()
    assert user.username.startswith("oidc-"), "signs that turn the text around"
    assert (user.first_name, user.email) == ("", "")
    log_in_with(provider, "acme-support", sub="person-2", preferred_username="<b>x</b> 'y'" + "z" * 200)
    assert User.objects.latest("pk").username == ("bxby" + "z" * 200)[:100]


def test_a_tenant_that_comes_later_is_given_at_the_next_log_in(provider: FakeProvider, world: World) -> None:
    log_in_with(provider, "acme-support", "nowhere")
    assert not Tenant.objects.filter(slug="no-such-tenant").exists()
    assert list_roles(world.globex) == {}
