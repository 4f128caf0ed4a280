"""Receipts of a world are the product's own, as many as asked, and copies belong to whom their first belongs. Rows: G1,
D2."""

from datetime import timedelta

import pytest

from lab.benchmarks.worlds import receipts as world_receipts
from lab.benchmarks.worlds.receipts import fill_receipts, find_most_used_snapshot
from memory_platform.console.explanation.receipt_explanation import explain_receipt
from snapshots.models import Receipt, ReceiptMemory
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.held import remember


def test_a_world_gets_as_many_receipts_as_asked_and_only_those_that_it_lacks(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = world.acme
    remember(house, "The teapot stands in the kitchen", "茶壶在厨房里")
    told: list[int] = []
    monkeypatch.setattr(world_receipts, "DRAWN", 4)
    assert fill_receipts(house.tenant.id, ["ada"], 10, advance=told.append) == 10
    assert fill_receipts(house.tenant.id, ["ada"], 10, advance=told.append) == 0
    assert sum(told) == 20
    with tenant_tx(house.tenant.id):
        receipts = list(Receipt.objects.order_by("-created_at"))
        assert len(receipts) == 10
        assert receipts[0].created_at - receipts[-1].created_at > timedelta(hours=14)
        assert {receipt.subject_id for receipt in receipts} == {house.subject.id}
        found = find_most_used_snapshot(house.subject.id)
        assert found
        assert found[0] == receipts[0].id
        assert ReceiptMemory.objects.filter(memory_ref=found[1]).count() > 4
        shown = [
            [(card.memory_id, card.position) for card in explain_receipt(one).kept_cards]
            for one in (receipts[3], receipts[-1])
        ]
    assert all(shown)
    with tenant_tx(world.globex.tenant.id):
        assert find_most_used_snapshot(world.globex.subject.id) is None
