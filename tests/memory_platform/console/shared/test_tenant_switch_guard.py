"""A form writes into the tenant that its page was shown in, or not at all. Rows: T3, T7, D2. Matrix: 9."""

from typing import Any, NamedTuple
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.template import engines
from django.test import Client, RequestFactory

from memory_platform.console.shared.tenant_switch_guard import TENANT_FIELD, TENANT_HEADER
from profiles.models import Candidate
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, Invitation, Role, SupportSession, Tenant, UsageLimit
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.forms import form_at, forms_of
from tests.memory_platform.console.shared.desks import (
    INVITATIONS,
    KEYS,
    LIMITS,
    LOGOUT,
    REVIEW,
    START,
    SWITCH,
    count_tenant_rows,
    join_tenant,
    leave_tenant,
    list_refusals,
    read_page_text,
    switch_tenant,
)


class FormCase(NamedTuple):
    """What a form makes: its page, what is typed into it, and how the row that came of it is found."""

    page: str
    typed: dict[str, str]
    model: Any
    found: dict[str, Any]


@pytest.mark.parametrize(
    "made",
    [
        FormCase(INVITATIONS, {"invitee": "Sam", "role": "viewer", "reason": "new"}, Invitation, {"invitee": "Sam"}),
        FormCase(KEYS, {"name": "meant for acme"}, ApiKey, {"name": "meant for acme"}),
        FormCase(LIMITS, {"burst": "41", "reason": "too many"}, UsageLimit, {"burst": 41}),
    ],
    ids=["invitation", "key", "limit"],
)
def test_what_was_filled_in_for_one_tenant_is_not_written_into_another(
    acme: House, globex: House, staff: Staff, made: FormCase
) -> None:
    def count_rows() -> tuple[int, int]:
        return count_tenant_rows(acme, made.model, **made.found), count_tenant_rows(globex, made.model, **made.found)

    switch_tenant(staff.olga, acme)
    add = f"{made.page}add/"
    filled = form_at(staff.olga, add, holding=next(iter(made.typed))) | made.typed
    switch_tenant(staff.olga, globex)  # in the second tab
    answer: Any = staff.olga.post(add, filled)
    assert answer.status_code == 409
    assert "You switched to Globex in another tab. This form was for Acme. Nothing was saved." in read_page_text(answer)
    assert "mk_live_" not in answer.content.decode()
    assert "/console/invitation/" not in answer.content.decode()
    assert count_rows() == (0, 0)
    assert list_refusals(globex) == [(f"tenants_{made.model._meta.model_name}_add", "operator")]
    assert list_refusals(acme) == []
    switch_tenant(staff.olga, acme)
    assert staff.olga.post(add, filled).status_code in {200, 302}, "the same form, back where it belongs"
    assert count_rows() == (1, 0)


def test_a_bulk_action_is_refused_for_rows_of_both_tenants(acme: House, globex: House, ben: Client) -> None:
    form = form_at(ben, KEYS, holding="select_across")
    switch_tenant(ben, globex)
    keys = []
    for house in (acme, globex):
        with tenant_tx(house.tenant.id):
            keys.append(str(ApiKey.objects.get().pk))
    form |= {"action": "revoke", "reason": "leaked", "_selected_action": keys}
    answer = ben.post(KEYS, form)
    assert answer.status_code == 409
    assert (
        count_tenant_rows(acme, ApiKey, revoked_at__isnull=True)
        == count_tenant_rows(globex, ApiKey, revoked_at__isnull=True)
        == 1
    )
    assert list_refusals(globex) == [("tenants_apikey_changelist", "staff")]


def test_what_a_script_sends_names_its_tenant_in_a_header(acme: House, globex: House, ben: Client) -> None:
    with tenant_tx(acme.tenant.id):
        shared = {"subject": acme.subject, "verdict": "pending", "provenance": "observation", "confidence": 0.4}
        proposal = {
            "type": "tag",
            "said_at": "2026-11-16T09:00:00+00:00",
            "aliases": [],
            "label": "home",
            "kind": "place",
        }
        row = Candidate.objects.create(**shared, kind="tag", target="home", proposal=proposal, reason="unsure")
    sent = {"candidate": str(row.pk), "verb": "reject", "reason": "no", TENANT_FIELD: ""}
    here, elsewhere = str(acme.tenant.id), str(globex.tenant.id)
    for field, header in (("", ""), ("", elsewhere), (elsewhere, here), (here, elsewhere), ("", str(uuid4()))):
        answer = ben.post(REVIEW, sent | {TENANT_FIELD: field}, headers={TENANT_HEADER: header})
        assert answer.status_code == 409, (field, header)
    assert count_tenant_rows(acme, Candidate, verdict="pending") == 1
    assert ben.post(REVIEW, sent, headers={TENANT_HEADER: here}).status_code == 302
    assert count_tenant_rows(acme, Candidate, verdict="rejected") == 1


