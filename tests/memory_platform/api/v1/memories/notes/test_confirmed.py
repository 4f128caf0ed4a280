"""A note that is confirmed holds again, whoever confirms it; words that say a held note again do.

Rows: P4, P9, G4, A2.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.models import Note, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.memories.test_changed_notes import ADA, list_texts
from tests.memory_platform.api.v1.memories.test_notes import NOTES, patch, post

LIMITS = ["I never take the motorway", "我从不走高速"]


def is_standing(caller: Caller, text: str) -> bool:
    prompt = body_of(caller("POST", f"{ADA}/context", {"query": "Tell me a joke", "system_prompt": "Help."}))
    return text in str(prompt["messages"][0])


def retell(world: World, note: dict[str, Any], newer: dict[str, Any]) -> None:
    with tenant_tx(world.acme.tenant.id):
        Note.objects.filter(snapshot_id=note["id"]).update(newer=newer["id"], possibly_outdated=True)


CONFIRMATIONS: dict[str, Callable[[Caller, dict[str, Any]], Any]] = {
    "patched": lambda caller, note: patch(caller, note, possibly_outdated=False),
    "posted": lambda caller, note: post(caller, note["text"]),
    "posted nearly": lambda caller, note: post(caller, f"{note['text']}!!".upper()),
}


@pytest.mark.parametrize("text", LIMITS)
@pytest.mark.parametrize("way", sorted(CONFIRMATIONS))
def test_a_retold_limit_that_is_confirmed_stands_in_the_prefix_again(
    acme: Caller, world: World, text: str, way: str
) -> None:
    note = post(acme, text, grade="limit")
    other = post(acme, "I sometimes take the ring road at night", grade="fact")
    assert is_standing(acme, text)
    retell(world, note, other)
    assert not is_standing(acme, text)
    confirmed = CONFIRMATIONS[way](acme, note)
    assert (confirmed["id"], confirmed["possibly_outdated"]) == (note["id"], False)
    assert is_standing(acme, text)
    with tenant_tx(world.acme.tenant.id):
        row = Note.objects.get(snapshot_id=note["id"])
        assert (row.newer, row.changed_by, row.possibly_outdated) == (None, None, False)


SAME = [
    ("I never take the motorway", "i never take the motorway."),
    ("I'm allergic to peanuts", "I am allergic to peanuts too!"),
    ("我从不走高速", "我从不走高速。"),
    ("我对花生过敏", "我 对花生过敏!"),
]
OTHER = [
    ("I never take the motorway", "I always take the motorway"),
    ("I'm allergic to peanuts", "I'm allergic to walnuts"),
    ("I get up at 6", "I get up at 7"),
    ("我从不走高速", "我总走高速"),
    ("我对花生过敏", "我对虾过敏"),
]


@pytest.mark.parametrize(("held", "posted"), SAME)
def test_words_that_say_a_held_note_again_confirm_it(acme: Caller, held: str, posted: str) -> None:
    made = post(acme, held)
    again = post(acme, posted)
    assert (again["id"], again["verdict"], again["text"]) == (made["id"], "unchanged", held)
    assert list_texts(acme) == [held]
    theirs = post(acme, posted, about={"kind": "contact", "label": "Theo"})
    assert theirs["verdict"] == "stored"


@pytest.mark.parametrize(("held", "posted"), OTHER)
def test_words_that_say_something_else_are_a_note_of_their_own(acme: Caller, held: str, posted: str) -> None:
    post(acme, held)
    assert post(acme, posted)["verdict"] == "stored"
    assert list_texts(acme) == [held, posted]


@pytest.mark.parametrize("text", LIMITS)
def test_a_note_whose_day_to_be_looked_at_has_passed_is_asked_about_once(acme: Caller, world: World, text: str) -> None:
    note = post(acme, text, grade="limit")
    for number in range(4):  # what matters more comes first
        assert body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": f"k{number // 2}"}))["reason"] == "missing"
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=note["id"]).update(last_validated_at=utc_now() - timedelta(days=61))
        Note.objects.filter(snapshot_id=note["id"]).update(review_by=utc_now() - timedelta(days=1))
    asked = body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": "c5"}))
    assert (asked["reason"], text in asked["ask"]["question"]) == ("possibly_outdated", True)
    path = f"{ADA}/asks/{asked['ask']['id']}/answer"
    assert body_of(acme("POST", path, {"accepted": True, "value": True}))["verdict"] == "unchanged"
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.get(id=note["id"]).last_validated_at > utc_now() - timedelta(hours=1)
    assert body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": "c6"}))["reason"] != "possibly_outdated"
    assert body_of(acme("GET", NOTES))["data"][0]["text"] == text


@pytest.mark.parametrize("text", ["I'm allergic to peanuts", "我对花生过敏"])
def test_a_note_that_is_marked_by_hand_as_perhaps_over_says_so_in_a_context(acme: Caller, text: str) -> None:
    note = post(acme, text, vital=True)

    def read_line() -> str:
        prompt = body_of(acme("POST", f"{ADA}/context", {"query": text, "format": "plain", "system_prompt": "Help."}))
        lines: list[str] = prompt["messages"][0]["content"].splitlines()
        return next(one for one in lines if text in one)

    assert "?)" not in read_line()
    patch(acme, note, possibly_outdated=True)
    marked = read_line()
    assert "(until " in marked
    assert "?)" in marked
    patch(acme, note, possibly_outdated=False)
    assert "?)" not in read_line()
