"""Dead letters are seen and replayed in the console. Rows: C3, D2, T7. Matrix: 36."""

from typing import Any

import pytest
from django.test import Client

from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Message, Work, WorkState
from snapshots.queue.metrics import count_work
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff

DEAD = "/console/snapshots/work/dead/"
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


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"error_code": "lease_expired"}, "8 attempts: the worker of the last one stopped or took too long."),
        ({"attempts": 1}, "1 attempt: it failed (ValueError)."),
        ({"attempts": 2, "error_code": "", "state": "done"}, "2 attempts."),
    ],
)
def test_the_page_of_an_item_tells_the_message_and_what_happened(
    world: World, staff: Staff, dead: list[Work], changes: dict[str, Any], told: str
) -> None:
    with tenant_tx(world.acme.tenant.id):
        Work.objects.filter(pk=dead[0].pk).update(**changes)
        shown = Message.objects.get(pk=str(dead[0].message_id))
    page = staff.vic.get(f"{WORK}{dead[0].pk}/change/").content.decode()
    assert f"<h1><bdi>{shown.content}</bdi></h1>" in page
    assert told in page and "Position" not in page
    assert staff.gus.get(f"{WORK}{dead[0].pk}/change/").status_code == 404
    with tenant_tx(world.acme.tenant.id):
        assert AuditRecord.objects.filter(action="work.viewed", subject_ref=world.acme.subject.pk).count() == 1
        Message.objects.filter(pk=shown.pk).update(content="")
    assert (
        "<h1><bdi>Make the message findable</bdi></h1>" in staff.vic.get(f"{WORK}{dead[0].pk}/change/").content.decode()
    )


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


@pytest.fixture
def dead_groups(acme: House) -> list[Work]:
    """Four dead items of acme, two of each kind."""
    texts = ("We adopted a cat called CANARY.", "我们养了一只猫")
    with tenant_tx(acme.tenant.id):
        accept_messages(acme.subject, "c1", [IncomingMessage(role="user", content=text) for text in texts])
        Work.objects.update(state=WorkState.DEAD, attempts=8, error_code="ValueError")
        Work.objects.filter(kind="extract").update(error_code="lease_expired")
        return list(Work.objects.order_by("position"))


def send_group(client: Client, verb: str, *groups: str, reason: str = REASON) -> Any:
    return client.post(DEAD, {"verb": verb, "group": list(groups), "reason": reason, "sure": "1"}, follow=True)


