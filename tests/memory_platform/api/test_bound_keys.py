"""A key of one subject: what is its subject's is answered, the rest is there for nobody. Rows: D7, T2."""

from dataclasses import replace
from typing import Any

import pytest

from memory_platform.kernel.errors import InvalidInput
from tenants.errors import InvalidKey
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, create_key, rotate_key
from tests.conftest import House, World, roll_back_writes
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.memory_platform.api.routes import Route, call_id, tenant_calls
from tests.memory_platform.api.valid_calls import Ids
from tests.memory_platform.api.wall import CANARY, Rows, comparable, rows_of, seed, send

pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("bound keys")]  # one world for all of them

CALLS = tenant_calls()
OF_TENANT = tuple(
    f"v1/{noun}"
    for noun in (
        "policies", "experiments", "usage", "import", "keys", "tenant/upstreams", "webhooks", "documents", "collections"
    )
)  # fmt: skip
# A key of one subject reads documents that everybody may read.
OPEN_TEXT = "v1/documents/<product_id:document_id>/text"
OF_SUBJECT = [
    (method, route) for method, route in CALLS if not route.pattern.startswith(OF_TENANT) and route.pattern != OPEN_TEXT
]
WITH_ID = [(method, route) for method, route in OF_SUBJECT if set(route.names) - {"version"}]
WITH_INNER_ID = [(method, route) for method, route in WITH_ID if "subject_id" in route.names and len(route.names) > 1]
OF_THE_KEY = {"api_key", "audit_record", "usage_day"}
"""What any request of a key changes."""


def bind(house: House, subject_id: str) -> Caller:
    """Make a key of one subject, and call with it."""
    with tenant_tx(house.tenant.id):
        made = create_key(
            name="phone", scopes=["memory:read", "memory:write"], by=COMMAND_LINE, bound_subject=subject_id
        )
    return Caller(replace(house, token=made.token))


@pytest.fixture(scope="module")
def acme(shared_world: World) -> Caller:
    return Caller(shared_world.acme)


@pytest.fixture(scope="module")
def ids(acme: Caller) -> Ids:
    """What Ada has; no test of this module changes it."""
    return seed(acme)


@pytest.fixture(scope="module")
def ada(shared_world: World) -> Caller:
    return bind(shared_world.acme, "ada")


@pytest.fixture(scope="module")
def gus(shared_world: World, acme: Caller) -> Caller:
    """Another person of the same tenant."""
    acme("PUT", "/v1/subjects/gus", {})
    return bind(shared_world.acme, "gus")


@pytest.fixture(scope="module")
def before(shared_world: World, ids: Ids, gus: Caller, ada: Caller) -> Rows:
    """What acme holds before anybody tries."""
    return kept_rows(shared_world)


def kept_rows(world: World) -> Rows:
    return {table: rows for table, rows in rows_of(world.acme.tenant.id).items() if table not in OF_THE_KEY}


@pytest.mark.parametrize(("method", "route"), WITH_ID, ids=call_id)
def test_ids_of_another_subject_answer_like_ids_that_nobody_has(
    gus: Caller, shared_world: World, ids: Ids, before: Rows, method: str, route: Route
) -> None:
    nobody = Ids.of_nobody()
    foreign, unknown = send(gus, method, route, ids), send(gus, method, route, nobody)
    assert comparable(foreign, ids) == comparable(unknown, nobody)
    problem_of(foreign, 404)
    assert CANARY.encode() not in foreign.content
    assert kept_rows(shared_world) == before


@pytest.mark.slow
@pytest.mark.parametrize(("method", "route"), WITH_INNER_ID, ids=call_id)
def test_rows_of_another_subject_are_not_found_below_one_s_own(
    gus: Caller, ids: Ids, method: str, route: Route
) -> None:
    foreign_ids, nobody = replace(ids, subject_id="gus"), Ids.of_nobody("gus")
    with roll_back_writes():
        foreign = send(gus, method, route, foreign_ids)
    with roll_back_writes():
        unknown = send(gus, method, route, nobody)
    assert comparable(foreign, foreign_ids) == comparable(unknown, nobody)
    assert CANARY.encode() not in foreign.content


