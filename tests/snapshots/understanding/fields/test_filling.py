"""Fields that a product asks for are filled from what is said, by the rules of beliefs, behind the wall. Row: P11."""

from datetime import timedelta
from typing import Any

import pytest

from profiles.models import Candidate, ProfileFact
from profiles.provenance_and_verdict import Provenance
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.value_claims import make_stated_claim
from snapshots.erasure.conversations import delete_conversation
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.models import Message, ProfileFactSource, Work
from snapshots.policies.policy_sections import SECTIONS
from snapshots.queue.enqueue import enqueue_messages
from snapshots.understanding.fields import field_matching, requested_fields
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.policies import activate_version, create_version, propose
from tests.conftest import House, World
from tests.snapshots.understanding.making import MONDAY, say, settle

SEAT = {
    "description": "Where on the plane or train the traveller likes to sit: window, aisle, front, exit row.",
    "examples": ["Aisle seat please, I get up a lot"],
}
PARCELS = {
    "description": "How and where parcels should be delivered: pick-up point, neighbour, express, weekend delivery.",
    "examples": ["Leave packages with the concierge"],
}
WINDOW, AISLE = "I always sit by the window on long flights", "I always prefer the aisle seat on flights"
WINDOW_ZH = "我坐飞机一定要靠窗的位子"
TO_STATION = "My parcels always go to the pick-up point at the station"


def ask(house: House, **fields: Any) -> None:
    """Have a tenant ask for fields from now on."""
    with tenant_tx(house.tenant.id):
        proposal = propose({"fields": {"attributes": fields}}, SECTIONS)
        number = create_version(proposal, by=COMMAND_LINE, reason="test").number
        activate_version(number, by=COMMAND_LINE, reason="test")


def read_fields(house: House) -> dict[str, Any]:
    """Return the current attributes that are asked for."""
    with tenant_tx(house.tenant.id):
        rows = ProfileFact.objects.filter(
            subject_id=house.subject.id, is_attribute=True, invalid_at__isnull=True, retired_at__isnull=True
        )
        wanted = ("seat_preference", "shipping_preference")
        return {row.field: row.value for row in rows if row.field in wanted}


def row_of(house: House, field: str) -> ProfileFact:
    with tenant_tx(house.tenant.id):
        return ProfileFact.objects.get(
            subject_id=house.subject.id, field=field, invalid_at__isnull=True, retired_at__isnull=True
        )


@pytest.mark.parametrize("said", [WINDOW, WINDOW_ZH])
def test_the_whole_note_fills_the_field_as_an_observation_of_its_message(world: World, said: str) -> None:
    acme = world.acme
    ask(acme, seat_preference=SEAT, shipping_preference=PARCELS)
    say(acme, said)
    settle(acme)
    assert read_fields(acme) == {"seat_preference": said}
    row = row_of(acme, "seat_preference")
    assert (row.provenance, row.confidence, row.valid_at) == (Provenance.OBSERVATION, 0.6, MONDAY)
    with tenant_tx(acme.tenant.id):
        (message,) = Message.objects.filter(subject_id=acme.subject.id)
        sources = ProfileFactSource.objects.filter(memory_id=row.id)
        assert [one.message_id for one in sources] == [message.id]
        record = Candidate.objects.get(subject_id=acme.subject.id, target="attributes.seat_preference")
        assert (record.verdict, record.origin) == ("stored", "fields-1:seat_preference")


def test_what_fits_no_field_fills_none(world: World) -> None:
    acme = world.acme
    ask(acme, seat_preference=SEAT, shipping_preference=PARCELS)
    say(acme, "My sister works as a flight attendant", "I'm allergic to peanuts", "我家厨房正在装修")
    settle(acme)
    assert read_fields(acme) == {}


def test_one_tenants_fields_never_touch_another(world: World) -> None:
    ask(world.globex, seat_preference=SEAT)
    for house in (world.acme, world.globex):
        say(house, WINDOW, TO_STATION)
        settle(house)
    assert read_fields(world.acme) == {}
    assert read_fields(world.globex) == {"seat_preference": WINDOW}


