"""What was said stands once in a context, in whatever order its notes and its message are stored. Rows: X1, P4, P12."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.db import connection

from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.models import Note, WorkKind
from snapshots.queue.draining.drain import drain_work
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import remember
from tests.snapshots.understanding.making import HANDLERS, MONDAY, say, settle

LATER = MONDAY + timedelta(days=3)
MANY = 250
"""Notes that changed after those that a context needs."""
REPAIR = import_module("snapshots.migrations.0038_notes_know_their_statement_before_it_is_stored").REPAIR


def lines_of(house: House, query: str, *, prefix: bool = False) -> list[str]:
    """Return the lines of the memories in a context, or in its prefix."""
    request = ContextRequest(query, system_prompt="Help.", budget=BudgetRequest(total=6_000), at=LATER)
    built = build_context(house.tenant.id, house.subject.external_id, ContextCall(request, "3"))
    told = built.context.messages[:1] if prefix else built.context.messages[:-1]
    return [line for one in told for line in one["content"].splitlines() if line.startswith(("- ", "~ ", "? "))]


def change_many_notes(house: House) -> None:
    """Have many notes that changed after all others, beside one that ended."""
    shelves = (f"Shelf {number} holds a jar" for number in range(MANY))
    ids = remember(house, *shelves, kind="note", said_at=LATER + timedelta(hours=1))
    with tenant_tx(house.tenant.id):
        assert Note.objects.filter(snapshot__invalid_at__isnull=False).exists()
        doubted = {"grade": "fact", "grade_probability": 0.5, "possibly_outdated": True}
        Note.objects.bulk_create(Note(subject=house.subject, snapshot_id=one, **doubted) for one in ids)


def settle_notes_first(house: House) -> None:
    """Have the notes stored before the statements of their messages."""
    while drain_work(house.tenant.id, {WorkKind.EXTRACT: HANDLERS[WorkKind.EXTRACT]}).more:
        pass
    settle(house)


def test_a_note_that_is_stored_before_its_message_stands_in_its_place(world: World) -> None:
    house = world.acme
    say(house, "I work as a midwife in Ghent.")
    settle_notes_first(house)
    assert len([line for line in lines_of(house, "Where do I work?") if "Ghent" in line]) == 1


def test_words_that_are_over_do_not_stand_because_their_note_came_first(world: World) -> None:
    house = world.acme
    say(house, "I live in Boston.")
    settle_notes_first(house)
    say(house, "I moved to Seattle, I no longer live in Boston.", at=LATER, conversation="c2")
    settle_notes_first(house)
    lines = lines_of(house, "Where do I live?")
    assert any("Seattle" in line for line in lines)
    assert not [line for line in lines if line.endswith("I live in Boston.") or line.endswith("I live in Boston")]


@pytest.mark.parametrize(
    ("old", "new", "query", "holds", "over"),
    [
        ("I live in Boston and my sister is called Ruth.", "I moved to Seattle, I no longer live in Boston.",
         "Who is Ruth?", "Ruth", "I live in Boston"),
        ("我住在成都，我姐姐叫林燕。", "我搬到杭州了，不住成都了。", "林燕是谁？", "林燕", "我住在成都"),
    ],
)  # fmt: skip
def test_words_that_are_over_stay_out_however_many_notes_changed_since(
    world: World, old: str, new: str, query: str, holds: str, over: str
) -> None:
    house = world.acme
    say(house, old)
    say(house, new, at=LATER, conversation="c2")
    settle(house)
    change_many_notes(house)
    lines = lines_of(house, query)
    assert any(holds in line for line in lines)
    assert not [line for line in lines if over in line]


def test_what_was_said_several_times_stands_once(world: World) -> None:
    house, hiking = world.acme, "I love hiking in the Peak District"
    for day, said in enumerate((f"{hiking}.", f"{hiking}!", f"As I said, {hiking}", hiking.upper())):
        say(house, said, at=MONDAY + timedelta(days=day), conversation=f"c{day}")
    settle(house)
    lines = [line for line in lines_of(house, "Where do I like to hike?") if "peak district" in line.lower()]
    assert len([line for line in lines if "interests" not in line]) == 1


def test_a_habit_that_hardly_lasts_stands_in_no_prefix_until_it_is_said_again(world: World) -> None:
    house = world.acme
    say(house, "I always take the night train to work.")
    settle(house)
    with tenant_tx(house.tenant.id):
        Note.objects.update(grade="habit", grade_probability=0.5)
    assert not [line for line in lines_of(house, "Why is the sky blue?", prefix=True) if "night train" in line]
    say(house, "I always take the night train to work!", at=LATER, conversation="c2")
    settle(house)
    assert [line for line in lines_of(house, "Why is the sky blue?", prefix=True) if "night train" in line]


def test_notes_that_lost_their_statement_have_it_again(world: World) -> None:
    house = world.acme
    say(house, "I work as a midwife in Ghent.")
    settle(house)
    with tenant_tx(house.tenant.id):
        told = Note.objects.get().statement_id
        assert told is not None
        Note.objects.update(statement_id=None)
    with connection.cursor() as cursor:
        cursor.execute(REPAIR)
    with tenant_tx(house.tenant.id):
        assert Note.objects.get().statement_id == told
