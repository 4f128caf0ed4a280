"""What a vendor reads and keeps of prompts stands in the tenant's ledger. Rows: X9, X10, T6, T1."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.postgres.prepared_statements import Statement
from snapshots.prompt_cache.cache_prefix import NotKept
from snapshots.prompt_cache.remove_prefixes import remove_prefixes
from tenants.isolation import tenant_tx
from tenants.isolation.scope import tenant_reads
from tenants.models import CACHE, ModelPrice, ModelUsage, UsageDay
from tenants.services.usage.ledger import usage_by_day
from tenants.services.usage.model_use import _SPENT
from tests.conftest import House, World
from tests.gemini_server import FakeGemini, gemini_server
from tests.model_server import Reply
from tests.snapshots.prompt_cache.test_cache_prefix import earlier, keep, keeper, name_of, subject_of

TOKENS, LIVES = 2_100, timedelta(minutes=10)


@pytest.fixture
def gemini() -> Iterator[FakeGemini]:
    with gemini_server() as running:
        yield running


def read_ledger(house: House) -> tuple[int, int, int, float]:
    """Return calls, failures, tokens read, and minutes for which all tokens are kept."""
    with tenant_tx(house.tenant.id):
        used = ModelUsage.objects.get(purpose=CACHE, model="gemini-2.5-flash")
    return used.calls, used.failures, used.input_tokens, float(used.token_hours) * 60 / TOKENS


def about(minutes: float) -> Any:
    return pytest.approx(minutes, abs=0.2)


def test_made_is_read_once_and_kept_for_its_time(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name_of(world.acme, kept_by)
    assert read_ledger(world.acme) == (1, 0, TOKENS, about(10))
    name_of(world.acme, kept_by)  # handed out without a call
    assert read_ledger(world.acme) == (1, 0, TOKENS, about(10))
    with tenant_tx(world.globex.tenant.id):
        assert not ModelUsage.objects.exists()


def test_extended_is_kept_for_longer_and_not_read_again(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name_of(world.acme, kept_by)
    earlier(world.acme, timedelta(minutes=3))
    name_of(world.acme, kept_by)
    assert read_ledger(world.acme) == (2, 0, TOKENS, about(10 + 7))


def test_what_an_erasure_ends_is_booked_back(world: World, gemini: FakeGemini) -> None:
    kept_by = keeper(gemini)
    name_of(world.acme, kept_by)
    remove_prefixes(world.acme.tenant.id, subject_of(world.acme), kept_by)
    assert read_ledger(world.acme) == (2, 0, TOKENS, about(0))


@pytest.mark.parametrize("status", [429, 500])
def test_a_call_that_fails_is_counted_as_one(world: World, gemini: FakeGemini, status: int) -> None:
    gemini.instead = lambda _: Reply({}, status=status)
    assert keep(world.acme, keeper(gemini)) is NotKept.UNAVAILABLE
    assert read_ledger(world.acme) == (1, 1, 0, 0)


def test_where_the_vendor_tells_no_tokens_the_estimate_counts(world: World, gemini: FakeGemini) -> None:
    ends = (utc_now() + LIVES).isoformat()
    gemini.instead = lambda _: Reply({"name": "cachedContents/x", "expireTime": ends})
    name_of(world.acme, keeper(gemini))
    assert read_ledger(world.acme)[2] == 2_048


def test_it_has_its_price_and_takes_nothing_from_the_day_s_tokens(world: World, gemini: FakeGemini) -> None:
    today = utc_now().date()
    money = {"input": "0.30", "cached_input": "0.03", "output": "2.50", "storage": "6", "currency": "USD"}
    told = {"tier": "light", "valid_from": today, "source": "made up"}
    price = ModelPrice.objects.create(model="gemini-2.5-flash", **money, **told)
    try:
        name_of(world.acme, keeper(gemini))
        with tenant_tx(world.acme.tenant.id):
            UsageDay.objects.create(day=today)
        (day,) = usage_by_day(world.acme.tenant.id, today, today)
    finally:
        price.delete()
    assert day.model_tokens == TOKENS
    assert day.cost is not None
    assert float(day.cost) == pytest.approx(TOKENS * (0.30 + 6 / 6) / 1e6, abs=3e-5)
    assert day.cost > Decimal(TOKENS) * Decimal("0.30") / 1_000_000
    [[spent]] = tenant_reads(world.acme.tenant.id, [Statement(_SPENT, [world.acme.tenant.id, CACHE])])
    assert spent == (0, 0)
