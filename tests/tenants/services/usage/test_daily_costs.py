"""Money by the price table, with memory and without. Rows: X10."""

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

import pytest

from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import ModelPrice, ModelUsage, UsageDay
from tenants.services.usage.daily_costs import PricedDay, compute_saved_ratio, load_price_table, usage_by_day
from tests.conftest import World

MARCH = date(2026, 3, 1)


@pytest.fixture
def prices(world: World) -> Iterator[None]:
    kept = list(ModelPrice.objects.all())
    ModelPrice.objects.all().delete()
    for model, valid_from, read in (("old", MARCH, 1), ("new", MARCH + timedelta(days=10), 2)):
        money = {"input": read, "cached_input": "0.1", "output": 10 * read, "currency": "EUR"}
        ModelPrice.objects.create(tier="middle", model=model, valid_from=valid_from, **money)
    ModelPrice.objects.create(
        tier="light", model="small", valid_from=MARCH, input="0.5", cached_input=0, output=1, currency="EUR"
    )
    yield
    ModelPrice.objects.all().delete()
    ModelPrice.objects.bulk_create(kept)


def record_use(world: World, day: date, sent: int, full_history: int, **own: tuple[int, int]) -> PricedDay:
    with tenant_tx(world.acme.tenant.id):
        UsageDay.objects.create(day=day, tokens_in_context=sent, tokens_full_history=full_history)
        for model, (read, written) in own.items():
            ModelUsage.objects.create(day=day, purpose="extract", model=model, input_tokens=read, output_tokens=written)
    (found,) = usage_by_day(world.acme.tenant.id, day, day)
    return found


@pytest.mark.usefixtures("prices")
def test_a_day_is_priced_by_what_was_valid_then(world: World) -> None:
    before, on, later = (MARCH + timedelta(days=days) for days in (-1, 0, 10))
    assert record_use(world, before, 10, 20).cost is None
    first, second = record_use(world, on, 2_000_000, 9_000_000), record_use(world, later, 2_000_000, 9_000_000)
    assert (first.cost, first.cost_full_history, first.currency) == (Decimal(2), Decimal(9), "EUR")
    assert (second.cost, second.cost_full_history) == (Decimal(4), Decimal(18))
    assert second.saved_ratio == 0.778


@pytest.mark.usefixtures("prices")
def test_what_the_memorys_own_models_used_is_part_of_its_cost(world: World) -> None:
    day = record_use(world, MARCH, 1_000_000, 9_000_000, small=(1_000_000, 2_000_000), unknown=(1_000_000, 0))
    assert day.model_tokens == 4_000_000
    assert day.cost == Decimal("1") + Decimal("0.5") + Decimal("2") + Decimal("1")
    assert day.cost_full_history == 9


def test_a_new_platform_has_examples_that_say_so(world: World) -> None:
    tiers = {row.tier: row for row in ModelPrice.objects.all()}
    assert set(tiers) == {"light", "middle", "strong"}
    assert all(row.is_example and "2026-11-22" in row.source for row in tiers.values())
    price = load_price_table().of_tier("middle", utc_now().date())
    assert price is not None
    assert price.compute_read_cost(1_000_000) == Decimal("0.25")
    assert price.compute_read_cost(1_000_000, cached=1_000_000) == Decimal("0.025")


def test_nothing_is_saved_where_nothing_was_said() -> None:
    assert (compute_saved_ratio(10, 0), compute_saved_ratio(20, 10), compute_saved_ratio(14, 1000)) == (0.0, 0.0, 0.986)
