"""What was learned from a message, in a sentence, with its state and its uses. Rows: D2."""

from datetime import timedelta
from typing import Any

import pytest

from memory_platform.console.transcript.learned_memories import (
    MAX_COUNTED_USES,
    describe_uses,
    load_learned_memories,
    render_past_state,
)
from memory_platform.kernel.clock import utc_now
from profiles.models import Preference, ProfileFact, Tag
from snapshots.models import PreferenceSource, ProfileFactSource, Snapshot, TagSource
from snapshots.receipts.injected_memory_rows import write_memory_rows
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import know, label, prefer, remember, say


def test_every_kind_is_told_in_a_sentence(acme: House) -> None:
    (said,) = say(acme, "I am Ada, a vegetarian, and I live in 1 High Street")
    remember(acme, "I am Ada,\n a vegetarian", messages=[said])
    remember(acme, "A whole conversation", messages=[said], kind="conversation")
    know(acme, name="Ada")
    prefer(acme, "food", "special_diet", "vegetarian")
    label(acme, "home", address="1 High Street")
    with tenant_tx(acme.tenant.id):
        ProfileFactSource.objects.create(subject=acme.subject, memory=ProfileFact.objects.get(), message=said)
        PreferenceSource.objects.create(subject=acme.subject, memory=Preference.objects.get(), message=said)
        TagSource.objects.create(subject=acme.subject, memory=Tag.objects.get(), message=said)
        learned = load_learned_memories(acme.subject.pk, [said.pk])[said.pk]
    assert [(one.kind, one.text) for one in learned] == [
        ("preference", "food, special diet: vegetarian"),
        ("profile", "name: Ada"),
        ("place", "home: 1 High Street"),
        ("statement", "I am Ada, a vegetarian"),
    ]
    assert all(one.address and not one.state for one in learned)


def test_uses_count_before_and_after_their_rows_are_written(acme: House) -> None:
    (said,) = say(acme, "I am allergic to peanuts")
    remember(acme, "I am allergic to peanuts", messages=[said])
    made = [ask(acme, question, None) for question in ("Are peanuts fine?", "Any peanuts in it?")]
    for is_written in (False, True):
        with tenant_tx(acme.tenant.id):
            if is_written:
                write_memory_rows(made[0])
            (one,) = load_learned_memories(acme.subject.pk, [said.pk])[said.pk]
        assert one.used == "in 2 answers"
        assert f"?memory={one.address.split('/')[-3]}" in one.used_address


def test_another_tenants_messages_taught_nothing_here(world: World) -> None:
    (said,) = say(world.acme, "I am allergic to peanuts")
    remember(world.acme, "I am allergic to peanuts", messages=[said])
    with tenant_tx(world.globex.tenant.id):
        assert load_learned_memories(world.acme.subject.pk, [said.pk]) == {}
        assert load_learned_memories(world.globex.subject.pk, [said.pk]) == {}


@pytest.mark.parametrize(
    ("columns", "state"),
    [
        ({}, ""),
        ({"retired_at": utc_now()}, "Retired"),
        ({"invalid_at": utc_now() - timedelta(days=1)}, "Ended"),
        ({"expires_at": utc_now() - timedelta(days=1)}, "Ended"),
        ({"expires_at": utc_now() + timedelta(days=1)}, ""),
    ],
)
def test_a_memory_that_is_past_says_why(acme: House, columns: dict[str, Any], state: str) -> None:
    with tenant_tx(acme.tenant.id):
        badge = render_past_state(Snapshot(**columns))
    assert f">{state}<" in badge if state else badge == ""


def test_many_uses_are_not_counted_to_the_end() -> None:
    assert describe_uses(0) == ""
    assert describe_uses(MAX_COUNTED_USES) == "in 100 answers"
    assert describe_uses(MAX_COUNTED_USES + 1) == "in more than 100 answers"
