"""Dead letters are seen and replayed in the console. Rows: C3, D2, T7. Matrix: 36."""

import pytest

from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Work, WorkState
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

WORK = "/console/snapshots/work/"
REASON = "the model is back"


@pytest.fixture
def dead(world: World) -> list[Work]:
    """Four dead items of acme."""
    texts = ("We adopted a cat called Miso.", "我们养了一只猫")
    with tenant_tx(world.acme.tenant.id):
        accept_messages(world.acme.subject, "c1", [IncomingMessage(role="user", content=text) for text in texts])
        Work.objects.update(state=WorkState.DEAD, attempts=8, error_code="ValueError")
        return list(Work.objects.order_by("position"))


def list_states(world: World) -> list[tuple[str, int]]:
    with tenant_tx(world.acme.tenant.id):
        return list(Work.objects.order_by("position").values_list("state", "attempts"))


def replay_items(client: object, *items: Work) -> str:
    body = {"action": "replay", "_selected_action": [str(item.pk) for item in items], "reason": REASON}
    return str(client.post(WORK, body, follow=True).content.decode())  # type: ignore[attr-defined]  # a test client


def test_support_replays_one_dead_item_and_it_is_recorded(world: World, staff: Staff, dead: list[Work]) -> None:
    assert "1 item is being replayed" in replay_items(staff.sam, dead[0])
    assert list_states(world) == [("ready", 0), ("dead", 8), ("dead", 8), ("dead", 8)]
    with tenant_tx(world.acme.tenant.id):
        record = AuditRecord.objects.get(action="work.replayed", object_id=str(dead[0].pk))
        assert record.reason == REASON


def test_nothing_is_replayed_without_a_reason(world: World, staff: Staff, dead: list[Work]) -> None:
    body = {"action": "replay", "_selected_action": [str(dead[0].pk)], "reason": " "}
    assert "give a reason" in staff.sam.post(WORK, body, follow=True).content.decode()
    assert {state for state, _ in list_states(world)} == {"dead"}


def test_support_replays_many_at_once(world: World, staff: Staff, dead: list[Work]) -> None:
    assert "4 items are being replayed" in replay_items(staff.sam, *dead)
    assert {state for state, _ in list_states(world)} == {"ready"}


def test_a_second_click_replays_nothing_twice(world: World, staff: Staff, dead: list[Work]) -> None:
    replay_items(staff.sam, dead[0])
    assert "0 items" in replay_items(staff.sam, dead[0])


def test_viewers_and_other_tenants_replay_nothing(world: World, staff: Staff, dead: list[Work]) -> None:
    replay_items(staff.vic, *dead)
    replay_items(staff.gus, *dead)
    assert {state for state, _ in list_states(world)} == {"dead"}
