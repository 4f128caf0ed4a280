"""No page of the console is without its guards: log-in, tenant, support session, rights. Rows: D2, T3, T7.

The pages are the site's own (:mod:`tests.memory_platform.console.test_every_page`): a new one is tried without being
named here, and asks for a support session unless it is named here as one that shows nobody.
"""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import resolve

from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.support_session_guard import mark_impersonal, shows_personal_data
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, SupportSession
from tests.conftest import HANDLER, World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.test_every_page import Rows, pages_of

CANARY = "peanutscanary"
# Open without a log-in; those of a log-in provider and of mail lead nowhere while none is configured.
PUBLIC = {
    *("login", "theme", "invitation", "invitation_accept", "mfa_authenticate", "oidc_login", "oidc_callback"),
    *("admin_password_reset", "password_reset_done", "password_reset_confirm", "password_reset_complete"),
}
# The person's own log-in.
ACCOUNT = {
    *("mfa_index", "account_end_sessions", "account_reauthenticate", "mfa_activate_totp", "mfa_deactivate_totp"),
    *("mfa_view_recovery_codes", "mfa_generate_recovery_codes"),
}
LOGIN, SWITCH, START = "/console/login/", "/console/switch/", "/console/tenants/supportsession/start/"
# What somebody without a tenant may open.
OUTSIDE = {"switch", "password_change", "password_change_done", "jsi18n", *ACCOUNT}
# Addresses that an operator opens without a support session. Whoever adds one says so here.
# A preview shows its examples within a session only.
SHOWS_NOBODY = re.compile(
    r"index|login|theme|invitation(_accept)?|switch|jsi18n|app_list|password_change(_done)?|dashboard|operation|"
    r"(account|mfa|oidc|password_reset|admin_password)_\w+|"
    r"forecast|preview|endpoints|first_steps|"
    r"(tenants|auth|admin|admin_interface|django_celery_beat)_\w+|profiles_erasure_\w+|"
    r"snapshots_(job|workremoved|embeddingspace|webhook|document|documentcollection)_\w+"
)


@pytest.fixture
def rows(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each(CANARY)


def name_of(page: str) -> str:
    return resolve(page).url_name or ""


def test_nothing_is_shown_without_a_login(world: World, rows: Rows) -> None:
    nobody = Client()
    nobody.handler = HANDLER
    for page in pages_of(rows):
        answer: Any = nobody.get(page)
        if name_of(page) not in PUBLIC:
            assert answer.status_code == 302, page
            assert answer["Location"].startswith(LOGIN), page


def test_without_a_tenant_there_is_nothing_but_the_choice_of_one(world: World, rows: Rows) -> None:
    User.objects.create_user("noa", is_staff=True)
    noa = Client()
    noa.force_login(User.objects.get(username="noa"))
    for page in pages_of(rows):
        answer: Any = noa.get(page)
        assert CANARY not in answer.content.decode(), page
        if name_of(page) not in OUTSIDE | PUBLIC:
            led_away = answer.status_code == 302 and answer["Location"].partition("?")[0] == SWITCH
            assert led_away or answer.status_code in {403, 404}, page


@pytest.mark.slow
def test_whoever_needs_a_support_session_is_asked_for_it_on_every_page_of_people(world: World, rows: Rows) -> None:
    otto = log_in("otto")
    otto.post(SWITCH, {"tenant": str(world.acme.tenant.id)})
    asked = {page for page in pages_of(rows) if otto.get(page).headers.get("Location", "").startswith(START)}
    assert {page for page in pages_of(rows) if SHOWS_NOBODY.fullmatch(name_of(page))} & asked == set()
    assert [page for page in pages_of(rows) if not SHOWS_NOBODY.fullmatch(name_of(page)) and page not in asked] == []
    numbers = [page for page in pages_of(rows) if name_of(page) in {"preview", "forecast"}]
    assert all(CANARY not in otto.get(page).content.decode() for page in numbers)
    assert any("/playground/" in page for page in asked)


@pytest.mark.slow
def test_a_viewer_changes_nothing_by_any_form(world: World, staff: Staff, rows: Rows) -> None:
    def read_rows() -> dict[str, Any]:
        kept = [model for model in rows if model not in (AuditRecord, SupportSession)]
        with tenant_tx(world.acme.tenant.id):
            return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in kept}

    before = read_rows()
    actions = ("confirm", "retire", "forget", "approve", "reject", "keep", "take_apart", "activate", "revoke", "start")
    for page in pages_of(rows):
        if name_of(page) in {"switch", "login"}:
            continue
        chosen = [str(row.pk) for row in rows.values()]
        sent = {"reason": "because", "post": "yes", "_selected_action": chosen, "value": "x", "text": "x", "typed": "x"}
        for action in actions if page.count("/") == 4 else ("none",):
            answer: Any = staff.vic.post(
                page, {**sent, "action": action, "verb": "accept", "version": chosen[0] + ".1"}
            )
            assert answer.status_code < 500, page
    assert read_rows() == before


def test_a_view_that_says_nothing_is_taken_to_show_people() -> None:
    def unmarked_view(request: HttpRequest) -> HttpResponse:
        raise NotImplementedError

    assert shows_personal_data(unmarked_view)
    assert not shows_personal_data(mark_impersonal(unmarked_view))
    assert TenantAdmin.personal_data
