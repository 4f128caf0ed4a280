"""What managers see of quality and cost: figures by day, policy version and arm. Rows: G5, T6, D2, T3."""

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.models import Indicator, QueueDay
from tenants.config import LEDGER_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import ModelPrice, UsageDay
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

PAGE = "/console/dashboard/"
COUNTS = {
    "contexts": 100,
    "injected": 500,
    "replied": 400,
    "judged": 200,
    "tokens": 1_000,
    "tokens_full_history": 4_000,
}


def day_ago(back: int) -> date:
    return utc_now().date() - timedelta(days=back)


@pytest.fixture
def world_with_figures(world: World) -> Iterator[World]:
    """Two versions today, one of them in an arm; an older day; waits and use with a price."""
    with tenant_tx(world.acme.tenant.id):
        served = {**COUNTS, "utilised": 300, "positive": 180, "corrected": 20, "stale": 50, "degraded": 7}
        Indicator.objects.create(
            day=day_ago(0), policy_version="1", fast_lane_p95_ms=120, fast_lane_changes=3, **served
        )
        Indicator.objects.create(
            day=day_ago(0), policy_version="2", experiment="短", arm="<b>short</b>", **{**served, "utilised": 100}
        )
        Indicator.objects.create(day=day_ago(20), policy_version="1", fast_lane_p95_ms=2_500, **served)
        QueueDay.objects.create(day=day_ago(0), done=40, waited_p95_ms=700, waited_longest_ms=9_000)
        UsageDay.objects.create(day=day_ago(0), tokens_in_context=1_000_000, tokens_full_history=3_000_000)
    examples = list(ModelPrice.objects.all())
    ModelPrice.objects.all().delete()
    ModelPrice.objects.create(
        tier=LEDGER_CONFIG.tier,
        model="m",
        currency="USD",
        input=2,
        cached_input=1,
        output=8,
        valid_from=day_ago(400),
        source="test",
    )
    yield world
    ModelPrice.objects.all().delete()
    ModelPrice.objects.bulk_create(examples)


def open_page(staff: Staff, query: str = "") -> tuple[str, dict[str, Any]]:
    """Return the page as manager, and the charts by key."""
    page = staff.mia.get(f"{PAGE}{query}").content.decode()
    found = re.search(r'<script id="figures-drawn" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    drawn = json.loads(found.group(1))
    return page, {"days": drawn["days"], **{chart["key"]: chart for chart in drawn["charts"]}}


def test_a_week_together_has_each_figure_drawn_and_as_a_table(world_with_figures: World, staff: Staff) -> None:
    page, charts = open_page(staff)
    assert charts["days"] == [day_ago(back).isoformat() for back in range(6, -1, -1)]
    for key, value in (("utilisation", 0.5), ("precision", 0.9), ("correction", 0.1), ("staleness", 0.1)):
        assert charts[key]["lines"] == [{"name": "all contexts", "values": [None] * 6 + [value]}], key
    assert [bound["values"][0] for bound in charts["utilisation"]["bounds"]] == [0.6]
    assert charts["fast_lane"]["lines"][0]["values"][-1] == 120
    assert [line["values"][-1] for line in charts["wait"]["lines"]] == [700, 9_000]
    assert [line["values"][-1] for line in charts["money"]["lines"]] == [2.0, 6.0]
    assert "50.0% (400/800)" in page
    assert "2.0000 USD" in page
    assert page.count("not as promised") == 2  # utilisation and corrections
    assert "4.00 USD" in page


def test_versions_and_arms_are_lines_of_their_own(world_with_figures: World, staff: Staff) -> None:
    _page, charts = open_page(staff, "?by=version&days=30")
    assert {line["name"]: line["values"][-1] for line in charts["utilisation"]["lines"]} == {
        "version 1": 0.75,
        "version 2": 0.25,
    }
    page, charts = open_page(staff, "?by=arm")
    assert {line["name"] for line in charts["utilisation"]["lines"]} == {"no experiment", "短: <b>short</b>"}
    assert "<b>short" not in page


def test_a_longer_period_reaches_further_back(world_with_figures: World, staff: Staff) -> None:
    assert "2,500 ms" not in open_page(staff, "?days=7")[0]
    page, charts = open_page(staff, "?days=30")
    assert "2,500 ms" in page
    assert len(charts["days"]) == 30
    assert len(open_page(staff, "?days=90")[1]["days"]) == 90


@pytest.mark.parametrize("query", ["?days=8", "?days=%00", "?days=-7&by=%00", f"?days={'9' * 50}&by=x", "?by[]=arm"])
def test_what_is_not_offered_shows_the_week(world_with_figures: World, staff: Staff, query: str) -> None:
    assert len(open_page(staff, query)[1]["days"]) == 7


def test_only_lines_that_can_be_told_apart_are_drawn(world_with_figures: World, staff: Staff) -> None:
    with tenant_tx(world_with_figures.acme.tenant.id):
        for number in range(3, 12):
            Indicator.objects.create(day=day_ago(1), policy_version=str(number), contexts=number)
    page, charts = open_page(staff, "?by=version")
    assert len(charts["utilisation"]["lines"]) == 6
    assert "5 groups with fewer contexts are not shown" in page


def test_it_is_for_managers_of_the_tenant_alone(world_with_figures: World, staff: Staff) -> None:
    assert [client.get(PAGE).status_code for client in (staff.vic, staff.sam, staff.gus)] == [403, 403, 403]
    assert PAGE not in staff.sam.get("/console/").content.decode()
    assert PAGE in staff.mia.get("/console/").content.decode()
    assert staff.mia.post(PAGE).status_code == 405
    staff.olga.post("/console/switch/", {"tenant": str(world_with_figures.globex.tenant.id)})
    assert "There is no data for these days." in staff.olga.get(PAGE).content.decode()


def test_losses_are_shown_as_negative_numbers(world_with_figures: World, staff: Staff) -> None:
    with tenant_tx(world_with_figures.acme.tenant.id):
        Indicator.objects.all().delete()
        Indicator.objects.create(day=day_ago(0), policy_version="1", contexts=9, tokens=4_333, tokens_full_history=824)
        UsageDay.objects.update(tokens_in_context=550, tokens_full_history=100)
    page, charts = open_page(staff)
    assert "-425.8%" in page
    assert "3,509 tokens more than the full history" in page
    assert charts["saved"]["lines"][0]["values"][-1] == pytest.approx(1 - 4_333 / 824)
    assert "-0.0009 USD" in page
    assert "cost 0.0011" in page
