"""A heard note that is put right fills what its new words say, and its topics follow them.

Rows: P4, P9, T1.
"""

from typing import Any

import pytest

from profiles.models import Preference, ProfileFact, TagDetail
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.memories.notes.test_taken_back import hear_note
from tests.memory_platform.api.v1.memories.test_changed_notes import ADA, NOTES

PATHS = [NOTES, f"{ADA}/snapshots"]
PUT_RIGHT = [
    ("I live at 8 Canal Street, Leeds.", "I live at 9 Canal Street, Leeds.", "8 canal", "9 canal street"),
    ("我住在杭州文三路88号。", "我住在杭州文三路89号。", "88号", "文三路89号"),
    ("My wife's number is 07700 900111.", "My wife's number is 07700 900222.", "900111", "07700 900222"),
    ("我老婆的电话是13800001111。", "我老婆的电话是13800002222。", "13800001111", "13800002222"),
    ("I work as a barista.", "I work as a baker.", "barista", "baker"),
    ("我的职业是护士。", "我的职业是厨师。", "护士", "厨师"),
    ("I'm allergic to peanuts.", "I'm allergic to cashews.", "peanut", "cashew"),
    ("我对花生过敏。", "我对腰果过敏。", "花生", "腰果"),
]
EMPTIED = [
    ("I live at 8 Canal Street, Leeds.", "The canal froze last winter.", "8 canal"),
    ("I work as a barista.", "The cafe closes early.", "barista"),
    ("我对花生过敏。", "超市今天关门很早。", "花生"),
]


def read_slots(caller: Caller) -> str:
    return str([body_of(caller("GET", f"{ADA}/{what}")) for what in ("profile", "preferences", "tags")]).lower()


def put_right(caller: Caller, note: dict[str, Any], text: str, path: str = NOTES) -> dict[str, Any]:
    response = caller("PATCH", f"{path}/{note['id']}", {"text": text})
    assert response.status_code == 200, response.content
    return body_of(caller("GET", f"{NOTES}/{note['id']}"))


@pytest.mark.parametrize("case", PUT_RIGHT)
@pytest.mark.parametrize("path", PATHS)
def test_a_note_that_was_put_right_fills_what_it_says_now(
    acme: Caller, globex: Caller, world: World, case: tuple[str, ...], path: str
) -> None:
    said, right, old, new = case
    note = hear_note(acme, world, said, old)
    assert old in read_slots(acme)
    assert globex("PATCH", f"{path}/{note['id']}", {"text": right}).status_code == 404
    assert old in read_slots(acme)
    now = put_right(acme, note, right, path)
    assert new in read_slots(acme)
    assert old not in read_slots(acme)
    assert now["slots"] == note["slots"]
    with tenant_tx(world.acme.tenant.id):
        values = [
            str(value).lower()
            for model in (Preference, ProfileFact, TagDetail)
            for value in model.objects.filter(retired_at__isnull=True).values_list("value", flat=True)
        ]
        known = {
            row.provenance
            for model in (Preference, ProfileFact, TagDetail)
            for row in model.objects.filter(retired_at__isnull=True)
            if new in str(row.value).lower()
        }
    assert any(old in value for value in values), "the past keeps what was"
    assert known == {"confirmed_by_user"}
    assert acme("POST", f"{NOTES}/{note['id']}/forget", {}).status_code == 200
    assert new not in read_slots(acme)


@pytest.mark.parametrize(("said", "right", "old"), EMPTIED)
def test_words_that_fill_nothing_end_what_the_note_filled(
    acme: Caller, world: World, said: str, right: str, old: str
) -> None:
    note = hear_note(acme, world, said, old)
    assert old in read_slots(acme)
    put_right(acme, note, right)
    assert old not in read_slots(acme)


def test_a_slip_put_right_brings_nothing_back_that_ended_since(acme: Caller, world: World) -> None:
    note = hear_note(acme, world, "I work as a barista and I'm allergic to peanuts.", "peanut")
    (belief,) = body_of(acme("GET", f"{ADA}/preferences"))["data"]
    path = f"{ADA}/preferences/{belief['category']}/{belief['key']}"
    assert acme("DELETE", path).status_code == 204
    put_right(acme, note, "I'm really allergic to peanuts.")
    assert "peanut" not in read_slots(acme)


TOPICS = [
    ("I love cooking Thai food.", "I love flights and hotels.", "thai", "food", "travel"),
    ("我喜欢吃火锅。", "我喜欢坐航班,住酒店。", "火锅", "food", "travel"),
]


@pytest.mark.parametrize("case", TOPICS)
@pytest.mark.parametrize("path", PATHS)
def test_topics_follow_the_words_unless_somebody_gave_them(
    acme: Caller, world: World, case: tuple[str, ...], path: str
) -> None:
    said, right, word, before, after = case
    note = hear_note(acme, world, said, word)
    one = f"{ADA}/snapshots/{note['id']}"
    assert before in body_of(acme("GET", one))["topics"]
    put_right(acme, note, right, path)
    now = body_of(acme("GET", one))
    assert (now["topics"], now["category"]) == ([after], after)
    found = [
        [memory["id"] for memory in body_of(acme("POST", f"{ADA}/recall", asked))["notes"]]
        for asked in ({"query": right, "topics": [topic]} for topic in (before, after))
    ]
    assert [note["id"] in ids for ids in found] == [False, True]
    assert acme("PATCH", one, {"topics": ["own"], "category": "own"}).status_code == 200
    put_right(acme, note, said, path)
    now = body_of(acme("GET", one))
    assert (now["topics"], now["category"]) == (["own"], "own")


@pytest.mark.parametrize("text", ["My home is at 41 Bishopthorpe Road, York", "我住在杭州文三路88号"])
def test_a_posted_note_fills_nothing_until_a_message_says_it(acme: Caller, text: str) -> None:
    note = body_of(acme("POST", NOTES, {"text": text}))
    before = read_slots(acme)
    assert put_right(acme, note, f"{text}!")["slots"] == []
    assert read_slots(acme) == before
