"""What people put right while they talk, to its end state in what is believed. Rows: G4, P3, E1, A3."""

from dataclasses import replace
from typing import Any

import pytest

from lab.measuring.golden_sets import load_rows
from profiles.services.subjects import ensure_subject
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.golden.talk import believed_after, faults, list_beliefs
from tests.snapshots.understanding.making import MONDAY, preferences, profile, say, settle

ROWS = load_rows("corrections_in_talk")
UNSEEN_FLOOR = 13
"""Of 20 lines."""
SHOWN = [row for row in ROWS if row["shown"]]


@pytest.mark.parametrize("row", SHOWN, ids=[row["id"] for row in SHOWN])
def test_a_correction_ends_in_what_was_meant(world: World, row: dict[str, Any]) -> None:
    assert faults(row, believed_after(world.acme, row)) == []


@pytest.mark.slow
def test_sentences_that_no_rule_was_written_from_are_understood_as_published(world: World) -> None:
    unseen = [row for row in ROWS if not row["shown"]]
    right = sum(not faults(row, believed_after(own(world.acme, row), row)) for row in unseen)
    assert right >= UNSEEN_FLOOR  # how many, never which


def own(house: House, row: dict[str, Any]) -> House:
    """Return ``house`` with a subject for this line alone."""
    with tenant_tx(house.tenant.id):
        return replace(house, subject=ensure_subject(row["id"]))


AT_ONCE = {"en-11", "en-13", "en-14", "en-15", "zh-11", "zh-13", "zh-14", "zh-15", "zh-16", "zh-17"}


@pytest.mark.parametrize("row", [row for row in ROWS if row["id"] in AT_ONCE], ids=sorted(AT_ONCE))
def test_the_next_request_sees_it_before_any_worker_has_read_it(world: World, row: dict[str, Any]) -> None:
    assert faults(row, believed_after(world.acme, row, settled=False)) == []


@pytest.mark.parametrize(
    ("said", "correction", "kind", "key"),
    [
        ("My name is Jon Smith.", "It's not Jon, it's John", "profile", "name"),
        ("我叫王伟", "不是王伟,是王维", "profile", "name"),
        ("My home is at 5 Oak Road.", "My home is not 5 Oak Road, it's 7 Oak Road", "tag", "home"),
        ("I prefer aisle seats.", "No, window, not aisle", "preference", "likes"),
        ("我喜欢喝美式咖啡", "不是美式,是拿铁", "preference", "likes"),
    ],
)
def test_the_answer_says_what_was_changed(world: World, said: str, correction: str, kind: str, key: str) -> None:
    say(world.acme, said)
    settle(world.acme)
    told, *notes = say(world.acme, correction, at=MONDAY.replace(hour=10)).fast_lane
    assert (told.kind, told.key, told.reason) == (kind, key, None)
    with tenant_tx(world.acme.tenant.id):
        over = Snapshot.objects.filter(kind="note", invalid_at__isnull=False)
        assert [(one.kind, one.memory_id) for one in notes] == [("note", row.id) for row in over]
    assert told.memory_id is not None


@pytest.mark.parametrize("correction", ["No, I said malt, not cocoa.", "你记错了,不是可可,是麦芽"])
def test_the_answer_says_that_nothing_was_meant(world: World, correction: str) -> None:
    (told,) = say(world.acme, correction).fast_lane
    assert (told.category, told.key, told.kind, told.memory_id) == (None, None, None, None)
    assert (told.verdict, told.reason) == ("rejected", "object_unknown")


def test_a_correction_in_another_conversation_means_the_same_belief(world: World) -> None:
    say(world.acme, "I prefer aisle seats.", "I love hiking.")
    settle(world.acme)
    say(world.acme, "No, window, not aisle", "No, not hiking, sailing.", conversation="c2", at=MONDAY.replace(hour=10))
    settle(world.acme)
    assert preferences(world.acme)["travel"] == {"likes": ["window seats"]}
    assert profile(world.acme)["interests"] == ["sailing"]


@pytest.mark.parametrize(
    ("said", "correction", "place", "gone"),
    [
        ("I live in Leeds.", "We don't live in Leeds anymore.", "city", "Leeds"),
        ("My home is at 5 Oak Road.", "That address is wrong. We moved out of 5 Oak Road.", "tag home", "5 Oak Road"),
        ("I like sushi.", "Who told you I like sushi?", "likes", "sushi"),
    ],
)
def test_what_is_over_is_taken_out_of_whatever_held_it(
    world: World, said: str, correction: str, place: str, gone: str
) -> None:
    row = {"id": "over", "said": said, "correction": correction, "holds": {}, "lacks": [gone]}
    say(world.acme, said, conversation="over")
    settle(world.acme)
    assert (place, gone) in list(list_beliefs(world.acme))
    assert faults(row, believed_after(world.acme, row)) == []
