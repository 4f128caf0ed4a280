"""Room that was given and never filled refuses nobody for long, and counting stays rare. Rows: T6."""

import time
from dataclasses import replace

import pytest

from memory_platform.kernel.errors import InvalidInput
from tenants.config import LIMIT_CONFIG
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import authenticate_key, rotate_key
from tenants.services.usage.quotas import Limits, forget_counts, reserve_snapshots, set_limits
from tests.conftest import House, World


def set_for(house: House, *, of_key: bool = False, **values: int | None) -> None:
    with tenant_tx(house.tenant.id):
        set_limits(values, by=COMMAND_LINE, api_key=ApiKey.objects.get() if of_key else None, reason="asked 要求")


def limits(house: House) -> Limits:
    return authenticate_key(house.token).limits


def test_a_tenant_has_the_policys_limits(world: World) -> None:
    assert limits(world.acme) == Limits()
    assert (limits(world.acme).requests_per_second, limits(world.acme).burst) == (100, 300)


def test_a_keys_own_limit_goes_before_its_tenants(world: World) -> None:
    set_for(world.acme, requests_per_second=50, burst=60, messages_per_day=7, model_tokens_per_day=9)
    assert limits(world.acme) == Limits(50, 60, 7, Limits().stored_snapshots, 9)
    set_for(world.acme, of_key=True, requests_per_second=5)
    assert limits(world.acme) == Limits(5, 60, 7, Limits().stored_snapshots, 9)
    assert limits(world.globex) == Limits()


def test_a_limit_is_given_back_to_the_policy(world: World) -> None:
    set_for(world.acme, burst=1, stored_snapshots=0)
    set_for(world.acme, burst=None)
    assert limits(world.acme) == Limits(stored_snapshots=0)


def test_a_successor_has_the_limits_of_its_key(world: World) -> None:
    set_for(world.acme, of_key=True, requests_per_second=5, burst=6)
    with tenant_tx(world.acme.tenant.id):
        token = rotate_key(ApiKey.objects.get(), by=COMMAND_LINE).token
    assert authenticate_key(token).limits == Limits(5, 6)


@pytest.mark.parametrize(
    ("of_key", "values"),
    [
        (False, {"requests_per_second": 0}),
        (False, {"burst": -1}),
        (False, {"messages_per_day": -1}),
        (False, {"nonsense": 1}),
        (True, {"messages_per_day": 5}),
        (True, {"model_tokens_per_day": None}),
    ],
)
def test_what_cannot_be_a_limit_is_refused(world: World, of_key: bool, values: dict[str, int | None]) -> None:
    with pytest.raises(InvalidInput):
        set_for(world.acme, of_key=of_key, **values)
    assert limits(world.acme) == Limits()


def test_a_change_stands_in_the_audit_trail(world: World) -> None:
    set_for(world.acme, burst=5, messages_per_day=None)
    with tenant_tx(world.acme.tenant.id):
        record = AuditRecord.objects.get(action="usage_limit.set")
    assert record.reason == "burst 5, messages_per_day default: asked 要求"


LIMITS = Limits(stored_snapshots=5)


class Stock:
    """Snapshots that are stored, and how often they were counted."""

    def __init__(self, held: int, *, seconds: float = 0.0) -> None:
        self.held, self.seconds, self.counts = held, seconds, 0

    def __call__(self) -> int:
        self.counts += 1
        time.sleep(self.seconds)
        return self.held


def test_duplicates_do_not_fill_the_stock(world: World) -> None:
    forget_counts()
    stock = Stock(held=3)
    policy = replace(LIMIT_CONFIG, recount_after=0.0)
    with tenant_tx(world.acme.tenant.id):
        for _ in range(8):
            reserve_snapshots(LIMITS, 1, stock, policy)
        stock.held = 5
        with pytest.raises(QuotaExceeded):
            reserve_snapshots(LIMITS, 1, stock, policy)
    assert stock.counts == 5


def test_a_full_stock_is_not_counted_again_for_each_request(world: World) -> None:
    forget_counts()
    stock = Stock(held=5)
    with tenant_tx(world.acme.tenant.id):
        for _ in range(9):
            with pytest.raises(QuotaExceeded):
                reserve_snapshots(LIMITS, 1, stock, replace(LIMIT_CONFIG, recount_after=0.0))
    assert stock.counts == 1


def test_what_takes_long_to_count_is_counted_seldom(world: World) -> None:
    forget_counts()
    stock = Stock(held=4, seconds=0.01)
    policy = replace(LIMIT_CONFIG, recount_after=1_000.0)
    with tenant_tx(world.acme.tenant.id):
        reserve_snapshots(LIMITS, 1, stock, policy)
        with pytest.raises(QuotaExceeded):
            reserve_snapshots(LIMITS, 1, stock, policy)
    assert stock.counts == 1
