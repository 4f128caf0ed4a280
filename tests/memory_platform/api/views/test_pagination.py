"""Lists in pages that neither skip nor repeat. Rows: D1. Matrix: 48."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from memory_platform.api.views.pagination import NEWEST_FIRST, Order, read_cursor, write_cursor
from memory_platform.kernel.errors import InvalidInput
from profiles.models import Subject
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

pytestmark = pytest.mark.urls("tests.memory_platform.api.probes")
LIST = "/v1/subjects"


@pytest.fixture
def seven(world: World) -> list[str]:
    """Seven subjects of acme, six of them made in the same instant."""
    with tenant_tx(world.acme.tenant.id):
        for number in range(6):
            Subject.objects.create(external_id=f"s{number}")
        Subject.objects.exclude(external_id="ada").update(created_at=datetime(2030, 1, 1, tzinfo=UTC))
        return list(Subject.objects.order_by("created_at", "id").values_list("external_id", flat=True))


def walk(caller: Caller, limit: int) -> list[list[str]]:
    """Return all pages."""
    pages, cursor = [], None
    while True:
        body = body_of(caller("GET", f"{LIST}?limit={limit}" + (f"&cursor={cursor}" if cursor else "")))
        pages.append(body["data"])
        cursor = body["next_cursor"]
        if cursor is None:
            return pages


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 200])
def test_pages_are_full_and_hold_every_row_once(acme: Caller, seven: list[str], limit: int) -> None:
    pages = walk(acme, limit)
    assert [row for page in pages for row in page] == seven
    assert all(len(page) == limit for page in pages[:-1])
    assert pages[-1]


def test_a_row_added_while_walking_neither_hides_nor_doubles_another(
    acme: Caller, world: World, seven: list[str]
) -> None:
    first = body_of(acme("GET", f"{LIST}?limit=3"))
    with tenant_tx(world.acme.tenant.id):
        Subject.objects.filter(external_id=first["data"][1]).delete()
    second = body_of(acme("GET", f"{LIST}?limit=200&cursor={first['next_cursor']}"))
    assert first["data"] + second["data"] == seven


@pytest.mark.parametrize(
    "limit", ["0", "-1", "201", "1e9", "1000000000", "9223372036854775808", "x", "", "1.5", " 5", "٥"]
)
def test_a_limit_out_of_bounds_is_400_never_clamped(acme: Caller, limit: str) -> None:
    assert fields_of(problem_of(acme("GET", f"{LIST}?limit={limit}"), 400)) == {"limit"}


def test_unknown_and_repeated_parameters_are_400(acme: Caller) -> None:
    assert fields_of(problem_of(acme("GET", f"{LIST}?offset=5"), 400)) == {"offset"}
    assert fields_of(problem_of(acme("GET", f"{LIST}?limit=5&limit=6"), 400)) == {"limit"}


@pytest.mark.parametrize("cursor", ["x", "YQ", "%F0%9F%98%80", "a" * 2_000, "W10", "=", "..", "eyJ9"])
def test_an_invented_cursor_is_400(acme: Caller, cursor: str) -> None:
    assert fields_of(problem_of(acme("GET", f"{LIST}?cursor={cursor}"), 400)) == {"cursor"}


def test_a_cursor_of_another_tenant_or_list_is_as_good_as_invented(
    acme: Caller, globex: Caller, seven: list[str]
) -> None:
    cursor = body_of(acme("GET", f"{LIST}?limit=1"))["next_cursor"]
    foreign = problem_of(globex("GET", f"{LIST}?cursor={cursor}"), 400)
    invented = problem_of(globex("GET", f"{LIST}?cursor=invented"), 400)
    assert foreign["errors"] == invented["errors"]
    problem_of(acme("GET", f"/v1/other-subjects?cursor={cursor}"), 400)
    assert acme("GET", f"{LIST}?cursor=").status_code == 200


def test_a_cursor_holds_any_place() -> None:
    place = (datetime(2026, 1, 2, 3, 4, 5, 6, UTC), uuid4(), 2**62, "名")
    assert read_cursor(write_cursor(place, "list"), "list", 4) == place
    with pytest.raises(InvalidInput):
        read_cursor(write_cursor(place, "list"), "list", 3)


def test_newest_first_walks_backwards(world: World, seven: list[str]) -> None:
    assert NEWEST_FIRST.names() == ["-created_at", "-id"]
    with tenant_tx(world.acme.tenant.id):
        last = Subject.objects.get(external_id=seven[3])
        rows = Subject.objects.filter(NEWEST_FIRST.filter_after((last.created_at, last.id))).order_by(
            *NEWEST_FIRST.names()
        )
        assert [row.external_id for row in rows] == seven[2::-1]


def test_one_unique_field_is_an_order_too(world: World, seven: list[str]) -> None:
    order = Order(fields=("external_id",))
    with tenant_tx(world.acme.tenant.id):
        rows = Subject.objects.filter(order.filter_after(("s3",))).order_by(*order.names())
        assert [row.external_id for row in rows] == ["s4", "s5"]
