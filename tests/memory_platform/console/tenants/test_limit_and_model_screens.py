"""Limits, use and prices in the console: who sets them, who sees them. Rows: T6, X10, T3, T7."""

import csv
import re

import pytest
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord, ModelPrice, ModelRoute, ModelUsage, UsageDay, UsageLimit
from tenants.services.keys import authenticate_key
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

ADD_ROUTE = "/console/tenants/modelroute/add/"
ROUTE = {"purpose": "extract", "endpoint": "small", "daily_tokens": "5000", "reason": "costs 成本"}
ADD = "/console/tenants/usagelimit/add/"
FORM = {"api_key": "", "requests_per_second": "7", "burst": "", "messages_per_day": "1000", "reason": "pilot 试点"}


def switch_to_acme(staff: Staff, world: World) -> None:
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})


def test_the_operator_sets_a_tenants_limits_with_a_reason(world: World, staff: Staff) -> None:
    switch_to_acme(staff, world)
    assert staff.olga.post(ADD, {**FORM, "reason": ""}).status_code == 200  # asked again
    assert staff.olga.post(ADD, FORM).status_code == 302
    limits = authenticate_key(world.acme.token).limits
    assert (limits.requests_per_second, limits.burst, limits.messages_per_day) == (7, 300, 1000)
    with tenant_tx(world.acme.tenant.id):
        assert "pilot 试点" in AuditRecord.objects.get(action="usage_limit.set").reason
        address = f"/console/tenants/usagelimit/{UsageLimit.objects.get().pk}/change/"
    assert staff.olga.post(address, {**FORM, "requests_per_second": ""}).status_code == 302
    assert authenticate_key(world.acme.token).limits.requests_per_second == 100
    for client in (staff.vic, staff.mia):
        assert "1000" in client.get(address).content.decode().replace(",", "")
        assert client.post(address, FORM).status_code == 403
        assert client.post(ADD, FORM).status_code == 403


def test_what_applies_stands_beside_today_s_use(world: World, staff: Staff) -> None:
    today = utc_now().date()
    with tenant_tx(world.acme.tenant.id):
        UsageDay.objects.create(day=today, messages=41)
        ModelUsage.objects.create(day=today, purpose="extract", model="m", input_tokens=1_000, output_tokens=7)
        ModelUsage.objects.create(day=today, purpose="cache", model="m", input_tokens=9)
        UsageLimit.objects.create(messages_per_day=500)
    page = staff.vic.get("/console/tenants/usagelimit/").content.decode()
    table = page.partition("Limits that apply")[2].partition("</table>")[0]
    words = " ".join(re.sub(r"<[^>]+>", " ", table).split())
    assert "Messages a day 500 the operator 41 0.082 8%" in words
    assert "Model tokens a day no limit default 1,007" in words
    assert re.search(r"Requests a second [\d,]+ default -", words)
    assert "Size of documents 10.0 GB default 0 bytes 0.0 0%" in words.replace("\xa0", " ")
    others = staff.gus.get("/console/tenants/usagelimit/").content.decode()
    assert ">41" not in others.partition("Limits that apply")[2].partition("</table>")[0]
    switch_to_acme(staff, world)
    form = staff.olga.get(ADD).content.decode()
    assert "Empty: the default, 300." in form
    assert "Empty: no limit." in form


