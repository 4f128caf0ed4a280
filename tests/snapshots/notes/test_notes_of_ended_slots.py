"""A slot and the note behind it end each other, and come back together. Rows: P3, P4, P9, G4, E8, A2."""

from datetime import timedelta
from typing import Any

import pytest

from memory_platform.kernel.ids import new_id
from profiles.models import ProfileFact
from profiles.provenance_and_verdict import Verdict
from snapshots.erasure.conversations import delete_conversation
from snapshots.models import Conversation, SnapshotKind
from snapshots.notes.outdated_note_questions import NOTE_ASK_PREFIX, settle_outdated_note
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.changes.test_ends import list_texts, note, say_at_the_door
from tests.snapshots.understanding.making import MONDAY, preferences, say, settle

TUESDAY = MONDAY + timedelta(days=1)


def tell(house: House, *texts: str, conversation: str = "c1") -> None:
    """Have messages said on Monday, or on Tuesday in another conversation, and read."""
    say(house, *texts, conversation=conversation, at=MONDAY if conversation == "c1" else TUESDAY)
    settle(house)


def facts(house: House) -> dict[str, Any]:
    """Return the fields and attributes that hold now."""
    with tenant_tx(house.tenant.id):
        rows = ProfileFact.objects.filter(subject_id=house.subject.id, invalid_at__isnull=True, retired_at__isnull=True)
        return dict(rows.values_list("field", "value"))


def settle_note(house: House, text: str, answer: str, *, by: House | None = None) -> Verdict | None:
    """Answer whether a note is still so, by default by whose note it is."""
    own, answering = note(house, text), by or house
    with tenant_tx(answering.tenant.id):
        return settle_outdated_note(answering.subject, f"{NOTE_ASK_PREFIX}{own.snapshot_id.hex}", answer)


REPLACED = [
    ("I live in Boston", "I live in Seattle"),
    ("My home is at 5 Oak Road", "My home is at 7 Elm Street"),
    ("我家住在苏州", "我家住在杭州"),
]


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_another_value_ends_the_note_of_the_one_before(world: World, old: str, new: str) -> None:
    acme = world.acme
    tell(acme, old)
    tell(acme, new, conversation="c2")
    assert list_texts(acme) == [new]
    ended = note(acme, old)
    assert (ended.snapshot.invalid_at, ended.snapshot.text) == (TUESDAY, old)
    assert list_texts(acme, SnapshotKind.STATEMENT) == [new]


def test_the_note_of_the_new_value_is_the_successor(world: World) -> None:
    acme = world.acme
    tell(acme, "I live in Boston")
    tell(acme, "I live in Seattle", conversation="c2")
    assert note(acme, "I live in Boston").snapshot.superseded_by_id == note(acme, "I live in Seattle").snapshot_id


def test_both_said_before_anything_is_read_leave_the_later_one(world: World) -> None:
    acme = world.acme
    say(acme, "I live in Boston", "I live in Seattle")
    settle(acme)
    assert list_texts(acme) == ["I live in Seattle"]


def test_what_was_said_later_wins_whichever_comes_first(world: World) -> None:
    acme = world.acme
    tell(acme, "I live in Seattle", conversation="c2")
    tell(acme, "I live in Boston")
    assert facts(acme)["city"] == "Seattle"
    assert list_texts(acme) == ["I live in Seattle"]


def test_an_entry_that_leaves_a_list_takes_its_note_and_no_other(world: World) -> None:
    acme = world.acme
    tell(acme, "I'm allergic to peanuts", "I'm allergic to shellfish")
    tell(acme, "I'm not allergic to peanuts any more", conversation="c2")
    assert preferences(acme)["food"]["allergies"] == ["shellfish"]
    assert "I'm allergic to peanuts" not in list_texts(acme)
    assert "I'm allergic to shellfish" in list_texts(acme)


def test_the_opposite_of_a_like_ends_its_note(world: World) -> None:
    acme = world.acme
    tell(acme, "I hate eating cilantro")
    tell(acme, "I love eating cilantro", conversation="c2")
    assert preferences(acme)["food"] == {"likes": ["cilantro"]}
    assert list_texts(acme) == ["I love eating cilantro"]
    with tenant_tx(acme.tenant.id):
        delete_conversation(Conversation.objects.get(subject_id=acme.subject.id, external_id="c2"))
    assert preferences(acme)["food"] == {"dislikes": ["cilantro"]}
    assert list_texts(acme) == ["I hate eating cilantro"]


def test_a_note_that_says_more_becomes_doubtful(world: World) -> None:
    acme = world.acme
    tell(acme, "I live in Boston and I'm a nurse")
    before = list_texts(acme)
    tell(acme, "I live in Seattle", conversation="c2")
    assert facts(acme) == {"city": "Seattle", "occupation": "nurse"}
    assert set(before) <= set(list_texts(acme))
    assert note(acme, before[0]).possibly_outdated


ENDED = [
    ("I work at Acme Robotics", "I no longer work at Acme Robotics", "employer"),
    ("I live in Leeds", "I moved away from Leeds last week", "city"),
]


@pytest.mark.parametrize(("old", "change", "field"), ENDED)
def test_a_note_that_ends_takes_what_it_filled(world: World, old: str, change: str, field: str) -> None:
    acme = world.acme
    tell(acme, old)
    assert field in facts(acme)
    tell(acme, change, conversation="c2")
    assert field not in facts(acme)
    assert old not in list_texts(acme)
    with tenant_tx(acme.tenant.id):
        delete_conversation(Conversation.objects.get(subject_id=acme.subject.id, external_id="c2"))
    assert field in facts(acme)
    assert list_texts(acme) == [old]


def test_the_fast_lane_ends_both(world: World) -> None:
    acme = world.acme
    tell(acme, "I work at Acme Robotics")
    say_at_the_door(acme, "I no longer work at Acme Robotics")
    assert "employer" not in facts(acme)
    assert "I work at Acme Robotics" not in list_texts(acme)


def test_a_value_that_another_note_says_stays(world: World) -> None:
    acme = world.acme
    tell(acme, "I live in Leeds", "I live in Leeds with three cats and a parrot")
    assert len(list_texts(acme)) == 2
    assert settle_note(acme, list_texts(acme)[0], "no") == Verdict.SUPERSEDED
    assert facts(acme)["city"] == "Leeds"


def test_no_to_whether_it_is_still_so_ends_note_and_slot(world: World) -> None:
    acme = world.acme
    tell(acme, "I work at Acme Robotics", "I love eating sushi")
    assert settle_note(acme, "I work at Acme Robotics", "no") == Verdict.SUPERSEDED
    assert settle_note(acme, "I love eating sushi", "yes") == Verdict.UNCHANGED
    assert "employer" not in facts(acme)
    assert preferences(acme)["food"]["likes"] == ["sushi"]
    assert list_texts(acme) == ["I love eating sushi"]


def test_another_tenant_ends_nothing_of_ours(world: World) -> None:
    acme, globex = world.acme, world.globex
    tell(acme, "I work at Acme Robotics")
    tell(globex, "I no longer work at Acme Robotics", conversation="c2")
    assert settle_note(acme, "I work at Acme Robotics", "no", by=globex) is None
    with tenant_tx(globex.tenant.id):
        assert settle_outdated_note(globex.subject, f"{NOTE_ASK_PREFIX}{new_id().hex}", "no") is None
    assert facts(acme)["employer"] == "Acme Robotics"
    assert list_texts(acme) == ["I work at Acme Robotics"]
