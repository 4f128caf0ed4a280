"""Numbers of lists and tables end at one line, in groups of three. Rows: D2, G5."""

from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import ModelUsage, Role, UsageDay
from tests.browser.conftest import SitDown
from tests.browser.test_console import create_staff
from tests.conftest import House, World

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOKENS = 1_234_567
# Of each head and cell of the column with this name: how its text stands, and where it ends, in pixels.
PLACES = """([table, name]) => {
  const heads = [...document.querySelectorAll(`${table} thead th`)];
  const at = heads.findIndex((head) => head.textContent.trim() === name);
  const rows = [...document.querySelectorAll(`${table} tbody tr`)];
  const ends = (one) => {
    const words = document.createRange();
    words.selectNodeContents(one.querySelector(".text a, .text span") || one);
    return Math.round(words.getBoundingClientRect().right);
  };
  return [heads[at], ...rows.map((row) => row.cells[at])].map((one) => [getComputedStyle(one).textAlign, ends(one)]);
}"""


@pytest.fixture
def acme(world: World) -> House:
    today = utc_now().date()
    with tenant_tx(world.acme.tenant.id):
        UsageDay.objects.create(day=today, contexts=11, tokens_in_context=TOKENS, tokens_full_history=9)
        UsageDay.objects.create(day=today - timedelta(days=1), contexts=1, tokens_in_context=2, tokens_full_history=3)
        for calls in (1, 1_234):
            ModelUsage.objects.create(day=today, purpose="extract", model=f"m{calls}", calls=calls)
    create_staff("mia", world.acme.tenant, Role.MANAGER)
    return world.acme


@pytest.mark.parametrize(
    ("address", "table", "column", "shown"),
    [
        ("tenants/usageday/", "#result_list", "Tokens in contexts", "1,234,567"),
        ("tenants/modelusage/", "#result_list", "Calls", "1,234"),
        ("tenants/usagelimit/", ".console-table", "limit", "5,000,000"),
    ],
)
def test_numbers_end_at_one_line_below_the_end_of_their_head(
    acme: House, sit_down: SitDown, address: str, table: str, column: str, shown: str
) -> None:
    page = sit_down("mia", viewport={"width": 1440, "height": 900})
    page.goto(f"/console/{address}")
    places = page.evaluate(PLACES, [table, column])
    assert {align for align, _end in places} == {"end"}
    assert max(end for _align, end in places) - min(end for _align, end in places) <= 1, places
    assert shown in page.inner_text("#content")


def test_chinese_numbers_are_in_groups_of_three_as_well(acme: House, sit_down: SitDown) -> None:
    page = sit_down("mia", locale="zh-CN", viewport={"width": 1440, "height": 900})
    page.goto("/console/tenants/usageday/")
    assert "1,234,567" in page.inner_text("#result_list")
