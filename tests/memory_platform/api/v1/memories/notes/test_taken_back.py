"""Words of a heard note that somebody retires or puts right: nothing that a model is told says them any more.

Rows: P4, P9, G4.
"""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.memories.test_changed_notes import ADA, NOTES, post_text
from tests.snapshots.understanding.making import settle

SAID = [
    ("I'm allergic to peanuts.", "peanut", "Which snacks may I eat? Am I allergic to peanuts?"),
    ("我对花生过敏。", "花生", "我能吃花生吗?我对什么过敏?"),
    ("I work at Acme Robotics.", "acme robotics", "Where do I work?"),
    ("我在书店上班。", "书店", "我在哪里上班?"),
]
BESIDE = [("", ""), ("My sister lives in Leeds.", "leeds"), ("我妹妹住在青岛。", "青岛")]
LISTS = ("profile", "preferences", "tags", "snapshots", "snapshots?kind=statement", "notes")


def read_all(caller: Caller, question: str) -> str:
    """Return all that a model can be told: a context without the question, each lane of recall, slots, lists."""
    context = body_of(caller("POST", f"{ADA}/context", {"query": question, "system_prompt": "Help."}))
    recalled = body_of(caller("POST", f"{ADA}/recall", {"query": question}))
    lanes = [recalled[name] for name in ("memories", "notes", "replies", "profile", "preferences", "tags")]
    listed = [body_of(caller("GET", f"{ADA}/{what}")) for what in LISTS]
    return str([context["messages"][:-1], lanes, listed]).lower()


def hear_note(caller: Caller, world: World, said: str, word: str) -> dict[str, Any]:
    post_text(caller, said, "2026-05-04T09:00:00Z")
    settle(world.acme)
    notes: list[dict[str, Any]] = body_of(caller("GET", NOTES))["data"]
    (note,) = [one for one in notes if word in one["text"].lower()]
    return note


@pytest.mark.parametrize("heard", SAID)
@pytest.mark.parametrize(("beside", "kept"), BESIDE)
def test_a_retired_note_takes_its_words_and_slots_with_it(
    acme: Caller, world: World, heard: tuple[str, str, str], beside: str, kept: str
) -> None:
    said, word, question = heard
    note = hear_note(acme, world, f"{beside} {said}".strip(), word)
    assert note["slots"]
    assert word in read_all(acme, question)
    receipt = body_of(acme("POST", f"{ADA}/context", {"query": question, "system_prompt": "Help."}))["receipt_id"]
    shown = body_of(acme("GET", f"/v1/receipts/{receipt}"))
    assert acme("DELETE", f"{NOTES}/{note['id']}").status_code == 204
    after = read_all(acme, question)
    assert word not in after
    assert kept in after
    assert body_of(acme("GET", f"/v1/receipts/{receipt}")) == shown, "the past stays true"
    (state,) = body_of(acme("GET", f"{NOTES}/{note['id']}/history"))["data"]
    assert word in state["text"].lower()


PUT_RIGHT = [
    ("I'm allergic to peanuts and eggs.", "I'm allergic to eggs", "peanut", "egg", "What may I eat? Peanuts?"),
    ("我对花生和鸡蛋过敏。", "我对鸡蛋过敏", "花生", "鸡蛋", "我能吃花生吗?我对什么过敏?"),
    ("I work at Acme Robotics.", "I work at the harbour", "acme robotics", "harbour", "Where do I work?"),
    ("我在书店上班。", "我在码头上班", "书店", "码头", "我在哪里上班?"),
]


@pytest.mark.parametrize("put_right", PUT_RIGHT)
@pytest.mark.parametrize("path", [NOTES, f"{ADA}/snapshots"])
def test_the_old_words_of_a_note_that_was_put_right_come_back_nowhere(
    acme: Caller, world: World, put_right: tuple[str, ...], path: str
) -> None:
    said, right, wrong, kept, question = put_right
    note = hear_note(acme, world, said, wrong)
    assert acme("PATCH", f"{path}/{note['id']}", {"text": right}).status_code == 200
    after = read_all(acme, question)
    assert wrong not in after
    assert kept in after
    states = body_of(acme("GET", f"{NOTES}/{note['id']}/history"))["data"]
    assert [wrong in one["text"].lower() for one in states] == [True, False]


SAID_TWICE = [
    ("I'm allergic to peanuts.", "As I told you, I am allergic to peanuts. My car is a red Volvo.", "peanut", "volvo"),
    ("我对花生过敏。", "我说过了,我对花生过敏的。我的车是红色的沃尔沃。", "花生", "沃尔沃"),
]


@pytest.mark.parametrize(("first", "again", "word", "kept"), SAID_TWICE)
def test_each_message_that_said_a_retired_note_loses_its_words(
    acme: Caller, world: World, first: str, again: str, word: str, kept: str
) -> None:
    note = hear_note(acme, world, first, word)
    post_text(acme, again, "2026-05-05T09:00:00Z")
    settle(world.acme)
    assert acme("DELETE", f"{NOTES}/{note['id']}").status_code == 204
    after = read_all(acme, f"{word}? {kept}?")
    assert word not in after.replace(f"{word}? {kept}?", "")
    assert kept in after


def test_what_another_note_still_says_stays(acme: Caller, world: World) -> None:
    note = hear_note(acme, world, "I'm allergic to peanuts", "peanut")
    post_text(acme, "My doctor confirmed I have a severe peanut allergy", "2026-05-05T09:00:00Z")
    settle(world.acme)
    assert acme("DELETE", f"{NOTES}/{note['id']}").status_code == 204
    assert "peanut" in str(body_of(acme("GET", f"{ADA}/preferences"))).lower()


TAGS = [
    ("My daughter Mia is allergic to cashews.", "Mia", "cashew"),
    ("我女儿小雨对腰果过敏。", "小雨", "腰果"),
]


@pytest.mark.parametrize(("said", "label", "word"), TAGS)
def test_what_is_known_under_the_name_of_a_deleted_contact_ends(
    acme: Caller, globex: Caller, world: World, said: str, label: str, word: str
) -> None:
    hear_note(acme, world, said, word)
    hear_note(acme, world, "I love eating figs", "fig")
    values = f"{ADA}/preferences"
    assert word in str(body_of(acme("GET", values))).lower()
    tags = {
        name: one["id"]
        for one in body_of(acme("GET", f"{ADA}/tags"))["data"]
        for name in (one["label"], *one["aliases"])
    }
    assert globex("DELETE", f"{ADA}/tags/{tags[label]}").status_code == 404
    assert acme("DELETE", f"{ADA}/tags/{tags[label]}").status_code == 204
    left = str(body_of(acme("GET", values))).lower()
    assert word not in left
    assert "fig" in left
