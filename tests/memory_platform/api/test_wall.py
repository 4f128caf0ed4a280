"""One tenant's key with another tenant's ids, on every route and method. Rows: T1, T2. Matrix: 3, 11, 21."""

from dataclasses import replace

import pytest

from memory_platform.kernel.ids import new_id
from tests.conftest import World, build_house, roll_back_writes
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.memory_platform.api.routes import Route, call_id, tenant_calls
from tests.memory_platform.api.valid_calls import VALID_CALLS, Ids
from tests.memory_platform.api.wall import CANARY, Rows, comparable, rows_of, seed, send

pytestmark = [pytest.mark.whole, pytest.mark.xdist_group("wall")]  # one world for all of them

CALLS = tenant_calls()
WITH_INNER_ID = [(method, route) for method, route in CALLS if set(route.names) - {"subject_id"}]
SEEDED = ("message", "preference", "profile_fact", "tag", "snapshot", "note")
each = pytest.mark.parametrize(("method", "route"), CALLS, ids=call_id)


def test_every_route_has_a_valid_call() -> None:
    assert {(method, route.pattern) for method, route in CALLS} == set(VALID_CALLS)


@pytest.fixture(scope="module")
def acme(shared_world: World) -> Caller:
    return Caller(shared_world.acme)


@pytest.fixture
def globex(shared_world: World) -> Caller:
    """A tenant that only this test has written to."""
    return Caller(build_house(f"globex-{new_id()}", "Globex", "gil"))


@pytest.fixture(scope="module")
def ids(acme: Caller) -> Ids:
    """Ids of what acme holds: no test of this module changes it, save for calls that are taken back."""
    return seed(acme)


@pytest.fixture(scope="module")
def acme_rows(shared_world: World, ids: Ids) -> Rows:
    """What acme holds."""
    rows = rows_of(shared_world.acme.tenant.id)
    assert [table for table in SEEDED if CANARY not in "".join(rows[table])] == []
    assert rows["conversation"]
    assert rows["receipt"]
    return rows


@each
def test_another_tenant_s_ids_answer_like_ids_that_nobody_has(
    globex: Caller, shared_world: World, ids: Ids, acme_rows: Rows, method: str, route: Route
) -> None:
    nobody = Ids.of_nobody()
    foreign, unknown = send(globex, method, route, ids), send(globex, method, route, nobody)
    assert comparable(foreign, ids) == comparable(unknown, nobody)
    assert CANARY.encode() not in foreign.content
    assert rows_of(shared_world.acme.tenant.id) == acme_rows


@each
def test_the_tenant_s_own_ids_are_answered(acme: Caller, ids: Ids, method: str, route: Route) -> None:
    with roll_back_writes():
        own = send(acme, method, route, ids)
    assert own.status_code < 400, own.content


@pytest.mark.parametrize(("method", "route"), WITH_INNER_ID, ids=call_id)
def test_another_tenant_s_rows_are_not_found_below_one_s_own_subject(
    globex: Caller, shared_world: World, ids: Ids, acme_rows: Rows, method: str, route: Route
) -> None:
    foreign_ids, nobody = replace(ids, subject_id="gil"), Ids.of_nobody("gil")
    foreign, unknown = send(globex, method, route, foreign_ids), send(globex, method, route, nobody)
    assert comparable(foreign, foreign_ids) == comparable(unknown, nobody)
    assert CANARY.encode() not in foreign.content
    assert rows_of(shared_world.acme.tenant.id) == acme_rows


def test_a_cursor_of_another_tenant_is_as_good_as_invented(acme: Caller, globex: Caller, ids: Ids) -> None:
    tried = 0
    seed(globex)  # the same subject and names: only the tenant differs
    for method, route in CALLS:
        is_list = method == "GET" and not route.pattern.endswith("/export")  # lines are no page
        page = body_of(send(acme, method, route, ids)) if is_list else {}
        if "next_cursor" in page:
            cursor = body_of(send(acme, method, route, ids, limit="1"))["next_cursor"]
            if cursor is None:
                continue
            taken = send(globex, method, route, ids, cursor=cursor)
            invented = send(globex, method, route, ids, cursor="invented")
            problem_of(taken, 400)
            assert comparable(taken, ids) == comparable(invented, ids), route.pattern
            tried += 1
    assert tried >= 8