@pytest.mark.parametrize(
    "named", ["", "x", "00000000-0000-0000-0000-000000000000", "UPPER", "BOTH", "\x00", "x" * 9_999]
)
def test_a_form_with_a_made_up_tenant_or_none_is_refused(acme: House, globex: House, ben: Client, named: str) -> None:
    own = str(acme.tenant.id)
    given: Any = {"UPPER": own.upper(), "BOTH": [own, str(globex.tenant.id)]}.get(named, named)
    answer = ben.post(f"{KEYS}add/", {"name": "k", "scopes": ["memory:read"], TENANT_FIELD: given})
    assert answer.status_code == 409
    said = "This form was for another tenant" if named else "does not say which tenant it is for"
    assert f"You work in Acme{' now' if named else ''}. This form" in read_page_text(answer)
    assert said in read_page_text(answer)
    assert "Globex" not in read_page_text(answer)
    assert count_tenant_rows(acme, ApiKey) == 1


def test_a_tenant_that_one_is_no_member_of_is_not_named(acme: House, globex: House, ben: Client) -> None:
    form = form_at(ben, f"{KEYS}add/", holding="name")
    leave_tenant(acme.tenant, "ben")  # and globex, the only one left, is worked in without a choice
    answer = ben.post(f"{KEYS}add/", form | {"name": "k"})
    assert answer.status_code == 409
    assert "You work in Globex now. This form was for another tenant. Nothing was saved." in read_page_text(answer)
    assert "Acme" not in answer.content.decode()
    assert str(acme.tenant.id) not in answer.content.decode()
    assert count_tenant_rows(globex, ApiKey) == 1


def test_a_form_of_the_only_tenant_does_not_follow_into_the_next_one(acme: House, globex: House, staff: Staff) -> None:
    form = form_at(staff.mia, f"{KEYS}add/", holding="name")
    join_tenant(globex.tenant, "mia", Role.MANAGER)
    answer: Any = staff.mia.post(f"{KEYS}add/", form | {"name": "k"}, follow=True)
    assert answer.redirect_chain == [(SWITCH, 302)]
    assert "Nothing was saved: you work in no tenant now." in answer.content.decode()
    switch_tenant(staff.mia, globex)
    assert "This form was for Acme" in read_page_text(staff.mia.post(f"{KEYS}add/", form | {"name": "k"}))
    switch_tenant(staff.mia, acme)
    assert staff.mia.post(f"{KEYS}add/", form | {"name": "k"}).status_code == 200
    assert (count_tenant_rows(acme, ApiKey), count_tenant_rows(globex, ApiKey)) == (2, 1)


def test_a_form_outlives_its_session_in_its_own_tenant_only(acme: House, globex: House, ben: Client) -> None:
    form = form_at(ben, f"{KEYS}add/", holding="name") | {"name": "k"}
    ben.logout()
    assert ben.post(f"{KEYS}add/", form)["Location"].startswith("/console/login/")
    ben.force_login(User.objects.get(username="ben"))
    assert ben.post(f"{KEYS}add/", form)["Location"] == SWITCH
    switch_tenant(ben, globex)
    assert ben.post(f"{KEYS}add/", form).status_code == 409
    switch_tenant(ben, acme)
    assert ben.post(f"{KEYS}add/", form).status_code == 200
    assert (count_tenant_rows(acme, ApiKey), count_tenant_rows(globex, ApiKey)) == (2, 1)


def test_a_form_from_before_a_new_log_in_is_told_so(acme: House, staff: Staff) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = staff.mia.cookies
    form = form_at(strict, f"{KEYS}add/", holding="name") | {"name": "k"}
    strict.cookies["csrftoken"] = "x" * 32  # a log-in in another tab gives a new one
    answer = strict.post(f"{KEYS}add/", form)
    assert answer.status_code == 403
    assert "You have logged in again since you opened this form" in answer.content.decode()
    assert count_tenant_rows(acme, ApiKey) == 1


