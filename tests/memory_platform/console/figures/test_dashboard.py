"""What managers see of quality and cost: figures by day, policy version and arm. Rows: G5, T6, D2, T3."""

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from memory_platform.console.figures.period_figures import FigureReading, compare_readings
from memory_platform.kernel.clock import utc_now
from snapshots.models import Indicator, QueueDay, Receipt, ReceiptMemory, Snapshot
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_subject
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, RenderedPrompt
from snapshots.receipts.write import write_receipt
from tenants.config import LEDGER_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import ModelPrice, UsageDay
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.shared.desks import read_page_text

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
    assert charts["utilisation"]["band"] == {"name": "target", "value": 0.6, "is_above": True}
    assert not charts["correction"]["band"]["is_above"]
    assert charts["precision"]["band"] is None
    assert charts["fast_lane"]["lines"][0]["values"][-1] == 120
    assert [line["values"][-1] for line in charts["wait"]["lines"]] == [700, 9_000]
    assert [line["values"][-1] for line in charts["money"]["lines"]] == [2.0, 6.0]
    assert "50.0% (400/800)" in page
    assert "2.0000 USD" in page
    assert "below target (60%)" in page
    assert "above target (5%)" in page
    assert "on target (at most 15%)" in page
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


def test_each_figure_is_compared_with_as_many_days_before(world_with_figures: World, staff: Staff) -> None:
    page = read_page_text(staff.mia.get(PAGE))
    assert page.count("nothing to compare with: no data in the 7 days before") == 9
    with tenant_tx(world_with_figures.acme.tenant.id):
        Indicator.objects.create(
            day=day_ago(7), policy_version="1", fast_lane_p95_ms=240, **{**COUNTS, "utilised": 40, "positive": 178}
        )
        QueueDay.objects.create(day=day_ago(13), done=40, waited_p95_ms=350, waited_longest_ms=400)
    shown = staff.mia.get(PAGE).content.decode()
    for text, tone in (
        ("+40.0 points against the 7 days before", "badge-good"),  # utilisation
        ("+1.0 points against the 7 days before, within chance", "badge-quiet"),  # precision
        ("+10.0 points against the 7 days before", "badge-bad"),  # corrections
        ("-50% against the 7 days before, within chance", "badge-quiet"),  # delay, of a few corrections only
        ("+100% against the 7 days before", "badge-bad"),  # wait
        ("unchanged against the 7 days before", "badge-quiet"),  # tokens saved
    ):
        assert f'<p class="figure-change {tone}">{text}</p>' in shown, text


def test_each_figure_leads_to_the_answers_behind_it(world: World, staff: Staff) -> None:
    address = rf"/console/snapshots/receipt/\?outcome=(\w+)&amp;created_at__gte={day_ago(6)}T00:00Z"
    outcomes = re.findall(address, staff.mia.get(PAGE).content.decode())
    assert outcomes == ["bad", "unused", "corrected", "stale", "degraded", "larger"]
    with tenant_tx(world.acme.tenant.id):
        snapshot = Snapshot.objects.create(
            subject=world.acme.subject,
            kind="summary",
            text="tea",
            content_hash=b"",
            position=0,
            seq=1,
            said_at=utc_now(),
            valid_at=utc_now(),
        )
        drafts = [
            ReceiptDraft(
                subject_id=world.acme.subject.pk,
                policy_version="1",
                rendered=RenderedPrompt("q", [], ""),
                candidates=[ReceiptCandidate(str(snapshot.pk), "snapshots", "tea", 0.8, "tea", 9, context_position=1)],
                tokens={"total": total, "full_history": 100},
                degraded_reason=reason,
            )
            for total, reason in ((90, ""), (101, "embedder"))
        ]
        good, poor = (write_receipt(draft) for draft in drafts)

    def list_answers(outcome: str) -> list[bool]:
        page = staff.mia.get(f"/console/snapshots/receipt/?outcome={outcome}&created_at__gte={day_ago(6)}T00:00Z")
        return [f"{receipt.pk}/change/" in page.content.decode() for receipt in (good, poor)]

    with tenant_tx(world.acme.tenant.id):
        write_memory_rows_of_subject(world.acme.subject.pk)
        ReceiptMemory.objects.filter(receipt=good).update(signal="positive", utilised=True)
        ReceiptMemory.objects.filter(receipt=poor).update(signal="negative", utilised=False)
        Receipt.objects.update(replied_at=utc_now())
    neither, only_good, only_poor = [False, False], [True, False], [False, True]
    assert [list_answers(one) for one in ("positive", "bad", "corrected")] == [only_good, only_poor, neither]
    assert [list_answers(one) for one in ("unused", "degraded", "larger", "stale")] == [only_poor] * 3 + [neither]
    with tenant_tx(world.acme.tenant.id):
        ReceiptMemory.objects.filter(receipt=good).update(signal="corrected")
        Snapshot.objects.update(last_validated_at=utc_now() - timedelta(days=31))
    assert [list_answers(one) for one in ("corrected", "bad", "stale")] == [only_good, [True, True], [True, True]]


def test_only_lines_that_can_be_told_apart_are_drawn(world_with_figures: World, staff: Staff) -> None:
    with tenant_tx(world_with_figures.acme.tenant.id):
        for number in range(3, 12):
            Indicator.objects.create(day=day_ago(1), policy_version=str(number), contexts=number)
    page, charts = open_page(staff, "?by=version")
    assert len(charts["utilisation"]["lines"]) == 6
    assert "5 groups with fewer contexts are not shown" in page


def test_a_change_that_rounds_to_nothing_is_unchanged_and_neither_good_nor_bad() -> None:
    readings = [FigureReading("Wait", value, "", events=500) for value in (1000.0, 1001.0)]
    told = compare_readings("wait", readings[1], readings[0], 7)
    assert (told.text, told.tone) == ("unchanged against the 7 days before", "quiet")
    assert compare_readings("wait", FigureReading("Wait", 2000.0, "", events=500), readings[0], 7).tone == "bad"


def test_it_is_for_managers_of_the_tenant_alone(world_with_figures: World, staff: Staff) -> None:
    assert [client.get(PAGE).status_code for client in (staff.vic, staff.sam, staff.gus)] == [403, 403, 403]
    assert PAGE not in staff.sam.get("/console/").content.decode()
    assert PAGE in staff.mia.get("/console/").content.decode()
    assert staff.mia.post(PAGE).status_code == 405
    staff.olga.post("/console/switch/", {"tenant": str(world_with_figures.globex.tenant.id)})
    assert "No data in this period." in staff.olga.get(PAGE).content.decode()


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
