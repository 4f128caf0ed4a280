"""Once: a message comes without the words that its notes say. Rows: X12, R7."""

from dataclasses import replace

import pytest

from snapshots.context.gathering.cut_repeated_words import drop_bare_masks, drop_noted_words
from snapshots.context.values import MemoryItem


def item(kind: str, text: str, *, words: str = "", of: str = "", refused: bool = False) -> MemoryItem:
    return MemoryItem(
        lane="snapshots",
        id=of if kind == "statement" else text,
        kind=kind,
        text=text,
        confidence=0.9,
        provenance="confirmed_by_user",
        relevance=0.5,
        score=0.4,
        words=words,
        statement_ids=frozenset({of}) if kind == "note" else frozenset(),
        untrusted_instruction=refused,
    )


def left_of(text: str, *notes: MemoryItem, standing: tuple[MemoryItem, ...] = ()) -> MemoryItem:
    *_, left = drop_noted_words([*notes, item("statement", text, of="m")], standing)
    return left


@pytest.mark.parametrize(
    ("text", "noted", "left"),
    [
        ("I can't have nuts, and we moved to Leeds in May", "I can't have nuts", "and we moved to Leeds in May"),
        (
            "We moved to Leeds. My sister stays. I sold the car",
            "My sister stays",
            "We moved to Leeds \u2026 I sold the car",
        ),
        ("我对花生过敏，上个月搬到了苏州", "我对花生过敏", "上个月搬到了苏州"),
    ],
)
def test_a_message_comes_without_what_its_note_says(text: str, noted: str, left: str) -> None:
    found = left_of(text, item("note", noted, words=noted, of="m"))
    assert found.text == left
    assert found.relevance == pytest.approx(0.5 * len(left) / len(text))
    assert not found.is_noted


def test_a_note_in_the_prefix_counts_and_its_label_does_not() -> None:
    told = item("note", "Theo (son): he can't have nuts", words="he can't have nuts", of="m")
    assert left_of("he can't have nuts, and we moved to Leeds", standing=(told,)).text == "and we moved to Leeds"


@pytest.mark.parametrize(
    "text", ["I can't have nuts!", "Hi! I can't have nuts, ok?", "I can't have nuts, what shall I cook?"]
)
def test_a_message_of_which_nothing_is_left_is_noted(text: str) -> None:
    assert left_of(text, item("note", "I can't have nuts", words="I can't have nuts", of="m")).is_noted


def test_a_note_that_must_not_come_takes_nothing_from_its_message() -> None:
    note = item("note", "I can't have nuts", words="I can't have nuts", of="m", refused=True)
    assert left_of("I can't have nuts, and we moved to Leeds", note).text == "I can't have nuts, and we moved to Leeds"


@pytest.mark.parametrize(
    "text",
    ["As I said, I can't have nuts.", "i CAN'T have nuts!!", "By the way: I can't have nuts", "I can't have Nuts"],
)
def test_a_message_that_says_it_again_is_noted(text: str) -> None:
    note = item("note", "I can't have nuts", words="I can't have nuts", of="first")
    assert left_of(text, replace(note, statement_ids=frozenset({"first", "m"}))).is_noted


@pytest.mark.parametrize("text", ["Thanks! By the way, I can't have nuts", "对了，我对花生过敏"])
def test_what_only_leads_to_a_note_is_noted(text: str) -> None:
    words = "I can't have nuts" if "nuts" in text else "我对花生过敏"
    assert left_of(text, item("note", words, words=words, of="m")).is_noted


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("My gate code is [masked secret]", False),
        ("My gate code is [masked secret].", False),
        ("我家门禁密码是[masked secret]", False),
        ("[masked card number]", False),
        ("My gate code is [masked secret] and I moved to Leeds", True),
        ("I moved to Leeds. My gate code is [masked secret]", True),
        ("我搬到了苏州，门禁密码是[masked secret]", True),
    ],
)
def test_what_says_nothing_but_a_mask_is_left_out(text: str, *, stays: bool) -> None:
    assert bool(list(drop_bare_masks([item("statement", text, of="m")]))) is stays
    assert list(drop_bare_masks([replace(item("note", text), vital=True)]))


def test_another_messages_note_takes_nothing() -> None:
    note = item("note", "I can't have nuts", words="I can't have nuts", of="other")
    assert left_of("I can't have nuts, and we moved", note).text == "I can't have nuts, and we moved"