def test_a_days_use_is_shown_with_its_money_and_downloaded(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        tokens = {"tokens_in_context": 1_000_000, "tokens_full_history": 40_000_000}
        for day in (1, 2):
            UsageDay.objects.create(day=f"2026-03-0{day}", contexts=day, **tokens)
        UsageDay.objects.create(day="2026-02-01", messages=7, sections={"memory": 41})
        first = UsageDay.objects.get(messages=7)
    page = staff.vic.get("/console/tenants/usageday/").content.decode()
    assert all(shown in page for shown in ("97.5%", "0.2500 USD", "10.0000 USD"))
    assert all(total in page for total in ("0.5000 USD", "20.0000 USD", "3 days", "figures-drawn"))
    assert "0.0%" not in page, "a day on which nothing was asked has no share"
    shown = staff.vic.get(f"/console/tenants/usageday/{first.pk}/change/").content.decode()
    assert '<th scope="row"><bdi>memory</bdi></th><td class="number">41</td>' in shown
    answer = staff.vic.get("/console/tenants/usageday/csv/?day__gte=2026-03-01")
    table = list(csv.DictReader(answer.content.decode().splitlines()))
    assert [row["day"] for row in table] == ["2026-03-01", "2026-03-02"]
    money = [table[0][name] for name in ("cost", "cost_full_history", "saved_ratio")]
    assert money == ["0.250000", "10.000000", "0.975"]
    assert "0.2500 USD" not in staff.gus.get("/console/tenants/usageday/").content.decode()


def test_a_day_that_cost_more_than_the_full_history_is_a_loss(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        UsageDay.objects.create(day="2026-03-01", tokens_in_context=4_333, tokens_full_history=824)
    assert "-425.8%" in staff.vic.get("/console/tenants/usageday/").content.decode()
    answer = staff.vic.get("/console/tenants/usageday/csv/").content.decode()
    assert next(csv.DictReader(answer.splitlines()))["saved_ratio"] == "-4.258"


def test_a_limit_is_set_for_a_key_by_its_name(world: World, staff: Staff) -> None:
    switch_to_acme(staff, world)
    with tenant_tx(world.acme.tenant.id):
        key = ApiKey.objects.get()
        ApiKey.objects.update(name="<b>demo</b>")
    named = f"&lt;b&gt;demo&lt;/b&gt; ({key.key_id})"
    page = staff.olga.get(ADD).content.decode()
    assert f">{named}</option>" in page
    assert ">the whole tenant</option>" in page
    made = staff.olga.post(ADD, {**FORM, "api_key": str(key.pk), "messages_per_day": ""}, follow=True).content.decode()
    with tenant_tx(world.acme.tenant.id):
        limit = UsageLimit.objects.get()
    notice = made.partition('class="messagelist"')[2].partition("</ul>")[0]
    assert named in notice
    assert f"“{limit}”" not in notice
    for address in ("/console/tenants/usagelimit/", f"/console/tenants/usagelimit/{limit.pk}/change/"):
        assert named in staff.olga.get(address).content.decode()
        assert "demo" not in staff.gus.get(address, follow=True).content.decode()


def test_the_operator_keeps_the_prices_and_staff_sees_them(world: World, staff: Staff) -> None:
    switch_to_acme(staff, world)
    add = "/console/tenants/modelprice/add/"
    money = {
        "input": "1",
        "cached_input": "0.1",
        "storage": "0",
        "output": "3",
        "currency": "EUR",
        "valid_from": "2026-11-01",
    }
    price = {"tier": "strong", "model": "own-model", "source": "contract 合同", **money}
    assert staff.olga.post(add, {**price, "currency": "euro"}).status_code == 200
    assert staff.mia.post(add, price).status_code == 403
    assert staff.olga.post(add, price).status_code == 302
    page = staff.vic.get("/console/tenants/modelprice/").content.decode()
    assert all(words in page for words in ("own-model", "€0.1 / 1M", "€3 / 1M"))
    ModelPrice.objects.filter(model="own-model").delete()


def test_a_key_has_limits_of_its_requests_only(world: World, staff: Staff) -> None:
    switch_to_acme(staff, world)
    with tenant_tx(world.acme.tenant.id):
        key = str(ApiKey.objects.get().pk)
    assert staff.olga.post(ADD, {**FORM, "api_key": key}).status_code == 200  # messages are the tenant's
    assert staff.olga.post(ADD, {**FORM, "api_key": key, "messages_per_day": ""}).status_code == 302
    assert authenticate_key(world.acme.token).limits.requests_per_second == 7
    assert authenticate_key(world.globex.token).limits.requests_per_second == 100


@pytest.fixture(autouse=True)
def endpoints(settings: Settings) -> None:
    settings.CHAT_MODEL, settings.CHAT_ENDPOINTS = "big-model", {"small": object()}


def list_routes(world: World, house: str) -> list[tuple[str, str, int | None]]:
    with tenant_tx(getattr(world, house).tenant.id):
        return [(row.purpose, row.endpoint, row.daily_tokens) for row in ModelRoute.objects.all()]


def test_a_manager_sends_a_purpose_elsewhere_and_bounds_its_day(world: World, staff: Staff) -> None:
    page = staff.mia.get(ADD_ROUTE).content.decode()
    assert all(shown in page for shown in ("small", "default", "no model: rules are used"))
    assert staff.mia.post(ADD_ROUTE, {**ROUTE, "reason": ""}).status_code == 200  # asked again: no reason
    assert list_routes(world, "acme") == []
    assert staff.mia.post(ADD_ROUTE, ROUTE).status_code == 302
    assert list_routes(world, "acme") == [("extract", "small", 5000)]
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.get(action="model_route.added").reason == "costs 成本"


def test_the_routes_that_apply_are_listed_defaults_included(world: World, staff: Staff) -> None:
    staff.mia.post(ADD_ROUTE, ROUTE)
    for client, extract in ((staff.vic, "Extract small"), (staff.gus, "Extract default default")):
        page = client.get("/console/tenants/modelroute/").content.decode()
        table = page.partition("Routes that apply")[2].partition("</table>")[0]
        words = " ".join(re.sub(r"<[^>]+>", " ", table).split())
        assert extract in words
        assert "Judge default default" in words


def test_an_endpoint_that_nobody_configured_is_refused(world: World, staff: Staff) -> None:
    assert staff.mia.post(ADD_ROUTE, {**ROUTE, "endpoint": "https://evil.example"}).status_code == 200
    assert list_routes(world, "acme") == []


def test_one_purpose_has_one_route(world: World, staff: Staff) -> None:
    staff.mia.post(ADD_ROUTE, ROUTE)
    assert staff.mia.post(ADD_ROUTE, {**ROUTE, "endpoint": ""}).status_code == 200  # says that it is there
    assert list_routes(world, "acme") == [("extract", "small", 5000)]


def test_who_is_no_manager_here_changes_nothing(world: World, staff: Staff) -> None:
    staff.mia.post(ADD_ROUTE, ROUTE)
    with tenant_tx(world.acme.tenant.id):
        address = f"/console/tenants/modelroute/{ModelRoute.objects.get().pk}/change/"
    for client in (staff.vic, staff.sam):
        assert "small" in client.get(address).content.decode()
        assert client.post(address, {**ROUTE, "daily_tokens": "1"}).status_code == 403
        assert client.post(ADD_ROUTE, {**ROUTE, "purpose": "judge"}).status_code == 403
    assert staff.gus.get(address).status_code == 404  # as for a row that nobody has
    assert staff.gus.post(address, ROUTE).status_code == 403
    assert list_routes(world, "acme") == [("extract", "small", 5000)]
    assert list_routes(world, "globex") == []