def test_said_later_wins_and_what_was_said_earlier_is_history(world: World) -> None:
    acme = world.acme
    ask(acme, seat_preference=SEAT)
    say(acme, WINDOW)
    settle(acme)
    say(acme, AISLE, conversation="c2", at=MONDAY + timedelta(days=1))
    settle(acme)
    say(acme, WINDOW_ZH, conversation="c3", at=MONDAY - timedelta(days=1))
    settle(acme)
    assert read_fields(acme) == {"seat_preference": AISLE}


AFTER_WORK = [
    ("Always deliver my parcels after 5pm", "It's 6pm now, not 5pm", "Always deliver my parcels after 6pm"),
    ("我的快递一律下午五点以后送", "现在是六点,不是五点", "我的快递一律下午六点以后送"),
]


@pytest.mark.parametrize(("said", "correction", "righted"), AFTER_WORK)
def test_a_note_that_was_put_right_fills_the_field_anew(world: World, said: str, correction: str, righted: str) -> None:
    acme = world.acme
    ask(acme, shipping_preference=PARCELS)
    say(acme, said)
    settle(acme)
    say(acme, correction, at=MONDAY + timedelta(minutes=1))
    settle(acme)
    assert read_fields(acme) == {"shipping_preference": righted}
    with tenant_tx(acme.tenant.id):
        assert not Work.objects.filter(subject_id=acme.subject.id).exclude(attempts=0).exists()


def test_a_guess_never_replaces_what_the_product_wrote(world: World) -> None:
    acme = world.acme
    ask(acme, seat_preference=SEAT)
    with tenant_tx(acme.tenant.id):
        change = FactChange(
            FactName("seat_preference", is_attribute=True), make_stated_claim("front row", valid_at=MONDAY)
        )
        patch_profile(acme.subject, [change])
    say(acme, WINDOW, at=MONDAY + timedelta(days=1))
    settle(acme)
    assert read_fields(acme) == {"seat_preference": "front row"}


def test_forgetting_the_message_takes_the_value_and_it_does_not_come_back(world: World) -> None:
    acme = world.acme
    ask(acme, seat_preference=SEAT)
    say(acme, WINDOW)
    settle(acme)
    with tenant_tx(acme.tenant.id):
        delete_conversation(lock_conversation(acme.subject.external_id, "c1"))
    assert read_fields(acme) == {}
    say(acme, WINDOW, conversation="c2", at=MONDAY + timedelta(days=1))
    settle(acme)
    assert read_fields(acme) == {}


def test_a_second_delivery_fills_nothing_twice(world: World) -> None:
    acme = world.acme
    ask(acme, seat_preference=SEAT)
    say(acme, WINDOW)
    settle(acme)
    before = row_of(acme, "seat_preference").version
    with tenant_tx(acme.tenant.id):
        Work.objects.filter(subject_id=acme.subject.id).delete()
        enqueue_messages(list(Message.objects.filter(subject_id=acme.subject.id).select_related("conversation")))
    settle(acme)
    assert row_of(acme, "seat_preference").version == before


def test_masked_words_fill_nothing(world: World) -> None:
    acme = world.acme
    ask(acme, seat_preference=SEAT)
    say(acme, "I always want an aisle seat, my card is 4111 1111 1111 1111")
    settle(acme)
    assert read_fields(acme) == {}


def test_a_tenant_that_asks_for_nothing_pays_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    acme = world.acme
    say(acme, WINDOW)
    settle(acme)
    monkeypatch.setattr(field_matching, "embed_centred", None)
    # The policy was read with the first batch.
    monkeypatch.setattr(requested_fields, requested_fields.load_active_fields.__name__, None)
    say(acme, AISLE, conversation="c2", at=MONDAY + timedelta(days=1))
    settle(acme)
    assert read_fields(acme) == {}


def test_a_field_that_is_no_longer_asked_for_is_no_longer_filled(world: World) -> None:
    acme = world.acme
    ask(acme, seat_preference=SEAT)
    say(acme, WINDOW)
    settle(acme)
    ask(acme, shipping_preference=PARCELS)
    say(acme, AISLE, TO_STATION, conversation="c2", at=MONDAY + timedelta(days=1))
    settle(acme)
    assert read_fields(acme) == {"seat_preference": WINDOW, "shipping_preference": TO_STATION}
