"""A note knows the slots that were read from its words, and they know it. The link goes with either.

Rows: P2, P3, P9.
"""

from profiles.models import Preference, ProfileFact, Tag
from snapshots.erasure.learned.forget_whole_belief import forget_preference
from snapshots.models import NoteSlot
from snapshots.notes.selectors import NoteFilter, attach_details, list_notes
from snapshots.notes.slot_links import list_notes_of_slots
from snapshots.notes.values import SlotPlace
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.understanding.making import say, settle


def slots(house: House) -> dict[str, set[SlotPlace]]:
    with tenant_tx(house.tenant.id):
        found = attach_details(house.subject, list_notes(house.subject, NoteFilter()))
        return {one.snapshot.text: set(one.slots) for one in found}


def test_a_note_lists_what_was_read_from_its_words(world: World) -> None:
    acme = world.acme
    say(acme, "I work as a midwife in Ghent. I'm allergic to peanuts. My wife Sarah works at the harbour.")
    settle(acme)
    told = slots(acme)
    assert told["I work as a midwife in Ghent"] == {SlotPlace("profile", None, "occupation")}
    assert told["I'm allergic to peanuts"] == {SlotPlace("preference", "food", "allergies")}
    assert told["My wife Sarah works at the harbour"] == {SlotPlace("tag", None, "wife")}


def test_a_slot_names_its_note(world: World) -> None:
    acme = world.acme
    say(acme, "我对花生过敏,平时住在苏州")
    settle(acme)
    with tenant_tx(acme.tenant.id):
        (allergy,), (city,) = Preference.objects.all(), ProfileFact.objects.all()
        assert set(list_notes_of_slots(Preference, [allergy.id])) == {allergy.id}
        assert set(list_notes_of_slots(ProfileFact, [city.id])) == {city.id}


def test_a_list_that_grows_keeps_the_notes_of_its_entries(world: World) -> None:
    acme = world.acme
    say(acme, "I'm allergic to peanuts")
    settle(acme)
    say(acme, "I'm allergic to shellfish", conversation="c2")
    settle(acme)
    place = {SlotPlace("preference", "food", "allergies")}
    assert slots(acme) == {"I'm allergic to peanuts": place, "I'm allergic to shellfish": place}


def test_a_saying_again_links_no_second_time(world: World) -> None:
    acme = world.acme
    for conversation in ("c1", "c2"):
        say(acme, "I never eat pork", conversation=conversation)
        settle(acme)
    assert slots(acme) == {"I never eat pork": {SlotPlace("preference", "food", "avoid")}}
    with tenant_tx(acme.tenant.id):
        assert NoteSlot.objects.count() == 1


def test_a_forgotten_slot_takes_its_links(world: World) -> None:
    acme = world.acme
    say(acme, "I never eat pork")
    settle(acme)
    with tenant_tx(acme.tenant.id):
        forget_preference(acme.subject, "food", "avoid", by=COMMAND_LINE)
        assert not NoteSlot.objects.exists()
        assert not Tag.objects.exists()


def test_links_of_another_tenant_are_not_there(world: World) -> None:
    say(world.acme, "I never eat pork")
    settle(world.acme)
    with tenant_tx(world.globex.tenant.id):
        assert not NoteSlot.objects.exists()
