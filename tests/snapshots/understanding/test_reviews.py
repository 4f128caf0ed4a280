"""The examples of the two reviews as talks, each with neighbours of other words: what is held when a talk has ended.

Rows: P3, P6, P10, G4, A4. `tests/data/reviews.jsonl` holds a talk per line, `tests/data/README.md` says what its keys
mean. All talks are held side by side, each by a subject of its own, through the real pipeline.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memory_platform.kernel.text import to_comparable
from profiles.models import Subject
from profiles.selectors import current_preferences, profile_facts, tags_of
from profiles.services.subjects import ensure_subject
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Note, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import MONDAY, settle

# The first test of a language holds all of its talks: half a minute on an idle machine.
pytestmark = pytest.mark.timeout(900)

Talk = dict[str, Any]
DATA = Path(__file__).parents[2] / "data" / "reviews.jsonl"
TALKS: list[Talk] = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
ASSISTANT = "assistant: "
GRAVEST = ("home", "name", "ends", "torn", "forget")
MOST_KNOWN = 6


@dataclass(frozen=True, slots=True)
class HeldBeliefs:
    """What is held of somebody: values by place, and the notes, with whom each speaks of and why it is vital."""

    values: Mapping[str, Any]
    notes: Mapping[str, tuple[str, str]]


HeldIn = Callable[[str], Mapping[str, HeldBeliefs]]


@pytest.fixture(scope="module")
def held_in(request: pytest.FixtureRequest, shared_world: World) -> HeldIn:
    """Return what tells what is held after each talk of a language, by its id; of the talks that this run asks for."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function) and item.path == request.path]
    asked = [item.callspec.params["talk"] for item in items if "held_in" in item.fixturenames]
    talks = [talk for talk in TALKS if talk in asked]
    return cache(lambda language: hold(shared_world.acme, [talk for talk in talks if talk["language"] == language]))


def hold(house: House, talks: Sequence[Talk]) -> Mapping[str, HeldBeliefs]:
    """Hold talks side by side, all that is said in a turn learned before the next one begins."""
    with tenant_tx(house.tenant.id):
        people = {talk["id"]: ensure_subject(talk["id"]) for talk in talks}
    for turn in range(max(len(talk["turns"]) for talk in talks)):
        with tenant_tx(house.tenant.id):
            for talk in talks:
                for said in talk["turns"][turn : turn + 1]:
                    accept_messages(people[talk["id"]], "c1", [message_of(said, turn)])
        settle(house)
    with tenant_tx(house.tenant.id):
        return {name: held_of(person) for name, person in people.items()}


def message_of(said: str, turn: int) -> IncomingMessage:
    at = MONDAY + timedelta(minutes=turn)
    role = "assistant" if said.startswith(ASSISTANT) else "user"
    return IncomingMessage(role=role, content=said.removeprefix(ASSISTANT), said_at=at)


def held_of(subject: Subject) -> HeldBeliefs:
    texts = Snapshot.objects.filter(subject_id=subject.id, invalid_at__isnull=True, retired_at__isnull=True)
    notes = Note.objects.filter(subject=subject, snapshot__in=texts).select_related("snapshot")
    return HeldBeliefs(dict(_values_of(subject)), {n.snapshot.text: (n.about_label, n.vital_class) for n in notes})


def _values_of(subject: Subject) -> Iterator[tuple[str, Any]]:
    for belief in current_preferences(subject):
        yield f"{belief.category}/{belief.key}", belief.value
    for fact in profile_facts(subject):
        yield fact.field, fact.value
    for tag in tags_of(subject):
        yield f"tag/{tag.label}", tag.address or tag.phone
        told = {"phone": tag.phone, "relation": tag.relation, "aliases": list(tag.aliases)}
        yield from ((f"tag/{tag.label}/{name}", value) for name, value in told.items() if value)


def faults(talk: Talk, held: HeldBeliefs) -> Iterator[str]:
    """Yield what is not held as the talk wants it."""
    for place, wanted in talk.get("holds", {}).items():
        if not is_held(wanted, held.values.get(place)):
            yield f"{place}: {held.values.get(place)!r}, not {wanted!r}"
    said = [to_comparable(f"{place} {value}".replace("'", "")) for place, value in held.values.items()]
    for words in talk.get("not_holds", ()):
        yield from (f"holds {one}" for one in said if to_comparable(words) in one)
    notes = [to_comparable(text) for text in held.notes]
    for words in talk.get("notes", ()):
        if not any(to_comparable(words) in text for text in notes):
            yield f"no note says {words!r}"
    for words in talk.get("no_notes", ()):
        yield from (f"a note says {text!r}" for text in notes if to_comparable(words) in text)
    guarded = {text for text, (_, vital) in held.notes.items() if vital}
    if "vital" in talk and bool(guarded) != talk["vital"]:
        yield f"vital: {sorted(guarded)}"
    if "about" in talk and talk["about"] not in {about for about, _ in held.notes.values()}:
        yield f"no note is about {talk['about']!r}: {sorted(held.notes.items())}"


def is_held(wanted: Any, got: Any) -> bool:
    """Return whether a value stands; null: none does; of a list, exactly its entries do, in any order."""
    if isinstance(wanted, list) and isinstance(got, list):
        return sorted(map(to_comparable, map(str, wanted))) == sorted(map(to_comparable, map(str, got)))
    if isinstance(wanted, dict) or wanted is None:
        return bool(wanted == got)
    return got is not None and to_comparable(str(wanted)) == to_comparable(str(got))


def make_parameters(talks: Sequence[Talk]) -> list[Any]:
    """Return talks as parameters; one worker of the test run holds all talks of a language."""
    return [
        pytest.param(talk, id=talk["id"], marks=pytest.mark.xdist_group(f"reviews {talk['language']}"))
        for talk in talks
    ]


@pytest.mark.slow
@pytest.mark.parametrize("talk", make_parameters([talk for talk in TALKS if "known" not in talk]))
def test_what_is_held_after_a_talk_is_right(talk: Talk, held_in: HeldIn) -> None:
    assert list(faults(talk, held_in(talk["language"])[talk["id"]])) == []


@pytest.mark.parametrize("talk", make_parameters([talk for talk in TALKS if "known" in talk]))
def test_what_is_known_to_be_weak_is_still_weak(talk: Talk, held_in: HeldIn) -> None:
    assert list(faults(talk, held_in(talk["language"])[talk["id"]])) != [], (
        "it is right by now: take its word `known` away"
    )


def test_little_is_known_to_be_weak_and_what_is_gravest_has_most_neighbours() -> None:
    kinds = Counter(talk["id"].split("-")[1] for talk in TALKS)
    assert sum("known" in talk for talk in TALKS) <= MOST_KNOWN
    assert [kind for kind in GRAVEST if kinds[kind] <= 20] == []
    assert len({talk["id"] for talk in TALKS}) == len(TALKS)
