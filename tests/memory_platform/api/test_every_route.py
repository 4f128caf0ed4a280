"""What holds for every route and method, whatever noun it belongs to. Rows: T1, T2, D1. Matrix: 18, 46."""

import pytest

from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tenants.services.usage.quotas import set_limits
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, problem_of
from tests.memory_platform.api.routes import Route, call_id, tenant_calls

pytestmark = pytest.mark.whole

CALLS = tenant_calls()
WITH_BODY = [(method, route) for method, route in CALLS if method in {"POST", "PUT", "PATCH"}]
WITH_PARTS = [(method, route) for method, route in CALLS if route.names]


@pytest.fixture(scope="module")
def world(shared_world: World) -> World:
    """One world for all calls: each of them is refused before it does anything. They are more in a second than acme's
    limit."""
    with tenant_tx(shared_world.acme.tenant.id):
        set_limits({"requests_per_second": 100_000, "burst": 100_000}, by=COMMAND_LINE)
    return shared_world


def each(calls: list[tuple[str, Route]]) -> pytest.MarkDecorator:
    """Run a test for every call."""
    return pytest.mark.parametrize(("method", "route"), calls, ids=call_id)


@each(CALLS)
def test_without_a_key_it_is_401_whatever_else_is_wrong(nobody: Caller, method: str, route: Route) -> None:
    problem_of(nobody(method, f"{route.path('%00')}?q=%00", b"{"), 401)


@each(CALLS)
def test_without_the_scope_it_is_403_whatever_else_is_wrong(
    nobody: Caller, world: World, method: str, route: Route
) -> None:
    needed = route.view.scope_for(method)
    if needed == "any key":
        pytest.skip("shows a key nothing but itself")
    with tenant_tx(world.acme.tenant.id):
        others = sorted({"memory:read", "memory:write", "knowledge:write", "admin"} - {needed})
        token = create_key(name="others", scopes=others, by=COMMAND_LINE).token
    response = nobody(method, f"{route.path('%00')}?q=%00", b"{", Authorization=f"Bearer {token}")
    assert problem_of(response, 403)["code"] == "scope_missing"


@each(CALLS)
def test_a_malformed_query_is_400(acme: Caller, method: str, route: Route) -> None:
    problem_of(acme(method, f"{route.path('ada')}?q=%00", {}), 400)


@each(CALLS)
def test_an_unknown_parameter_is_400_and_named(acme: Caller, method: str, route: Route) -> None:
    query = f"{route.query}&" if route.query else "?"
    problem = problem_of(acme(method, f"{route.path('nobody-9')}{query}no_such_parameter=1", {}), 400)
    assert "no_such_parameter" in {fault["field"] for fault in problem["errors"]}


@each(WITH_PARTS)
@pytest.mark.parametrize("part", ["a%00b", "%2E%2E", "x" * 201, "a%0A"])
def test_a_malformed_id_is_400(acme: Caller, method: str, route: Route, part: str) -> None:
    kind = "subject_id" in route.names
    path = route.path(part) if kind else route.path("ada", part)
    response = acme(method, path, {})
    if ("own_id" in route.pattern or "<version:" in route.pattern) and not kind and part in {"%2E%2E", "x" * 201}:
        assert response.status_code in {400, 404}  # opaque ids: whatever was not made here is unknown
    else:
        problem_of(response, 400)


@each(WITH_BODY)
@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'{"a": "\\u0000"}', b'{"\\ud800": 1}', b"[" * 100_000])
def test_a_malformed_body_is_400(acme: Caller, method: str, route: Route, body: bytes) -> None:
    problem_of(acme(method, route.path("ada"), body), 400)


@each(WITH_BODY)
def test_an_unknown_field_is_400_and_named(acme: Caller, method: str, route: Route) -> None:
    for field in ["tenant_id", "no_such_field"]:
        problem = problem_of(acme(method, route.path("nobody-9"), {field: "x"}), 400)
        assert field in {fault["field"] for fault in problem["errors"]}


@each(WITH_BODY)
def test_what_is_no_json_is_415(acme: Caller, method: str, route: Route) -> None:
    response = acme(method, route.path("ada"), b"a=b", Content_Type="application/x-www-form-urlencoded")
    problem_of(response, 415)


@each([call for call in CALLS if call[0] in {"GET", "PATCH", "DELETE"} and "subject_id" in call[1].names])
def test_an_unknown_subject_is_404(acme: Caller, method: str, route: Route) -> None:
    problem_of(acme(method, f"{route.path('nobody-9')}{route.query}", {}), 404)
