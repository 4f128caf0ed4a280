"""Room that was given and never filled refuses nobody for long, and counting stays rare. Rows: T6."""

import time
from dataclasses import replace

import pytest

from tenants.config import LIMIT_POLICY
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx
from tenants.services.usage.limits import Limits
from tenants.services.usage.quotas import forget_counts, reserve_snapshots
from tests.conftest import World

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
    policy = replace(LIMIT_POLICY, recount_after=0.0)
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
                reserve_snapshots(LIMITS, 1, stock, replace(LIMIT_POLICY, recount_after=0.0))
    assert stock.counts == 1


def test_what_takes_long_to_count_is_counted_seldom(world: World) -> None:
    forget_counts()
    stock = Stock(held=4, seconds=0.01)
    policy = replace(LIMIT_POLICY, recount_after=1_000.0)
    with tenant_tx(world.acme.tenant.id):
        reserve_snapshots(LIMITS, 1, stock, policy)
        with pytest.raises(QuotaExceeded):
            reserve_snapshots(LIMITS, 1, stock, policy)
    assert stock.counts == 1
