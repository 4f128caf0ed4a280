"""Who may work where. Rows: T3, T7, D2. Matrix: 9, 10, 15."""

import re

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import Client

from profiles.models import Tag
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord, Member, Tenant
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

CONSOLE = "/console/"


def audit_trail(world: World) -> list[str]:
    with tenant_tx(world.acme.tenant.id):
        return list(AuditRecord.objects.order_by("at").values_list("action", flat=True))


def test_a_stranger_is_asked_to_log_in(world: World) -> None:
    response = Client().get(CONSOLE)
    assert response.status_code == 302
    assert response["Location"].startswith("/console/login/")


@pytest.mark.parametrize(
    "elsewhere", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_a_log_in_leads_nowhere_else(staff: Staff, elsewhere: str) -> None:
    user = User.objects.get(username="sam")
    user.set_password("a-good-long-word")
    user.save()
    given = {"username": "sam", "password": "a-good-long-word", "next": elsewhere}
    assert Client().post("/console/login/", given)["Location"] == CONSOLE
    for language in ("en", "zh-hans"):
        answer = staff.mia.post("/i18n/setlang/", {"language": language, "next": elsewhere})
        assert answer["Location"] == "/"


def test_staff_with_one_tenant_start_in_it(staff: Staff) -> None:
    page = staff.sam.get(CONSOLE).content.decode()
    assert "Acme" in page
    assert "Globex" not in page


def test_staff_without_a_tenant_are_told_so_and_can_leave(world: World) -> None:
    User.objects.create_user("nobody", is_staff=True)
    client = Client()
    client.force_login(User.objects.get(username="nobody"))
    assert client.get(CONSOLE)["Location"] == "/console/switch/"
    assert "not a member of any tenant" in client.get("/console/switch/").content.decode()
    assert client.post("/console/logout/").status_code == 200


def test_the_page_after_a_log_out_names_no_tenant(staff: Staff) -> None:
    page = staff.mia.post("/console/logout/")
    assert page.status_code == 200
    for word in ("Acme", "Globex", "/console/profiles/", "typed-for"):
        assert word not in page.content.decode()


def test_the_operator_chooses_a_tenant_and_works_in_that_one_only(world: World, staff: Staff) -> None:
    assert staff.olga.get(CONSOLE)["Location"] == "/console/switch/"
    staff.olga.post("/console/switch/", {"tenant": str(world.globex.tenant.id)})
    page = staff.olga.get("/console/profiles/subject/").content.decode()
    assert "gil" in page
    assert ">ada<" not in page


def test_a_role_taken_away_ends_at_the_next_click(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        Member.objects.all().delete()
    assert staff.sam.get("/console/profiles/subject/")["Location"].startswith("/console/switch/")


def test_a_session_that_names_a_foreign_tenant_does_not_open_it(world: World, staff: Staff) -> None:
    session = staff.gus.session
    session["tenant"] = str(world.acme.tenant.id)
    session.save()
    page = staff.gus.get("/console/profiles/subject/").content.decode()
    assert "gil" in page
    assert ">ada<" not in page


@pytest.mark.slow
def test_every_screen_opens_for_support_and_shows_nothing_of_another_tenant(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        tag = Tag.objects.create(subject=world.acme.subject, label="CANARY-acme", kind="place")
    for model in site._registry:
        address = f"/console/{model._meta.app_label}/{model._meta.model_name}/"
        for client in (staff.sam, staff.gus, staff.mia):
            assert client.get(address).status_code in {200, 403}, address
        assert "CANARY" not in staff.gus.get(address).content.decode()
    for page in ("change", "history", "delete"):
        answer = staff.gus.get(f"/console/profiles/tag/{tag.pk}/{page}/", follow=True)
        assert "CANARY" not in answer.content.decode()
    assert "CANARY" in staff.sam.get(f"/console/profiles/tag/{tag.pk}/change/").content.decode()


def test_the_operator_opens_every_screen(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    for model in site._registry:
        address = f"/console/{model._meta.app_label}/{model._meta.model_name}/"
        assert staff.olga.get(address).status_code == 200, address


def test_looking_at_personal_data_leaves_a_trace(world: World, staff: Staff) -> None:
    staff.sam.get("/console/profiles/subject/")
    staff.sam.get(f"/console/profiles/subject/{world.acme.subject.pk}/change/")
    assert audit_trail(world)[-2:] == ["subject.listed", "subject.viewed"]


def test_a_viewer_reads_but_gets_no_buttons_that_write(world: World, staff: Staff) -> None:
    assert staff.vic.get("/console/profiles/subject/").status_code == 200
    assert staff.vic.get("/console/tenants/apikey/add/").status_code == 403
    assert staff.vic.get("/console/tenants/auditrecord/").status_code == 403


def test_a_refused_page_is_recorded(world: World, staff: Staff) -> None:
    subject = world.acme.subject.pk
    staff.vic.get("/console/tenants/auditrecord/")
    staff.vic.post(f"/console/profiles/subject/{subject}/delete/", {"post": "yes"})
    staff.vic.get("/console/profiles/subject/%00/delete/")
    with tenant_tx(world.acme.tenant.id):
        refused = AuditRecord.objects.filter(refused=True, action="console.page").order_by("at")
        kinds = list(refused.values_list("object_kind", "object_id"))
    assert kinds[:2] == [("tenants_auditrecord_changelist", ""), ("profiles_subject_delete", str(subject))]


def test_what_machines_write_is_read_only_even_for_managers(world: World, staff: Staff) -> None:
    for app, model in (("snapshots", "snapshot"), ("snapshots", "receipt"), ("profiles", "preference")):
        assert staff.mia.get(f"/console/{app}/{model}/add/").status_code == 403


def test_a_manager_makes_a_key_that_is_shown_once(world: World, staff: Staff) -> None:
    answer = staff.mia.post(
        "/console/tenants/apikey/add/", {"name": "shop", "scopes": ["memory:read"]}, follow=True
    ).content.decode()
    (token,) = set(re.findall(r"mk_live_[\w-]{43,}", answer))
    assert token not in staff.mia.get("/console/tenants/apikey/").content.decode()
    with tenant_tx(world.acme.tenant.id):
        assert ApiKey.objects.filter(name="shop", scopes=["memory:read"]).count() == 1


def test_a_manager_revokes_a_key_by_action_and_support_cannot(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        key = ApiKey.objects.get()
    body = {"action": "revoke", "_selected_action": [str(key.pk)], "reason": "leaked"}
    for client, revoked in ((staff.sam, False), (staff.mia, True)):
        client.post("/console/tenants/apikey/", body)
        with tenant_tx(world.acme.tenant.id):
            assert (ApiKey.objects.get().revoked_at is not None) is revoked


def test_the_tenant_directory_belongs_to_the_operator(staff: Staff) -> None:
    assert staff.mia.get("/console/tenants/tenant/").status_code == 403
    assert Tenant.objects.count() == 2