def list_sorted_states(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        return sorted(Work.objects.values_list("state", flat=True))


def test_failed_items_stand_by_what_they_mean_with_whose_they_are(
    acme: House, staff: Staff, dead_groups: list[Work]
) -> None:
    page = staff.vic.get(DEAD).content.decode()
    assert "ValueError" in page
    assert "the worker stopped or took too long" in page
    assert "Nothing was learned from the message." in page
    assert ">ada</bdi>" in page
    assert "CANARY" not in staff.gus.get(DEAD).content.decode(), "another tenant's"
    with tenant_tx(acme.tenant.id):
        assert AuditRecord.objects.filter(action="work.listed").exists(), "the page shows words of people"
    assert 'name="verb"' not in page, "a viewer decides nothing"
    assert f'href="{DEAD}"' in staff.sam.get(WORK).content.decode()
    address = "/console/snapshots/work/?state__exact=dead&kind__exact=extract&error_code=lease_expired"
    assert address.replace("&", "&amp;") in page
    assert staff.sam.get(address).content.decode().count("field-error_code") == 2


def test_a_group_is_replayed_and_another_discarded(acme: House, staff: Staff, dead_groups: list[Work]) -> None:
    assert "2 items are being replayed" in send_group(staff.sam, "replay", "extract:lease_expired").content.decode()
    assert list_sorted_states(acme) == ["dead", "dead", "ready", "ready"]
    assert "2 items were discarded" in send_group(staff.sam, "discard", "statement:ValueError").content.decode()
    assert list_sorted_states(acme) == ["ready", "ready"]
    with tenant_tx(acme.tenant.id):
        assert count_work().removed == 2
        assert Message.objects.count() == 2
        for action in ("work.replayed", "work.discarded"):
            records = AuditRecord.objects.filter(action=action)
            assert list(records.values_list("reason", flat=True)) == [REASON, REASON]


def test_a_discard_is_asked_for_twice(acme: House, staff: Staff, dead_groups: list[Work]) -> None:
    sent = {"verb": "discard", "group": ["extract:lease_expired"], "reason": REASON}
    page = staff.sam.post(DEAD, sent).content.decode()
    assert "2 items are given up for good." in page
    assert f'value="{REASON}"' in page
    assert list_sorted_states(acme) == ["dead"] * 4
    assert "2 items were discarded" in staff.sam.post(DEAD, {**sent, "sure": "1"}, follow=True).content.decode()


def test_the_same_group_sent_twice_is_settled_once(acme: House, staff: Staff, dead_groups: list[Work]) -> None:
    send_group(staff.sam, "discard", "extract:lease_expired")
    assert "0 items were discarded" in send_group(staff.sam, "discard", "extract:lease_expired").content.decode()
    assert list_sorted_states(acme) == ["dead", "dead"]


def test_chosen_items_are_discarded_from_the_list_and_what_is_not_dead_is_told(
    acme: House, staff: Staff, dead_groups: list[Work]
) -> None:
    with tenant_tx(acme.tenant.id):
        Work.objects.filter(pk=dead_groups[0].pk).update(state=WorkState.READY)
    body = {"action": "discard", "_selected_action": [str(item.pk) for item in dead_groups[:2]], "reason": REASON}
    page = staff.sam.post(WORK, body, follow=True).content.decode()
    assert "1 item was discarded." in page
    assert "1 item was not dead." in page
    assert list_sorted_states(acme) == ["dead", "dead", "ready"]


@pytest.mark.parametrize(
    ("who", "sent"),
    [
        ("sam", ("discard", "extract:lease_expired", " \u202e")),
        ("sam", ("erase", "extract:lease_expired", REASON)),
        ("sam", ("discard", "extract:nothing\x00", REASON)),
        ("vic", ("discard", "extract:lease_expired", REASON)),
        ("gus", ("discard", "extract:lease_expired", REASON)),
        ("gus", ("replay", "statement:ValueError", REASON)),
    ],
)
def test_nothing_is_settled_without_a_reason_or_by_others(
    acme: House, staff: Staff, dead_groups: list[Work], who: str, sent: tuple[str, str, str]
) -> None:
    verb, group, reason = sent
    assert send_group(getattr(staff, who), verb, group, reason=reason).status_code in {200, 403}
    assert list_sorted_states(acme) == ["dead"] * 4
    assert "ValueError" not in staff.gus.get(DEAD).content.decode()


def test_one_item_is_replayed_or_discarded_on_its_own_page(acme: House, staff: Staff, dead_groups: list[Work]) -> None:
    first, second = (f"{WORK}{item.pk}/" for item in dead_groups[:2])
    page = staff.sam.get(f"{first}change/").content.decode()
    assert f'href="{first}replay/"' in page
    assert "replay/" not in staff.vic.get(f"{first}change/").content.decode()
    for client, status in ((staff.vic, 403), (staff.gus, 404)):
        assert client.post(f"{first}replay/", {"reason": REASON}).status_code == status
    assert "give a reason" in staff.sam.post(f"{first}replay/", {"reason": " "}).content.decode()
    assert list_sorted_states(acme) == ["dead"] * 4
    for address, words in ((f"{first}replay/", "1 item is being replayed"), (f"{second}discard/", "1 item was disc")):
        assert staff.sam.get(address).status_code == 200
        assert words in staff.sam.post(address, {"reason": REASON}, follow=True).content.decode()
    assert list_sorted_states(acme) == ["dead", "dead", "ready"]
    with tenant_tx(acme.tenant.id):
        acts = AuditRecord.objects.filter(action__startswith="work.", reason=REASON).values_list("action", flat=True)
        assert sorted(acts) == ["work.discarded", "work.replayed"]