def test_a_form_that_asks_for_a_support_session_opens_it_where_it_was_shown(acme: House, globex: House) -> None:
    otto = log_in("otto")
    switch_tenant(otto, acme)
    start = "/console/tenants/supportsession/start/"
    form = form_at(otto, f"{start}?next=/console/profiles/subject/", holding="minutes") | {"reason": "ticket 4711"}
    switch_tenant(otto, globex)
    assert otto.post(start, form).status_code == 409
    assert count_tenant_rows(acme, SupportSession) == count_tenant_rows(globex, SupportSession) == 0
    switch_tenant(otto, acme)
    assert otto.post(start, form)["Location"] == "/console/profiles/subject/"
    end = next(one for one in forms_of(otto.get(START).content.decode()) if one.action.endswith("/end/"))
    switch_tenant(otto, globex)
    assert otto.post(end.action, end.fields).status_code == 409
    switch_tenant(otto, acme)
    assert ">ada<" in otto.get("/console/profiles/subject/").content.decode(), "it has not ended"


def test_one_switches_back_to_the_page_of_the_form_and_nowhere_else(acme: House, globex: House, ben: Client) -> None:
    form = form_at(ben, f"{INVITATIONS}add/", holding="invitee")
    switch_tenant(ben, globex)
    for told, leads in (
        (f"http://testserver{INVITATIONS}add/?x=1", f"{INVITATIONS}add/?x=1"),
        ("", START),
        ("http://testserver//evil.example/", START),
        ("http://evil.example/console/", START),
        ("http://[", START),
        ("http://testserver\\evil/console/", START),
    ):
        answer = ben.post(f"{INVITATIONS}add/", form, headers={"Referer": told})
        (back,) = (one for one in forms_of(answer.content.decode()) if "next" in one.fields and one.looks == "act-form")
        assert back.action == SWITCH
        assert back.fields["next"] == [leads], told
        assert ben.post(back.action, back.fields)["Location"] == leads
        assert ">Acme<" in ben.get(START).content.decode()
        switch_tenant(ben, globex)
    assert ben.post(SWITCH, {"tenant": str(acme.tenant.id), "next": "//evil.example/"})["Location"] == START


def test_what_belongs_to_no_tenant_is_taken_from_any(acme: House, globex: House, staff: Staff) -> None:
    """Of what is sent here everything names acme, and globex is worked in."""
    user = User.objects.get(username="olga")
    user.set_password("a-good-long-word")
    user.save()
    staff.olga.force_login(user)
    switch_tenant(staff.olga, globex)
    of_acme = {TENANT_FIELD: str(acme.tenant.id)}
    new = {"slug": "initech", "name": "Initech", "locale": "en"}
    assert "Initech is ready" in staff.olga.post("/console/tenants/tenant/add/", new | of_acme).content.decode()
    assert Tenant.objects.filter(slug="initech").exists()
    switch_tenant(staff.olga, globex)
    chosen = {"language": "zh-hans", "next": START}
    assert staff.olga.post("/i18n/setlang/", chosen | of_acme)["Location"] == START
    passwords = {"old_password": "a-good-long-word"} | dict.fromkeys(
        ("new_password1", "new_password2"), "another-long-1"
    )
    answer = staff.olga.post("/console/password_change/", passwords | of_acme)
    assert answer["Location"] == "/console/password_change/done/"
    assert staff.olga.post(SWITCH, {"tenant": str(acme.tenant.id)} | of_acme)["Location"] == START
    assert staff.olga.post(LOGOUT, of_acme | {TENANT_FIELD: str(globex.tenant.id)}).status_code == 200
    assert settings.SESSION_COOKIE_NAME not in staff.olga.cookies or not staff.olga.cookies["sessionid"].value
    given = {"username": "olga", "password": "another-long-1", "next": START}
    assert staff.olga.post("/console/login/", given | of_acme)["Location"] == START


def test_it_is_said_in_chinese(acme: House, globex: House, ben: Client) -> None:
    ben.post("/i18n/setlang/", {"language": "zh-hans", "next": START})
    form = form_at(ben, f"{KEYS}add/", holding="name")
    switch_tenant(ben, globex)
    page = read_page_text(ben.post(f"{KEYS}add/", form))
    assert "您已在另一个标签页中切换到 Globex。此表单属于 Acme。未保存任何内容。" in page
    assert "切换回 Acme" in page
    assert "Nothing" not in page


def test_where_no_tenant_is_worked_in_a_form_has_the_token_alone(world: World, rf: RequestFactory) -> None:
    shown = engines["django"].from_string("{% csrf_token %}").render({}, rf.get("/"))
    assert "csrfmiddlewaretoken" in shown
    assert TENANT_FIELD not in shown
