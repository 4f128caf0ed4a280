"""What is stored is shown and does nothing; what is another tenant's is as if it were not. Rows: T1, T3, T7, D2."""

from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.contrib.admin import site
from django.db.models import Model
from django.test import Client

from profiles.models import Subject
from snapshots.models import Receipt, Snapshot, WorkRemoved
from tenants.isolation import tenant_tx
from tenants.models import Member, TenantOwned, UsageLimit
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.rows import make_one_of_each

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'{{ 7|add:7 }}{% now %}\u202eevil\u2066🙂家`${1}`"
CANARY = "CANARY-of-acme"
TEXTLESS = {UsageLimit, WorkRemoved}

Rows = dict[type[Model], Any]


def address(model: type[Model], page: str = "") -> str:
    return f"/console/{model._meta.app_label}/{model._meta.model_name}/{page}"


@pytest.fixture
def hostile(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each(HOSTILE)


@pytest.fixture
def secret(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each(CANARY)


def test_every_tenant_owned_screen_is_tried_here(hostile: Rows) -> None:
    shown = {model for model in site._registry if issubclass(model, TenantOwned)}
    assert shown - hostile.keys() == {Member}, "give tests.memory_platform.console.rows a row of the new screen"


@pytest.mark.slow
def test_hostile_text_is_shown_escaped_on_every_list_and_page(staff: Staff, hostile: Rows) -> None:
    subject = hostile[Subject].pk
    for model, row in hostile.items():
        for page in ("", f"?subject={subject}", f"?q={quote(HOSTILE)}", f"{row.pk}/change/", f"{row.pk}/history/"):
            answer = staff.mia.get(address(model, page), follow=True)
            shown = answer.content.decode()
            assert answer.status_code == 200, (model, page)
            assert "<script>alert" not in shown, (model, page)
            assert "<img src=x" not in shown, (model, page)
    for model in hostile.keys() - TEXTLESS:
        shown = staff.mia.get(address(model, f"{hostile[model].pk}/change/")).content.decode()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown, model


def test_a_receipt_shows_its_candidates_and_the_whole_prompt(staff: Staff, hostile: Rows) -> None:
    page = staff.sam.get(address(Receipt, f"{hostile[Receipt].pk}/change/")).content.decode()
    assert "0.800" in page
    assert page.count('class="why-card left-out"') == 2
    assert "{{ 7|add:7 }}" in page
    assert f"{hostile[Snapshot].pk}/change/" in page


@pytest.mark.slow
def test_another_tenants_rows_are_in_no_list_however_it_is_asked_for(staff: Staff, secret: Rows) -> None:
    subject, conversation = secret[Subject].pk, next(row.pk for model, row in secret.items() if "conv" in str(model))
    for model, row in secret.items():
        for query in (
            "",
            f"?q={CANARY}",
            f"?subject={subject}",
            f"?conversation={conversation}",
            f"?memory={row.pk}",
            f"?id__exact={row.pk}",
            f"?subject__external_id__startswith={CANARY[:4]}",
            "?_popup=1&_to_field=id",
            "?o=-1&p=0&all=",
        ):
            answer = staff.gus.get(address(model, query), follow=True)
            assert answer.status_code in {200, 400, 403}, (model, query)
            assert row_links(answer.content.decode(), row) == 0, (model, query)


def row_links(page: str, row: Model) -> int:
    return page.count(f"{row.pk}/change/")


def test_another_tenants_rows_cannot_be_written_to(world: World, staff: Staff, secret: Rows) -> None:
    manager = managing(staff.olga, world)
    before = {model: values(world, row) for model, row in secret.items()}
    for client in (staff.gus, manager):
        for model, row in secret.items():
            for action in ("delete_selected", "revoke", "rotate", "replay"):
                body = {"action": action, "_selected_action": [str(row.pk)], "post": "yes", "reason": "x"}
                assert client.post(address(model), body).status_code < 500
            for page in ("change/", "delete/"):
                answer = client.post(address(model, f"{row.pk}/{page}"), {"post": "yes", "name": "x", "reason": "x"})
                assert answer.status_code in {403, 404}, (model, page)
    assert {model: values(world, row) for model, row in secret.items()} == before


def managing(client: Client, world: World) -> Client:
    """Let the operator work as a manager of globex."""
    client.post("/console/switch/", {"tenant": str(world.globex.tenant.id)})
    return client


def values(world: World, row: Model) -> dict[str, Any]:
    with tenant_tx(world.acme.tenant.id):
        return type(row)._default_manager.filter(pk=row.pk).values().get()


def test_there_is_no_look_up_that_leaves_no_trace(staff: Staff, secret: Rows) -> None:
    query = "?app_label=profiles&model_name=tag&field_name=subject&term=CANARY"
    for client in (staff.sam, staff.gus, staff.olga):
        assert CANARY not in client.get(f"/console/autocomplete/{query}", follow=True).content.decode()
    assert staff.sam.get(f"/console/autocomplete/{query}").status_code == 403


def test_pages_may_load_and_run_what_is_ours_only(staff: Staff) -> None:
    for page in ("/console/", "/console/login/", "/console/profiles/subject/", "/console/nowhere/"):
        policy = dict(part.split(" ", 1) for part in staff.sam.get(page)["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["connect-src"] == policy["form-action"] == "'self'"
        assert policy["frame-ancestors"] == "'self'"


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(world: World, staff: Staff) -> None:
    staff.sam.post("/i18n/setlang/", {"language": "en"})
    staff.sam.get("/console/")
    assert {"sessionid", "csrftoken", settings.LANGUAGE_COOKIE_NAME} <= set(staff.sam.cookies)
    for name, cookie in staff.sam.cookies.items():
        if name != "sessionid":  # set by the test client itself
            assert cookie["httponly"], name
            assert cookie["samesite"] == "Lax", name
    assert settings.SESSION_COOKIE_HTTPONLY
    assert settings.SESSION_COOKIE_SAMESITE == "Lax"


def test_a_refused_page_says_so_in_words_of_ours(staff: Staff) -> None:
    refused, missing = staff.vic.get("/console/tenants/auditrecord/"), staff.vic.get("/console/nowhere/")
    assert (refused.status_code, missing.status_code) == (403, 404)
    assert "does not allow this" in refused.content.decode()
    assert "Nothing was found at this address" in missing.content.decode()
