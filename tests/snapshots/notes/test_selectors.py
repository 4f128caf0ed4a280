"""Which notes a list shows, at a moment of either clock. Rows: P9, P10, P4."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Preference, Tag
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.lifecycle.edit_snapshot import Edit
from snapshots.lifecycle.selectors import load_snapshot_history
from snapshots.models import NoteSlot, Snapshot
from snapshots.notes.edit import NoteEdit, edit_note, retire_note
from snapshots.notes.selectors import find_note, list_note_states
from snapshots.notes.values import NoteAbout, WrittenNote
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.grading.handwritten_note_grade import suggest_vital_class
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.lifecycle.world import anything
from tests.snapshots.notes.world import ALLERGY, ALLERGY_ZH, address_of, note, texts

MARCH, MAY = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)


def edit(house: House, note_id: Any, **changes: Any) -> WrittenNote:
    words: dict[str, Any] = {name: changes.pop(name) for name in ("text", "confidence") if name in changes}
    more: dict[str, Any] = {name: changes.pop(name) for name in ("about", "vital", "vital_class") if name in changes}
    change = NoteEdit(Edit(words, mask_sensitive, anything), COMMAND_LINE, suggest_vital_class, changes, **more)
    return edit_note(house.tenant.id, address_of(house, note_id), change, active_embedders())


@pytest.fixture
def notes(world: World) -> World:
    with tenant_tx(world.acme.tenant.id):
        mother = Tag.objects.create(subject=world.acme.subject, label="妈妈", kind="contact", aliases=["Mum"])
    note(world.acme, ALLERGY, vital_class="allergy")
    note(world.acme, "每天早上喝茶", grade="habit")
    note(world.acme, "Mum is vegetarian", grade="about_other", about_kind="contact", about_tag_id=mother.id)
    note(world.acme, "Bello is a poodle", grade="about_other", about_kind="thing", about_label="Bello")
    note(world.globex, "Gil likes tea", grade="habit")
    return world


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({}, 4),
        ({"grade": "habit"}, 1),
        ({"grade": "plan"}, 0),
        ({"vital": True}, 1),
        ({"vital": False}, 3),
        ({"about": "self"}, 2),
        ({"about": "contact"}, 1),
        ({"about": "thing"}, 1),
        ({"about": "妈妈"}, 1),
        ({"about": "媽媽"}, 1),
        ({"about": "mum"}, 1),
        ({"about": "BELLO"}, 1),
        ({"about": "nobody"}, 0),
        ({"about": "019aa9a4-4410-7517-8d17-906f9e023e47"}, 0),
        ({"about": "self", "vital": True, "grade": "fact"}, 1),
    ],
)
def test_a_list_is_narrowed(notes: World, wanted: dict[str, Any], count: int) -> None:
    assert len(texts(notes.acme, **wanted)) == count
    moment = {**wanted, "known_at": utc_now()}
    assert texts(notes.acme, **moment) == texts(notes.acme, **wanted)


def test_as_of_is_what_was_true_then_and_history_adds_what_ended(world: World) -> None:
    old = note(world.acme, "I live in Boston", said_at=MARCH)
    note(world.acme, "我住在西雅图", said_at=MAY)
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=old).update(invalid_at=MAY)
    assert texts(world.acme) == ["我住在西雅图"]
    assert texts(world.acme, as_of=MARCH + timedelta(days=9)) == ["I live in Boston"]
    assert texts(world.acme, as_of=MARCH - timedelta(days=9)) == []
    assert texts(world.acme, include_history=True) == ["I live in Boston", "我住在西雅图"]
    assert texts(world.acme, as_of=MARCH, include_history=True) == ["I live in Boston"]


def test_known_at_shows_and_matches_what_was_held_then(world: World) -> None:
    before = utc_now()
    note_id = note(world.acme, ALLERGY, vital_class="allergy")
    note(world.acme, "unchanged 没有变")
    first = utc_now()
    about = NoteAbout("contact", label="Theo")
    edit(world.acme, note_id, text=ALLERGY_ZH, grade="about_other", about=about, vital=False, confidence=0.4)
    second = utc_now()
    edit(world.acme, note_id, grade="plan")
    with tenant_tx(world.acme.tenant.id):
        retire_note(address_of(world.acme, note_id), accept=anything)
    assert texts(world.acme, known_at=before) == []
    assert texts(world.acme, known_at=first) == [ALLERGY, "unchanged 没有变"]
    assert texts(world.acme, known_at=first, vital=True, about="self", grade="fact") == [ALLERGY]
    assert texts(world.acme, known_at=second, vital=True) == []
    assert texts(world.acme, known_at=second, about="theo", grade="about_other") == [ALLERGY_ZH]
    assert texts(world.acme, known_at=second, grade="plan") == []
    assert texts(world.acme) == texts(world.acme, known_at=utc_now()) == ["unchanged 没有变"]


def test_history_tells_every_state_of_words_and_details(world: World) -> None:
    note_id = note(world.acme, ALLERGY, grade="habit")
    edit(world.acme, note_id, vital_class="allergy", grade="fact")
    edit(world.acme, note_id, text=ALLERGY_ZH)
    edit(world.acme, note_id, review_by=MAY, possibly_outdated=True)
    with tenant_tx(world.acme.tenant.id):
        states = list_note_states(find_note(address_of(world.acme, note_id)))
    said = [
        (one.sourced.snapshot.version, one.sourced.snapshot.text, one.sourced.note.grade, one.sourced.note.vital_class)
        for one in states
    ]
    assert said == [
        (1, ALLERGY, "habit", ""),
        (2, ALLERGY, "fact", "allergy"),
        (3, ALLERGY_ZH, "fact", "allergy"),
        (4, ALLERGY_ZH, "fact", "allergy"),
    ]
    assert [one.sourced.note.review_by for one in states] == [None, None, None, MAY]
    assert [one.retired_at for one in states[:-1]] == [one.recorded_at for one in states[1:]]
    assert states[-1].retired_at is None


def test_a_snapshot_of_a_past_moment_is_restored_without_its_note(world: World) -> None:
    note_id = note(world.acme, ALLERGY)
    edit(world.acme, note_id, grade="plan")
    with tenant_tx(world.acme.tenant.id):
        states = load_snapshot_history(Snapshot.objects.get(id=note_id))
    assert [(state.snapshot.version, state.snapshot.text) for state in states] == [(1, ALLERGY), (2, ALLERGY)]


@pytest.mark.parametrize(
    ("before", "held", "now", "vital_class"),
    [
        ("I'm allergic to peanuts", "allergy", "I am a nurse in Leeds", ""),
        ("I'm allergic to peanuts", "allergy", "I'm allergic to cashews", "allergy"),
        ("I'm allergic to peanuts", "allergy", "I take insulin at noon", "illness"),
        ("我对花生过敏", "allergy", "我在苏州当护士", ""),
        ("Only Ruth may open the gate", "safety", "Only Ruth and Bo may open the gate", "safety"),
    ],
)
def test_new_words_say_anew_why_a_note_is_vital(
    world: World, before: str, held: str, now: str, vital_class: str
) -> None:
    made = note(world.acme, before, vital_class=held)
    assert edit(world.acme, made, text=now).sourced.note.vital_class == vital_class


@pytest.mark.parametrize(
    ("now", "is_linked"),
    [("I am a nurse in Leeds", False), ("I'm really allergic to peanuts", True), ("I'm allergic to cashews", False)],
)
def test_a_note_fills_only_what_its_new_words_say(world: World, now: str, *, is_linked: bool) -> None:
    made = note(world.acme, "I'm allergic to peanuts", vital_class="allergy")
    with tenant_tx(world.acme.tenant.id):
        allergies = Preference.objects.create(
            subject=world.acme.subject,
            category="food",
            key="allergies",
            value=["peanuts"],
            confidence=0.9,
            provenance="observation",
            valid_at=MARCH,
            statement="I'm allergic to peanuts",
        )
        NoteSlot.objects.create(subject=world.acme.subject, snapshot_id=made, preference=allergies)
    edit(world.acme, made, text=now)
    with tenant_tx(world.acme.tenant.id):
        assert NoteSlot.objects.filter(snapshot_id=made).exists() is is_linked
