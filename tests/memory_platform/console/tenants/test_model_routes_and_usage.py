"""Managers say which model works for their tenant and what a day may cost; nobody else does. Rows: L1, T3, T7."""

import pytest
from pytest_django.fixtures import Settings

from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, ModelRoute
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

ADD = "/console/tenants/modelroute/add/"
ROUTE = {"purpose": "extract", "endpoint": "small", "daily_tokens": "5000", "reason": "costs 成本"}


@pytest.fixture(autouse=True)
def endpoints(settings: Settings) -> None:
    settings.CHAT_MODEL, settings.CHAT_ENDPOINTS = "big-model", {"small": object()}


def list_routes(world: World, house: str) -> list[tuple[str, str, int | None]]:
    with tenant_tx(getattr(world, house).tenant.id):
        return [(row.purpose, row.endpoint, row.daily_tokens) for row in ModelRoute.objects.all()]


def test_a_manager_sends_a_purpose_elsewhere_and_bounds_its_day(world: World, staff: Staff) -> None:
    page = staff.mia.get(ADD).content.decode()
    assert all(shown in page for shown in ("small", "default", "no model: rules are used"))
    assert staff.mia.post(ADD, {**ROUTE, "reason": ""}).status_code == 200  # asked again: no reason
    assert list_routes(world, "acme") == []
    assert staff.mia.post(ADD, ROUTE).status_code == 302
    assert list_routes(world, "acme") == [("extract", "small", 5000)]
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.get(action="model_route.added").reason == "costs 成本"


def test_an_endpoint_that_nobody_configured_is_refused(world: World, staff: Staff) -> None:
    assert staff.mia.post(ADD, {**ROUTE, "endpoint": "https://evil.example"}).status_code == 200
    assert list_routes(world, "acme") == []


def test_one_purpose_has_one_route(world: World, staff: Staff) -> None:
    staff.mia.post(ADD, ROUTE)
    assert staff.mia.post(ADD, {**ROUTE, "endpoint": ""}).status_code == 200  # says that it is there
    assert list_routes(world, "acme") == [("extract", "small", 5000)]


def test_who_is_no_manager_here_changes_nothing(world: World, staff: Staff) -> None:
    staff.mia.post(ADD, ROUTE)
    with tenant_tx(world.acme.tenant.id):
        address = f"/console/tenants/modelroute/{ModelRoute.objects.get().pk}/change/"
    for client in (staff.vic, staff.sam):
        assert "small" in client.get(address).content.decode()
        assert client.post(address, {**ROUTE, "daily_tokens": "1"}).status_code == 403
        assert client.post(ADD, {**ROUTE, "purpose": "judge"}).status_code == 403
    assert staff.gus.get(address).status_code == 302  # as for a row that nobody has
    assert staff.gus.post(address, ROUTE).status_code in {302, 403}
    assert list_routes(world, "acme") == [("extract", "small", 5000)]
    assert list_routes(world, "globex") == []
