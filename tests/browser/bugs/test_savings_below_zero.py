"""B8: where memory sent more than the full history, the dashboard told a saving of zero. Rows: G5, T6, D2."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from memory_platform.kernel.clock import utc_now
from snapshots.models import Indicator
from tenants.config import LEDGER_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import ModelPrice, Role, UsageDay
from tests.browser.bugs.conftest import Look
from tests.browser.bugs.navigation import check_page, open_page, press_control
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]
SENT, FULL = 4_333, 824


@pytest.fixture
def acme(world: World) -> Iterator[House]:
    """Today, prompts with memory had five times the tokens of the full histories; a price is known. Mia manages."""
    today = utc_now().date()
    examples = list(ModelPrice.objects.all())
    ModelPrice.objects.all().delete()
    price = {"model": "m", "currency": "USD", "input": "0.25", "cached_input": 0, "output": 1, "source": "test"}
    ModelPrice.objects.create(tier=LEDGER_CONFIG.tier, valid_from=today - timedelta(days=9), **price)
    with tenant_tx(world.acme.tenant.id):
        Indicator.objects.create(
            day=today, policy_version="1", contexts=11, tokens=SENT, tokens_full_history=FULL, injected=9
        )
        UsageDay.objects.create(day=today, contexts=11, tokens_in_context=SENT, tokens_full_history=FULL)
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    yield world.acme
    ModelPrice.objects.all().delete()
    ModelPrice.objects.bulk_create(examples)


def test_a_loss_is_told_as_a_loss_on_both_pages(acme: House, look: Look, sit_down: SitDown) -> None:
    page = sit_down("mia", **look.settings)
    page.goto("/console/")
    open_page(page, look, "Quality", "质量")
    tokens, money = (
        page.get_by_role("region", name=look.choose(*title), exact=True)
        for title in (("Tokens saved", "节省的词元"), ("Money saved", "节省的费用"))
    )
    expect(tokens.locator(".tile-value")).to_have_text("-425.8%")
    expect(tokens).to_contain_text(look.choose("3,509 tokens more than the full history", "比完整历史多 3,509 个词元"))
    expect(money.locator(".tile-value")).to_have_text("-0.0009 USD")
    expect(money).to_contain_text(look.choose("cost 0.0011", "成本 0.0011"))
    check_page(page, look)
    press_control(page, look, "Show the usage by day", "查看每日用量")
    row = page.locator("#result_list tbody tr")
    for words in ("4,333", "824", "-425.8%", "0.0011 USD", "0.0002 USD"):
        expect(row).to_contain_text(words)
    check_page(page, look)
    with tenant_tx(acme.tenant.id):
        assert UsageDay.objects.get().tokens_in_context == SENT
