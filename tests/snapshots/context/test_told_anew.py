"""A context of somebody whose life changed: what may be over leaves the prefix, and never comes without what is newer.
Rows: P4, X1, X11."""

from datetime import UTC, datetime, timedelta

import pytest

from memory_platform.kernel.ids import stable_id
from snapshots.context.gathering.later_changes import NoteChange, NoteChanges
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest, MemoryItem
from snapshots.models import Message, Note, NoteGrade, Snapshot, SnapshotKind
from snapshots.notes.selectors import NoteFilter, list_notes
from snapshots.understanding.changes.apply_note_endings import apply_endings, load_note_spans, record_successors
from snapshots.understanding.changes.ending_classifier import EndingEffect
from snapshots.understanding.changes.predicted_endings import NoteEnding
from snapshots.understanding.statements.statements import STATEMENT_VERSION
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import MONDAY, say, settle

LATER = MONDAY + timedelta(days=3)
TOLD = [
    ("早上打太极,六点半,在浣花溪", "太极挪地方了,浣花溪在修路,现在去百花潭", "早上到哪里打太极", "浣花溪", "百花潭"),
    ("I usually run in Hollow Park before work", "Hollow Park is shut, I run along the canal now", "Where do I run?",
     "Hollow Park before", "canal"),
]  # fmt: skip


def see_context(house: House, query: str, *, total: int, at: datetime = LATER) -> tuple[str, str]:
    """Return message 0 and message 1."""
    request = ContextRequest(query, system_prompt="Help.", budget=BudgetRequest(total=total), at=at)
    built = build_context(house.tenant.id, house.subject.external_id, ContextCall(request, "3"))
    first, second, *_ = [one["content"] for one in built.context.messages]
    return first, second


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("total", [300, 2_000])
def test_what_is_told_anew_is_not_in_the_prefix_and_comes_with_what_is_newer(
    world: World, told: tuple[str, str, str, str, str], total: int
) -> None:
    old, change, question, was, now = told
    say(world.acme, old, conversation="c1")
    say(world.acme, change, conversation="c2", at=LATER)
    settle(world.acme)
    first, second = see_context(world.acme, question, total=total)
    assert was not in first
    assert now in second


def test_a_later_word_of_the_same_is_kept_beside_a_note_until_it_is_confirmed(world: World) -> None:
    house = world.acme
    say(house, TOLD[0][0])
    say(house, TOLD[0][1], at=LATER, conversation="c2")
    settle(house)
    with tenant_tx(house.tenant.id):
        message = Message.objects.get(content=TOLD[0][1])
        held = list(list_notes(house.subject, NoteFilter()).order_by("position"))
        (old, *new) = held
        made = load_note_spans([message])[message.id]
        record_successors(message, [NoteEnding(old.id, EndingEffect.RETELLS, 0, len(message.content))], made)
        assert Note.objects.get(snapshot=old).newer in {one.id for one in new}
        assert {one.kind for one in held} == {SnapshotKind.NOTE}
    say(house, TOLD[0][0], at=LATER + timedelta(days=1), conversation="c3")
    settle(house)
    with tenant_tx(house.tenant.id):
        assert Note.objects.get(snapshot=old).newer is None
        record_successors(
            message, [NoteEnding(old.id, EndingEffect.RETELLS, 0, len(message.content))], made
        )  # delivered again
        apply_endings(message, [NoteEnding(old.id, EndingEffect.ENDS, 0, len(message.content))])
        again = Note.objects.select_related("snapshot").get(snapshot=old)
        assert (again.newer, again.changed_by, again.snapshot.invalid_at) == (None, None, None)


def test_the_last_word_of_the_same_is_kept_in_whatever_order_messages_are_read(world: World) -> None:
    house, later = world.acme, ("I have two cats", "My sister is called Ruth")
    say(house, TOLD[1][0])
    for day, text in enumerate(later, start=1):
        say(house, text, at=MONDAY + timedelta(days=day), conversation=f"c{day + 1}")
    settle(house)
    with tenant_tx(house.tenant.id):
        old = list_notes(house.subject, NoteFilter()).get(text=TOLD[1][0])
        first, last = (Message.objects.get(content=text) for text in later)
        for message in (first, last, first):
            record_successors(message, [NoteEnding(old.id, EndingEffect.RETELLS, 0, 3)], [])
        assert Note.objects.get(snapshot=old).newer == stable_id(STATEMENT_VERSION, last.id)


@pytest.mark.parametrize(("doubted_at", "holds"), [(None, "b"), (LATER, "c")])
def test_what_is_newer_is_followed_through_what_is_doubted_alone(doubted_at: datetime | None, holds: str) -> None:
    b, c = (MemoryItem("snapshots", name, "note", name, 0.9, "confirmed_by_user") for name in "bc")
    first, second = NoteChange("a", "a", False, LATER, b), NoteChange("b", "b", False, doubted_at, c)
    newest = NoteChanges({"a": first, "b": second}).find_newest(first)
    assert newest is not None
    assert newest.id == holds


def test_a_change_that_makes_no_note_comes_as_it_was_said(world: World) -> None:
    house = world.acme
    say(house, TOLD[0][0])
    say(house, "Hm.", at=LATER, conversation="c2")
    settle(house)
    with tenant_tx(house.tenant.id):
        old = list_notes(house.subject, NoteFilter()).get()
        message, said = Message.objects.get(content="Hm."), Message.objects.get(content=TOLD[0][0])
        record_successors(message, [NoteEnding(old.id, EndingEffect.RETELLS, 0, 3)], [])
        assert Note.objects.get(snapshot=old).newer == stable_id(STATEMENT_VERSION, message.id)
        assert Snapshot.objects.filter(id=stable_id(STATEMENT_VERSION, said.id), kind=SnapshotKind.STATEMENT).exists()


PLANS = [
    ("We're flying to Porto on Friday the 20th of November", "What about Porto?", "Porto"),
    ("我们11月20号飞大理", "大理的事怎么样?", "大理"),
]


@pytest.mark.parametrize(("plan", "question", "place"), PLANS)
@pytest.mark.parametrize("vital", ["", "illness"])
def test_a_plan_is_past_after_its_day_and_still_found(
    world: World, plan: str, question: str, place: str, vital: str
) -> None:
    say(world.acme, plan)
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        Note.objects.filter(subject_id=world.acme.subject.id).update(grade=NoteGrade.PLAN, vital_class=vital)
    for day, is_past in ((20, False), (21, True)):
        first, second = see_context(world.acme, question, total=2_000, at=datetime(2026, 11, day, 9, tzinfo=UTC))
        (line,) = [one for one in f"{first}\n{second}".splitlines() if one.startswith("- ") and place in one]
        assert ("(until 20 Nov)" in line) == is_past
        assert (place in first) == (bool(vital) and not is_past)
