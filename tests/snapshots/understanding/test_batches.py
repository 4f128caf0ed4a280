"""A batch of many people: each is learned of alone, by few queries for all. Rows: C3, P9, G4."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from profiles.services.subject_lock import lock_subjects
from profiles.services.subjects import ensure_subject
from snapshots.models import Message
from snapshots.notes.notes_of_ended_slots import list_changed_subjects
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import MONDAY, preferences, profile, say, settle

CITIES = ("Boston", "Seattle", "Lisbon", "Oslo", "Porto", "Turin")
EACH_MORE = 3
"""Queries that one more person in a batch may cost: the lock of the memory, and what was forgotten of it."""


def person(house: House, name: str) -> House:
    """Return ``house`` with another subject of its tenant."""
    with tenant_tx(house.tenant.id):
        return replace(house, subject=ensure_subject(name))


def settle_counted(house: House) -> int:
    """Have all due work done; return how many queries that took."""
    with CaptureQueriesContext(connection) as asked:
        settle(house)
    return len(asked)


def test_one_more_person_in_a_batch_costs_few_queries(world: World) -> None:
    acme, counts = world.acme, []
    for number in (1, 6, 1, 6):
        for _ in range(number):
            say(person(acme, str(new_id())), "The weather was lovely by the river today")
        counts.append(settle_counted(acme))
    assert (counts[3] - counts[2]) / 5 <= EACH_MORE  # the first two also read what stays in the process


def test_each_person_of_a_batch_is_put_right_alone(world: World) -> None:
    people = [person(world.acme, f"lives-in-{city}") for city in CITIES]
    for one, city in zip(people, CITIES, strict=True):
        say(one, f"I live in {city}", "I prefer aisle seats")
    settle(world.acme)
    say(people[0], "No, window, not aisle", at=MONDAY.replace(hour=10))
    say(people[1], "The weather was lovely", at=MONDAY.replace(hour=10))
    settle(world.acme)
    assert [profile(one)["attributes"]["city"] for one in people] == list(CITIES)
    held = [str(preferences(one)) for one in people]
    assert "window" in held[0]
    assert "aisle" not in held[0]
    assert all("aisle" in one and "window" not in one for one in held[1:])


def test_whose_slots_messages_changed_is_told_of_ones_own_alone(world: World) -> None:
    acme, globex = world.acme, world.globex
    said = say(acme, "I live in Boston")
    settle(acme)
    with tenant_tx(acme.tenant.id):
        own = Message.objects.filter(conversation=said.conversation)
        messages = list(own.values_list("id", flat=True))
        assert list_changed_subjects([acme.subject.id], messages) == [acme.subject.id]
        assert list_changed_subjects([acme.subject.id], [new_id()]) == []
    with tenant_tx(globex.tenant.id):
        assert list_changed_subjects([acme.subject.id], messages) == list_changed_subjects([new_id()], messages) == []


def test_a_subject_that_is_gone_or_of_others_is_not_locked(world: World) -> None:
    with tenant_tx(world.acme.tenant.id), pytest.raises(NotFound):
        lock_subjects([world.acme.subject, Subject(id=new_id())])
    with tenant_tx(world.globex.tenant.id), pytest.raises(NotFound):
        lock_subjects([world.acme.subject])
