"""What is told of anew comes with what is newer, and ended words stay out. Rows: P4, X1."""

from dataclasses import replace
from datetime import UTC, datetime

from snapshots.context.gathering.later_changes import NoteChange, NoteChanges, update_changed_items
from snapshots.context.values import MemoryItem

TUESDAY = datetime(2026, 5, 12, tzinfo=UTC)


def make_item(name: str, text: str, *, kind: str = "note", score: float = 0.0) -> MemoryItem:
    return MemoryItem("snapshots", name, kind, text, 0.9, "confirmed_by_user", score=score, relevance=score)


OLD = make_item("old", "打太极,在浣花溪", score=0.6)
NEW = make_item("new", "现在去百花潭", score=0.1)
NEWEST = make_item("newest", "改去人民公园", score=0.0)


def changes_with(*held: tuple[str, NoteChange]) -> NoteChanges:
    return NoteChanges({one.note_id: one for _, one in held}, {name: [one] for name, one in held})


def retell(old: MemoryItem, newer: MemoryItem | None, *, doubted: datetime | None = None) -> NoteChange:
    return NoteChange(old.id, old.text, is_over=False, doubted_at=doubted, newer=newer)


def test_what_is_newer_stands_before_the_older_and_is_as_relevant() -> None:
    changes = changes_with(("said", retell(OLD, NEW)))
    first, second = update_changed_items([OLD, NEW], changes)
    assert (first.id, first.score, first.relevance, second) == ("new", 0.6, 0.6, OLD)
    (first, _) = update_changed_items([OLD], changes)
    assert (first.id, first.relevance) == ("new", 0.6)
    assert update_changed_items([NEW], changes) == [NEW]


def test_what_is_newer_is_no_more_relevant_than_what_it_comes_with() -> None:
    own = ("old", OLD.text, *[None] * 10)
    row = (*own, None, None, TUESDAY, None, ["tag"], "statement", "new", NEW.text, *[None] * 10, True)
    changes = NoteChanges.from_rows([row], lambda columns: make_item(columns[0], columns[1], score=1.0))
    (first, _) = update_changed_items([OLD], changes)
    assert (first.id, first.kind, first.relevance) == ("new", "statement", 0.6)
    home, other = changes.mark_slots(replace(OLD, id=name, lane="tags") for name in ("tag", "other"))
    assert (home.doubted_since, other.doubted_since) == (TUESDAY, None)
    nobody = NoteChanges.from_rows([(*row[:-1], False)], lambda columns: make_item(columns[0], columns[1]))
    assert [one.id for one in update_changed_items([OLD], nobody)] == ["old"]


def test_the_last_of_several_comes_and_none_that_is_over() -> None:
    retold = changes_with(("a", retell(OLD, NEW)), ("b", retell(NEW, NEWEST)))
    assert [one.id for one in update_changed_items([OLD], retold)] == ["new", "old"]
    doubted = changes_with(("a", retell(OLD, NEW)), ("b", retell(NEW, NEWEST, doubted=TUESDAY)))
    assert [one.id for one in update_changed_items([OLD], doubted)] == ["newest", "old"]
    round_about = changes_with(("a", retell(OLD, NEW)), ("b", retell(NEW, OLD)))
    assert [one.id for one in update_changed_items([OLD], round_about)] == ["new", "old"]
    over = replace(retell(NEW, None), is_over=True)
    assert update_changed_items([OLD], changes_with(("a", retell(OLD, NEW)), ("b", over))) == [OLD]


def test_a_statement_loses_what_is_over_and_brings_what_is_newer() -> None:
    told = make_item("said", "Home is Boston, and I sing in a choir", kind="statement", score=0.5)
    over = NoteChange("home", "Home is Boston", is_over=True, doubted_at=None, newer=NEW)
    newer, rest = update_changed_items([told], changes_with(("said", over)))
    assert (newer.id, newer.score, rest.text) == ("new", 0.5, "and I sing in a choir")
    whole = replace(told, text="Home is Boston!")
    assert [one.id for one in update_changed_items([whole], changes_with(("said", over)))] == ["new"]


def test_a_doubt_marks_the_note_and_a_statement_that_says_little_else() -> None:
    doubted = changes_with(("said", retell(OLD, None, doubted=TUESDAY)))
    short = make_item("said", "打太极,在浣花溪呢", kind="statement")
    long = make_item("said", "打太极,在浣花溪,还养画眉,两只,天天早上提出去", kind="statement")
    marked = [one.doubted_since for one in update_changed_items([OLD, short], doubted)]
    assert marked == [TUESDAY, TUESDAY]
    assert [one.doubted_since for one in update_changed_items([long], doubted)] == [None]
    assert update_changed_items([replace(OLD, lane="tags")], doubted)[0].doubted_since is None
