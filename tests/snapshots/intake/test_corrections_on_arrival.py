"""What the fast lane changes at the door leaves its time behind. Rows: G4, G5."""

import pytest
from prometheus_client import REGISTRY

from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import FastLaneChange
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import prefer


def changes(house: House) -> list[float]:
    with tenant_tx(house.tenant.id):
        return list(FastLaneChange.objects.filter(subject=house.subject).values_list("took_ms", flat=True))


def post(house: House, content: str) -> None:
    with tenant_tx(house.tenant.id):
        accept_messages(house.subject, "trip", [IncomingMessage(role="user", content=content, message_id="m1")])


def count_observed() -> float:
    return REGISTRY.get_sample_value("fast_lane_seconds_count") or 0


@pytest.mark.parametrize("content", ["I no longer like coffee.", "我现在不喜欢咖啡了,现在喜欢茶"])
def test_a_change_is_timed_once(world: World, content: str) -> None:
    prefer(world.acme, "food", "likes", ["coffee", "咖啡"], provenance="confirmed_by_user")
    before = count_observed()
    post(world.acme, content)
    post(world.acme, content)  # a duplicate changes nothing
    times = changes(world.acme)
    assert times
    assert all(0 <= took < 60_000 for took in times)
    assert count_observed() == before + len(times)


def test_what_changes_nothing_leaves_no_time(world: World) -> None:
    post(world.acme, "I drink coffee now and then, not often.")
    assert changes(world.acme) == []