@pytest.mark.parametrize(("method", "route"), OF_SUBJECT, ids=call_id)
@pytest.mark.slow
def test_one_s_own_ids_are_answered(ada: Caller, ids: Ids, method: str, route: Route) -> None:
    if route.pattern.startswith("v1/erasures"):
        return  # of a subject that is gone, and its keys with it
    with roll_back_writes():
        own = send(ada, method, route, ids)
    assert own.status_code < 400, own.content


@pytest.mark.parametrize(("method", "route"), [call for call in CALLS if call not in OF_SUBJECT], ids=call_id)
def test_what_concerns_the_whole_tenant_is_refused(ada: Caller, ids: Ids, method: str, route: Route) -> None:
    if route.pattern == OPEN_TEXT:  # of a document behind a label
        assert comparable(send(ada, method, route, ids), ids) == comparable(
            send(ada, method, route, Ids.of_nobody()), Ids.of_nobody()
        )
        return
    assert problem_of(send(ada, method, route, ids), 403)["code"] in {"key_bound_to_subject", "scope_missing"}


def test_lists_show_the_own_subject_alone(gus: Caller, ada: Caller, acme: Caller, ids: Ids) -> None:
    assert [one["subject_id"] for one in body_of(gus("GET", "/v1/subjects"))["data"]] == ["gus"]
    assert body_of(gus("GET", "/v1/receipts"))["data"] == []
    assert body_of(gus("GET", "/v1/receipts?subject_id=ada"))["data"] == []
    assert len(body_of(ada("GET", "/v1/receipts"))["data"]) == len(body_of(acme("GET", "/v1/receipts"))["data"]) > 0
    assert body_of(gus("GET", "/v1/tenant"))["subject_id"] == "gus"
    assert body_of(acme("GET", "/v1/tenant"))["subject_id"] is None


def test_a_key_of_one_subject_reads_and_writes_memory_and_nothing_else(shared_world: World) -> None:
    wrong: list[dict[str, Any]] = [
        {"scopes": ["memory:read", "admin"], "bound_subject": "ada"},
        {"scopes": ["knowledge:write"], "bound_subject": "ada"},
        {"scopes": ["memory:read"], "bound_subject": "a/b"},
        {"scopes": ["memory:read"], "bound_subject": "x" * 201},
    ]
    with tenant_tx(shared_world.acme.tenant.id):
        for given in wrong:
            with pytest.raises(InvalidInput):
                create_key(name="wrong", by=COMMAND_LINE, **given)


def test_a_successor_is_bound_to_the_same_subject_and_the_binding_is_audited(shared_world: World) -> None:
    world, bound = shared_world, bind(shared_world.acme, "ada")
    assert bound.house is not None
    key_id = authenticate_key(bound.house.token).key_id
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.filter(action="api_key.bound", object_id=key_id).count() == 1
        successor = rotate_key(ApiKey.objects.get(key_id=key_id), by=COMMAND_LINE)
    assert authenticate_key(successor.token).bound_subject == "ada"


def test_erasing_the_subject_ends_its_keys(shared_world: World, acme: Caller) -> None:
    world, bound = shared_world, bind(shared_world.acme, "leo")
    acme("PUT", "/v1/subjects/leo", {})
    certificate = body_of(acme("DELETE", "/v1/subjects/leo"))["certificate"]
    assert certificate["erased"]["api_key"] == 1
    assert bound.house is not None
    with pytest.raises(InvalidKey):
        authenticate_key(bound.house.token)
    with tenant_tx(world.acme.tenant.id):
        assert not ApiKey.objects.filter(bound_subject="leo").exists()
