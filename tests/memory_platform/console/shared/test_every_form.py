"""Every form names its tenant, and every address asks for it. Rows: T3, T7, D2. Matrix: 9."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import get_resolver

from memory_platform.console.memory_actions.actions import STAFF_ACTIONS
from memory_platform.console.shared.tenant_switch_guard import TENANT_FIELD
from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.forms import forms_of
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.shared.desks import list_refusals, read_page_text, switch_tenant
from tests.memory_platform.console.test_every_page import Rows, pages_of
from tests.memory_platform.console.test_guards import ACCOUNT, PUBLIC, name_of

# Addresses whose form is taken from any tenant, and why. Whoever adds one says so here.
OF_NO_TENANT = {
    "login": "nobody works anywhere yet",
    "logout": "ends the log-in, wherever one works",
    "password_change": "the person's own password",
    "password_change_done": "only shows",
    "jsi18n": "only shows",
    "theme": "only shows",
    "switch": "chooses the tenant",
    "invitation": "is opened before there is a tenant",
    "invitation_accept": "names its tenant in the link",
    "tenants_tenant_add": "makes a tenant of its own",
    "endpoints": "calls a model of the platform",
    **dict.fromkeys(ACCOUNT, "the person's own log-in"),
    **dict.fromkeys(PUBLIC - {"theme", "login"}, "nobody works anywhere yet"),
}


def test_a_new_view_is_refused_until_its_form_says_where_it_belongs(acme: House, ben: Client) -> None:
    done = []

    def new_view(request: HttpRequest) -> HttpResponse:
        done.append(request.method)
        return HttpResponse("done")

    view = site.admin_view(new_view)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert view(ask_page(ben, method, {})).status_code == 409, method
    assert done == []
    assert view(ask_page(ben, "POST", {TENANT_FIELD: str(acme.tenant.id)})).content == b"done"
    assert done == ["POST"]


def ask_page(client: Client, method: str, data: Any) -> HttpRequest:
    """Return a request with the log-in and the tenant of a browser."""
    factory: Any = RequestFactory()
    request: HttpRequest = factory.post("/console/invented/", data)
    request.method = method
    request.session = client.session
    request.user = User.objects.get(username="ben")
    request._messages = []  # type: ignore[attr-defined]  # what the middleware of messages leaves
    request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # as the test client asks
    return request


def addresses() -> Iterator[str]:
    """Yield every address of the console, those without a name included, each with something for its arguments."""
    _path, console = get_resolver().namespace_dict["admin"]
    some = {"job": "purge-expired", "content_type_id": "1", "app_label": "tenants", "url": "invented/", "verb": ""}
    for key in list(console.reverse_dict):
        for possible, *_rest in console.reverse_dict.getlist(key):
            for template, arguments in possible:
                for verb in STAFF_ACTIONS if "verb" in arguments else ("",):
                    given = {name: some.get(name, str(new_id())) for name in arguments} | {"verb": verb}
                    yield f"/console/{template % given}"


def everywhere(rows: Rows) -> list[str]:
    """Return the address of every page of the rows, and the addresses that no row has a page at."""
    pages = pages_of(rows)
    tried = {name_of(page) for page in pages}
    return sorted({*pages, *(page for page in addresses() if name_of(page) not in tried)})


@pytest.fixture
def rows(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each("peanuts")


@pytest.mark.parametrize("comes_from", [pytest.param("nowhere", marks=pytest.mark.slow), "globex"])
def test_every_address_refuses_what_comes_from_nowhere_or_from_another_tenant(
    world: World, staff: Staff, rows: Rows, comes_from: str
) -> None:
    acme, globex = world.acme, world.globex

    def read_rows() -> dict[str, Any]:
        kept = [model for model in rows if model is not AuditRecord]
        with tenant_tx(acme.tenant.id):
            return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in kept}

    switch_tenant(staff.olga, acme)
    before, statuses = read_rows(), Counter[int]()
    sent = {"reason": "because", "post": "yes", "typed": rows[Subject].external_id}
    sent[TENANT_FIELD] = str(globex.tenant.id) if comes_from == "globex" else ""
    for page in everywhere(rows):
        if name_of(page) in OF_NO_TENANT:
            continue
        answer: Any = staff.olga.post(page, sent)
        assert answer.status_code in {405, 409}, page
        assert answer.status_code == 405 or "Nothing was saved" in read_page_text(answer), page
        statuses[answer.status_code] += 1
    assert statuses[409] > 200
    assert statuses[405] < 5, "what takes no form at all"
    assert read_rows() == before
    assert len(list_refusals(acme)) == statuses[409]
    assert list_refusals(globex) == []


def test_the_addresses_of_no_tenant_are_all_there(world: World, rows: Rows) -> None:
    assert {name_of(page) for page in everywhere(rows)} >= set(OF_NO_TENANT)


@pytest.mark.slow
def test_every_form_on_every_page_says_where_it_belongs(acme: House, staff: Staff, rows: Rows) -> None:
    switch_tenant(staff.olga, acme)
    found = set()
    for page in pages_of(rows):
        answer: Any = staff.olga.get(page)
        if answer.streaming or not answer["Content-Type"].startswith("text/html") or answer.status_code != 200:
            continue
        for form in forms_of(answer.content.decode()):
            if form.method == "post" and name_of(page) not in {"login", "switch"} | PUBLIC:
                assert form.fields[TENANT_FIELD] == [str(acme.tenant.id)], (page, form.action)
                found.add(form.action or page)
    assert len(found) > 60
