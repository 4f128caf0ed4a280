"""What the assistant said of something that is otherwise now does not stand unmarked against it. Rows: C7, P4, X1."""

from datetime import timedelta

import pytest

from snapshots.context.gathering.later_changes import NoteChange, NoteChanges, update_changed_items
from snapshots.context.values import MemoryItem
from tests.snapshots.understanding.making import MONDAY

CHANGE = MONDAY + timedelta(days=3)
TOLD = [
    ("My dentist is Dr. Rask", "My dentist is Dr. Quist", "Your dentist Dr. Rask is in Mill Street"),
    ("Pilates is Thursdays at 6:40", "Pilates is Saturdays at 9", "I'll remind you of pilates on Thursdays"),
    ("停车费一个月300", "停车费涨到380一个月", "停车费300,我记下了"),
    ("孩子的班主任是陶老师", "孩子的班主任换成季老师", "班主任陶老师的电话我存了"),
]


def item(name: str, kind: str, text: str, days: int) -> MemoryItem:
    return MemoryItem(
        "snapshots", name, kind, text, 0.9, "confirmed_by_user", valid_since=MONDAY + timedelta(days=days)
    )


def show(old: str, new: str, reply: MemoryItem, *, is_over: bool = True) -> list[tuple[str, bool]]:
    """Return the kinds of what comes with a reply, and whether each may be over."""
    newer = item("new", "note", new, 3)
    change = NoteChange("old", old, is_over, None if is_over else CHANGE, newer)
    shown = update_changed_items([reply], NoteChanges({"old": change}))
    assert all(one.doubted_since in (None, CHANGE) for one in shown)
    return [(one.kind, one.doubted_since is not None) for one in shown]


@pytest.mark.parametrize(("old", "new", "said"), TOLD)
@pytest.mark.parametrize("is_over", [True, False])
def test_a_reply_with_the_old_value_is_marked_and_comes_behind_what_is_newer(
    old: str, new: str, said: str, is_over: bool
) -> None:
    assert show(old, new, item("r", "reply", said, 1), is_over=is_over) == [("note", False), ("reply", True)]


@pytest.mark.parametrize(("old", "new", "said"), TOLD)
def test_what_the_assistant_said_afterwards_stands(old: str, new: str, said: str) -> None:
    assert show(old, new, item("r", "reply", said, 4)) == [("reply", False)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("My dentist is Dr. Rask", "My dentist is Dr. Quist", "Rask is an old Danish name"),
        ("My dentist is Dr. Rask", "My dentist is Dr. Quist", "Brush before you see your dentist"),
        ("My dentist is Dr. Rask", "My dentist is Dr. Quist", "Your dentist is Dr. Quist and no longer Rask"),
        ("停车费一个月300", "停车费涨到380一个月", "推荐您去湖边走走"),
    ],
)
def test_a_reply_on_something_else_or_on_both_stands(old: str, new: str, said: str) -> None:
    assert show(old, new, item("r", "reply", said, 1)) == [("reply", False)]
