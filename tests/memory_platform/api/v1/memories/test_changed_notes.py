"""Notes that a message ends or makes doubtful, over HTTP: lists, both clocks, recall, asks. Rows: P4, G4, A2, T1."""

from io import StringIO
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import call_command

from snapshots.models import Note, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.snapshots.understanding.making import settle

ADA = "/v1/subjects/ada"
NOTES = f"{ADA}/notes"
TALK = f"{ADA}/conversations/c1/messages"
PAIRS = [
    ("My sister lives in Leeds", "My sister moved to Cork", "Where does my sister live?"),
    ("我在银行做柜员", "我从银行辞职了,现在在书店上班", "我在哪里上班?"),
]


def post_text(caller: Caller, text: str, at: str, path: str = TALK) -> list[dict[str, Any]]:
    response = caller("POST", path, {"messages": [{"role": "user", "content": text, "said_at": at}]})
    assert response.status_code == 202, response.content
    told: list[dict[str, Any]] = body_of(response)["fast_lane"]
    return told


def list_texts(caller: Caller, **query: str) -> list[str]:
    return [one["text"] for one in body_of(caller("GET", f"{NOTES}?{urlencode(query)}"))["data"]]


def doubt(world: World, text: str) -> None:
    with tenant_tx(world.acme.tenant.id):
        Note.objects.filter(snapshot__text=text).update(possibly_outdated=True)


@pytest.mark.parametrize(("old", "change", "question"), PAIRS)
def test_an_ended_note_is_gone_at_once_and_stays_in_the_past(
    acme: Caller, world: World, old: str, change: str, question: str
) -> None:
    post_text(acme, old, "2026-05-04T09:00:00Z")
    settle(world.acme)
    (kept,) = body_of(acme("GET", NOTES))["data"]
    told = [one for one in post_text(acme, change, "2026-05-11T09:00:00Z") if one["kind"] == "note"]
    assert [(one["verdict"], one["reason"], one["memory_id"], one["preference_id"]) for one in told] == [
        ("superseded", "ended", kept["id"], None)
    ]
    assert old not in list_texts(acme)
    assert old not in [one["text"] for one in body_of(acme("POST", f"{ADA}/recall", {"query": question}))["memories"]]
    prompt = body_of(acme("POST", f"{ADA}/context", {"query": question, "system_prompt": "Help."}))
    assert old not in str(prompt["messages"][1])
    settle(world.acme)
    assert list_texts(acme, as_of="2026-05-05T00:00:00Z") == [old]
    assert old not in list_texts(acme, as_of="2026-05-12T00:00:00Z")
    assert old in list_texts(acme, include_history="true")
    assert list_texts(acme, known_at=kept["valid_at"]) == []  # nobody knew it yet
    states = body_of(acme("GET", f"{NOTES}/{kept['id']}/history"))["data"]
    assert [one["invalid_at"] for one in states] == [None, "2026-05-11T09:00:00Z"]
    ended = body_of(acme("GET", f"{NOTES}/{kept['id']}"))
    assert ended["superseded_by"] in {one["id"] for one in body_of(acme("GET", NOTES))["data"]}


