"""Another tenant's row, a missing row and a malformed id are one thing, on every page. Rows: T1, T3, T7, D2.

The addresses are the site's own, so that a new page with an id is tried without being named here.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin import site
from django.db.models import Model
from django.test import Client
from django.urls import get_resolver

from memory_platform.console.memory_actions.actions import STAFF_ACTIONS
from memory_platform.console.shared.refusals import ROW_ARGUMENTS
from memory_platform.kernel.ids import new_id
from profiles.models import Candidate, Preference, Subject, Tag
from snapshots.erasure.subjects import erase_subject
from snapshots.models import Conversation, Receipt, Snapshot
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role, TenantOwned
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.rows import make_one_of_each
from tests.memory_platform.console.shared.desks import REVIEW, join_tenant, leave_tenant, read_page_text

MALFORMED = "not-an-id"
# The box of the header.
SEARCH = 'action="/console/profiles/subject/find/"'
NOTHING_FOUND = "Nothing was found at this address in the tenant you work in."

Rows = dict[type[Model], Any]


@pytest.fixture
def secret(world: World) -> Rows:
    with tenant_tx(world.acme.tenant.id):
        return make_one_of_each("CANARY")


@pytest.fixture
def own(world: World) -> Rows:
    with tenant_tx(world.globex.tenant.id):
        return make_one_of_each("own")


@pytest.fixture
def gina(world: World, staff: Staff) -> Client:
    """A manager of globex."""
    return log_in("gina", tenant=world.globex.tenant, role=Role.MANAGER)


def row_addresses() -> Iterator[tuple[str, type[Model]]]:
    """Yield every address of a row, with ``{id}`` for its id, and the model of its screen."""
    _path, console = get_resolver().namespace_dict["admin"]
    models = {f"{model._meta.app_label}_{model._meta.model_name}": model for model in site._registry}
    for name in sorted({key for key in console.reverse_dict if isinstance(key, str)}):
        model = next((models[prefix] for prefix in models if name.startswith(f"{prefix}_")), None)
        for possible, *_rest in console.reverse_dict.getlist(name):
            for template, arguments in possible:
                if model is None or not set(arguments) & set(ROW_ARGUMENTS):
                    continue
                for verb in STAFF_ACTIONS if "verb" in arguments else ("",):
                    given = dict.fromkeys(arguments, "1") | dict.fromkeys(ROW_ARGUMENTS, "{id}") | {"verb": verb}
                    yield f"/console/{template % given}", Subject if name.endswith("_playground") else model


def read_refusals(house: House) -> list[tuple[str, str, str]]:
    with tenant_tx(house.tenant.id):
        rows = AuditRecord.objects.filter(refused=True).order_by("at", "id")
        return list(rows.values_list("action", "object_kind", "object_id"))


def read_rows(house: House, rows: Rows) -> dict[str, Any]:
    with tenant_tx(house.tenant.id):
        return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in rows}


def strip_page(answer: Any, row_id: str) -> str:
    """Return a page without what differs between two requests: tokens and the id that was asked for."""
    return re.sub(r'(csrfmiddlewaretoken" value=")\w+', r"\1", answer.content.decode()).replace(row_id, "ID")


def ask_for_each(client: Client, method: str, address: str, ids: list[str]) -> list[tuple[int, str, str]]:
    answers: list[Any] = []
    for one in ids:
        sent = {"post": "yes", "reason": "because", "typed": one} if method == "post" else {}
        answers.append(getattr(client, method)(address.format(id=one), sent))
    return [
        (answer.status_code, strip_page(answer, one), answer.headers.get("Location", "").replace(one, "ID"))
        for answer, one in zip(answers, ids, strict=True)
    ]


@pytest.mark.parametrize("method", ["get", pytest.param("post", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_every_address_of_a_row_is_refused_alike_and_recorded_once(
    world: World, gina: Client, secret: Rows, own: Rows, method: str
) -> None:
    before, tried = read_rows(world.acme, secret), 0
    for address, model in row_addresses():
        if not issubclass(model, TenantOwned):
            continue
        theirs = str(secret[model].pk) if model in secret else str(world.acme.tenant.id)
        ids = [theirs, str(new_id()), MALFORMED]
        recorded = len(read_refusals(world.globex))
        answers = ask_for_each(gina, method, address, ids)
        assert len(set(answers)) == 1, address
        status, page, _location = answers[0]
        new = read_refusals(world.globex)[recorded:]
        if status == 405:
            assert new == [], address
            continue
        assert status in {403, 404}, address
        assert SEARCH in page, address
        assert [(action, named) for action, _kind, named in new] == [
            ("console.page", theirs),
            ("console.page", ids[1]),
            ("console.page", ""),
        ], address
        tried += 1
        if method == "get" and model in own and gina.get(address.format(id=own[model].pk)).status_code == 200:
            assert (status, NOTHING_FOUND in page) == (404, True), address
    assert tried > 100
    assert read_refusals(world.acme) == []
    assert read_rows(world.acme, secret) == before


@pytest.mark.slow
def test_support_is_refused_alike_too(world: World, staff: Staff, secret: Rows) -> None:
    for address, model in row_addresses():
        if model in secret:
            answers = ask_for_each(staff.gus, "get", address, [str(secret[model].pk), str(new_id()), MALFORMED])
            assert len(set(answers)) == 1, address
            assert answers[0][0] in {403, 404}, address
    assert read_refusals(world.acme) == []


def test_the_operator_s_rows_that_do_not_exist_are_not_found(world: World, staff: Staff) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    for address, model in row_addresses():
        if not issubclass(model, TenantOwned):
            nobodys = "999999" if model._meta.pk.get_internal_type() != "UUIDField" else str(new_id())
            answers = ask_for_each(staff.olga, "get", address, [nobodys, MALFORMED])
            assert len(set(answers)) == 1, address
            assert answers[0][0] in {403, 404}, address


def test_a_bulk_action_leaves_out_what_is_not_there_and_is_recorded(
    world: World, gina: Client, secret: Rows, own: Rows
) -> None:
    tags, before = "/console/profiles/tag/", read_rows(world.acme, secret)
    bodies = []
    for chosen in (str(secret[Tag].pk), str(new_id()), MALFORMED):
        sent = {"action": "retire", "_selected_action": [chosen], "reason": "because"}
        answer: Any = gina.post(tags, sent, follow=True)
        assert answer.redirect_chain == [(tags, 302)]
        bodies.append(read_page_text(answer))
        assert "none of the chosen rows is in this tenant" in answer.content.decode()
    assert len(set(bodies)) == 1
    assert read_refusals(world.globex)[0] == ("console.page", "profiles_tag_changelist", str(secret[Tag].pk))
    assert len(read_refusals(world.globex)) == 3
    both = {"action": "retire", "_selected_action": [str(secret[Tag].pk), str(own[Tag].pk)], "reason": "because"}
    page = gina.post(tags, both, follow=True).content.decode()
    assert "1 chosen row is not in this tenant and was left out." in page
    assert "1 row: done." in page
    assert len(read_refusals(world.globex)) == 4
    assert read_refusals(world.acme) == []
    assert read_rows(world.acme, secret) == before


@pytest.mark.slow
def test_every_list_survives_actions_on_rows_that_are_not_there(world: World, gina: Client, secret: Rows) -> None:
    before = read_rows(world.acme, secret)
    for model, row in secret.items():
        for action in list(site._registry[model].actions or ()) if model in site._registry else ():
            pages = []
            for chosen in (str(row.pk), str(new_id()), MALFORMED):
                sent = {"action": action, "_selected_action": [chosen], "reason": "because"}
                answer: Any = gina.post(f"/console/{model._meta.app_label}/{model._meta.model_name}/", sent)
                pages.append((answer.status_code, answer.headers.get("Location")))
            assert len(set(pages)) == 1, (model, action)
            assert pages[0][0] in {200, 302}, (model, action)
    assert read_rows(world.acme, secret) == before
    assert read_refusals(world.acme) == []


@pytest.mark.parametrize(
    "named",
    [
        (Tag, "subject", Subject),
        (Snapshot, "subject", Subject),
        (Snapshot, "conversation", Conversation),
        (Receipt, "memory", Snapshot),
        (Tag, "id__exact", Tag),
        (Tag, "pk", Tag),
        (Tag, "subject_id", Subject),
        (Preference, "subject__id__exact", Subject),
        (Preference, "id__in", Preference),
    ],
)
def test_a_filter_that_names_a_row_that_is_not_there_shows_nothing_and_is_recorded(
    world: World, gina: Client, secret: Rows, own: Rows, named: tuple[type[Model], str, type[Model]]
) -> None:
    listed, parameter, model = named
    address = f"/console/{listed._meta.app_label}/{listed._meta.model_name}/"
    pages = []
    for chosen in (str(secret[model].pk), str(new_id())):
        answer = gina.get(address, {parameter: chosen})
        shown = strip_page(answer, chosen).replace(chosen[-8:], "ID")
        pages.append((answer.status_code, shown))
        assert read_refusals(world.globex)[-1] == ("console.page", answer.resolver_match.url_name, chosen)
    assert pages[0] == pages[1]
    assert "CANARY" not in pages[0][1]
    assert len(read_refusals(world.globex)) == 2
    assert gina.get(address, {parameter: str(own[model].pk)}).status_code == 200
    assert len(read_refusals(world.globex)) == 2
    assert read_refusals(world.acme) == []


def test_pages_that_take_an_id_in_a_form_record_what_is_not_there(
    world: World, gina: Client, secret: Rows, own: Rows
) -> None:
    for chosen in (str(secret[Candidate].pk), str(new_id())):
        assert gina.get(REVIEW, {"candidate": chosen}).status_code == 200
        assert read_refusals(world.globex)[-1] == ("console.page", "profiles_candidate_review", chosen)
        answer = gina.post(REVIEW, {"candidate": chosen, "verb": "accept", "reason": "because"}, follow=True)
        assert "This one was erased in the meantime" in answer.content.decode()
    playground = f"/console/snapshots/receipt/playground/{own[Subject].pk}/"
    for chosen in (str(secret[Receipt].pk), str(new_id())):
        page = gina.get(playground, {"receipt": chosen}).content.decode()
        assert "CANARY" not in page
        assert read_refusals(world.globex)[-1] == ("console.page", "snapshots_receipt_playground", chosen)
    assert len(read_refusals(world.globex)) == 6
    assert read_refusals(world.acme) == []


def test_who_goes_back_to_what_was_erased_is_not_refused(world: World, staff: Staff) -> None:
    page = f"/console/profiles/subject/{world.acme.subject.pk}/change/"
    assert staff.mia.get(page).status_code == 200
    erase_subject(world.acme.tenant.id, "ada", by=COMMAND_LINE)
    assert staff.mia.get(page).status_code == 404
    assert read_refusals(world.acme) == []
    assert staff.vic.get(page).status_code == 404, "who never saw it asks for an id that nobody has"
    assert read_refusals(world.acme) == [("console.page", "profiles_subject_change", str(world.acme.subject.pk))]


def test_a_switch_to_a_tenant_that_is_not_granted_is_recorded_where_one_works(world: World, gina: Client) -> None:
    for chosen in (str(world.acme.tenant.id), str(new_id()), MALFORMED):
        answer = gina.post("/console/switch/", {"tenant": chosen})
        assert answer.status_code == 403
        assert read_refusals(world.globex)[-1] == ("tenant.switch", "switch", chosen if chosen != MALFORMED else "")
    assert len(read_refusals(world.globex)) == 3
    assert read_refusals(world.acme) == []


def test_a_refused_page_stands_in_the_console_with_advice_that_fits(world: World, staff: Staff, gina: Client) -> None:
    role = "A manager of the tenant can change your role."
    for client, page, status, advice in (
        (staff.vic, "/console/tenants/auditrecord/", 403, role),
        (staff.sam, "/console/tenants/tenant/", 403, "Only a platform operator may see this page."),
        (gina, "/console/auth/user/", 403, "Only a platform operator may see this page."),
        (gina, "/console/admin_interface/theme/", 403, "Only a platform operator may see this page."),
        (gina, "/console/operation/", 403, "Only a platform operator may see this page."),
        (gina, "/console/profiles/tag/add/", 403, "The console does not offer this, in any role."),
        (gina, "/console/nowhere/", 404, NOTHING_FOUND),
    ):
        answer: Any = client.get(page)
        shown = answer.content.decode()
        assert answer.status_code == status, page
        assert advice in shown, page
        assert (role in shown) is (advice == role), page
        assert SEARCH in shown, page


def test_the_advice_speaks_of_other_tenants_only_to_those_who_have_them(
    world: World, staff: Staff, gina: Client
) -> None:
    other = "in another of your tenants"
    assert other not in gina.get("/console/nowhere/").content.decode()
    join_tenant(world.globex.tenant, "sam", Role.VIEWER)
    staff.sam.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    assert other in staff.sam.get("/console/nowhere/").content.decode()


def test_somebody_without_a_tenant_is_refused_plainly(world: World, staff: Staff) -> None:
    noa = log_in("noa", tenant=world.globex.tenant, role=Role.VIEWER)
    leave_tenant(world.globex.tenant, "noa")
    answer = noa.post("/console/switch/", {"tenant": str(world.acme.tenant.id), "form_tenant": ""})
    assert answer.status_code == 403
    assert read_refusals(world.acme) == read_refusals(world.globex) == []