def test_two_corrections_of_a_vital_note_open_an_ask(acme: Caller, world: World) -> None:
    post_text(acme, "I'm allergic to peanuts", "2026-05-04T09:00:00Z")
    settle(world.acme)
    (kept,) = body_of(acme("GET", f"{NOTES}?vital=true"))["data"]
    for _ in range(2):
        receipt = body_of(acme("POST", f"{ADA}/context", {"query": "Which snacks may I eat?"}))["receipt_id"]
        verdict = {"memory_id": kept["id"], "signal": "corrected"}
        assert acme("POST", f"/v1/receipts/{receipt}/outcome", {"verdicts": [verdict]}).status_code == 200
    for job in ("roll-up-tallies", "calibrate-confidence"):
        call_command("care", job, tenant="acme", stdout=StringIO())
    asked = [body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": f"k{number // 2}"})) for number in range(5)]
    assert [one["reason"] for one in asked].count("possibly_outdated") == 1
    assert any("allergic to peanuts" in one["ask"]["question"] for one in asked if one["ask"])


def test_a_doubtful_note_is_asked_about_and_the_answer_settles_it(acme: Caller, world: World) -> None:
    for number, text in enumerate(["My sister lives in Leeds", "I play tennis on Thursdays"]):
        post_text(acme, text, f"2026-05-04T09:0{number}:00Z")
    settle(world.acme)
    for number in range(4):  # what matters more comes first
        assert body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": f"k{number // 2}"}))["reason"] == "missing"
    doubt(world, "My sister lives in Leeds")
    asked = body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": "c5"}))
    assert asked["reason"] == "possibly_outdated"
    assert asked["ask"]["question"] == "Is it still so: “My sister lives in Leeds”?"
    path = f"{ADA}/asks/{asked['ask']['id']}/answer"
    unclear = acme("POST", path, {"accepted": True, "value": "purple"})
    assert problem_of(unclear, 422)["code"] == "value_unclear"
    settled = body_of(acme("POST", path, {"accepted": True, "value": "yes, still"}))
    assert (settled["verdict"], list_texts(acme)) == (
        "unchanged",
        ["My sister lives in Leeds", "I play tennis on Thursdays"],
    )
    (first, _) = body_of(acme("GET", NOTES))["data"]
    assert (first["possibly_outdated"], first["confidence"]) == (False, 1.0)
    doubt(world, "I play tennis on Thursdays")
    asked = body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": "c6"}))["ask"]
    settled = body_of(acme("POST", f"{ADA}/asks/{asked['id']}/answer", {"accepted": True, "value": False}))
    assert (settled["verdict"], list_texts(acme)) == ("superseded", ["My sister lives in Leeds"])


ANSWERS = [
    ("No", []),
    ("nope", []),
    ("yes", ["My sister lives in Leeds"]),
    ("Why do you ask?", ["My sister lives in Leeds"]),
]


@pytest.mark.parametrize(("answer", "left"), ANSWERS)
@pytest.mark.parametrize(
    "question", ["Is it still so: “My sister lives in Leeds”?", "Does your sister still live in Leeds?"]
)
def test_a_bare_answer_in_talk_settles_what_was_asked(
    acme: Caller, world: World, question: str, answer: str, left: list[str]
) -> None:
    post_text(acme, "My sister lives in Leeds", "2026-05-04T09:00:00Z")
    settle(world.acme)
    for number in range(4):
        acme("POST", f"{ADA}/asks/next", {"conversation_id": f"k{number // 2}"})
    doubt(world, "My sister lives in Leeds")
    assert body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": "c1"}))["reason"] == "possibly_outdated"
    acme("POST", TALK, {"messages": [{"role": "assistant", "content": question}, {"role": "user", "content": answer}]})
    settle(world.acme)
    assert [text for text in list_texts(acme) if "Leeds" in text] == left
    noted = body_of(acme("GET", NOTES))["data"]
    assert [one["possibly_outdated"] for one in noted if one["text"] in left] == [answer != "yes"] * len(left)


WRITTEN = [
    ("PATCH", "profile", {"attributes": {"employer": "Hoof & Paw"}}),
    ("PATCH", "profile", {"remove": ["attributes.employer"]}),
    (
        "POST",
        "tools/save_profile_fact",
        {"arguments": {"field": "attributes.employer", "value": "Vets", "provenance": "confirmed_by_user"}},
    ),
]


@pytest.mark.parametrize(("method", "place", "body"), WRITTEN)
def test_what_is_written_over_by_hand_ends_the_note_that_said_it(
    acme: Caller, world: World, method: str, place: str, body: dict[str, Any]
) -> None:
    for number, text in enumerate(["I work at Acme Robotics", "I love eating sushi", "My sister lives in Leeds"]):
        post_text(acme, text, f"2026-05-04T09:0{number}:00Z")
    settle(world.acme)
    assert "I work at Acme Robotics" in list_texts(acme)
    written = acme(method, f"{ADA}/{place}", body)
    assert written.status_code == 200, written.content
    assert list_texts(acme) == ["I love eating sushi", "My sister lives in Leeds"]
    removed = acme("DELETE", f"{ADA}/preferences/food/likes")
    assert removed.status_code == 204
    assert list_texts(acme) == ["My sister lives in Leeds"]


def test_globex_gets_what_it_gets_for_ids_that_nobody_has(acme: Caller, globex: Caller, world: World) -> None:
    post_text(acme, "My sister lives in Leeds", "2026-05-04T09:00:00Z")
    settle(world.acme)
    told = post_text(globex, "My sister moved to Cork", "2026-05-11T09:00:00Z")
    assert told == post_text(
        globex, "My sister moved to Bonn", "2026-05-11T09:00:00Z", f"{ADA}xyz/conversations/c9/messages"
    )
    settle(world.globex)
    assert list_texts(acme) == ["My sister lives in Leeds"]
    with tenant_tx(world.acme.tenant.id):
        assert not Snapshot.objects.filter(invalid_at__isnull=False).exists()


def test_the_notes_that_a_deleted_tag_was_read_from_end_with_it(acme: Caller, globex: Caller, world: World) -> None:
    for number, text in enumerate(["My son Theo is allergic to cashews", "My home is at 5 Oak Road"]):
        post_text(acme, text, f"2026-05-04T09:0{number}:00Z")
    settle(world.acme)
    tags = {one["label"]: one["id"] for one in body_of(acme("GET", f"{ADA}/tags"))["data"]}
    home = f"{ADA}/tags/{tags['home']}"
    assert globex("DELETE", home).status_code == globex("DELETE", f"{ADA}/tags/{world.acme.subject.id}").status_code
    assert len(list_texts(acme)) == 2
    assert acme("DELETE", home).status_code == 204
    assert list_texts(acme) == ["My son Theo is allergic to cashews"]
    assert acme("DELETE", f"{ADA}/tags/{tags['Theo']}").status_code == 204
    (vital,) = body_of(acme("GET", NOTES))["data"]
    assert (vital["text"], vital["possibly_outdated"]) == ("My son Theo is allergic to cashews", True)
