"""``POST /v1/policies/fields/try``: fields are tried before they are saved, and nothing is stored. Rows: P11, T4."""

from typing import Any

from snapshots.models import Message, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.memory_platform.api.v1.policies.test_policies import activate, post

TRY = "/v1/policies/fields/try"
SEAT = {
    "description": "Where on the plane or train the traveller likes to sit: window, aisle, front, exit row.",
    "examples": ["Aisle seat please, I get up a lot"],
}
SAID = "I always sit by the window on long flights. What time is it?"


def try_fields(caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    response = caller("POST", TRY, body)
    assert response.status_code == 200, response.content
    return body_of(response)


def test_a_draft_is_tried_and_nothing_is_stored(acme: Caller, world: World) -> None:
    told = try_fields(acme, {"text": SAID, "fields": {"seat_preference": SEAT}})
    (note,) = told["notes"]
    assert note["text"] == "I always sit by the window on long flights"
    assert (note["field"], note["confidence"], note["why_not"]) == ("seat_preference", 0.6, None)
    assert [one["field"] for one in note["scores"]] == ["seat_preference"]
    assert [(one["text"], one["note"]) for one in told["clauses"]] == [(note["text"], 0), ("What time is it", None)]
    with tenant_tx(world.acme.tenant.id):
        assert not Message.objects.exists()
        assert not Snapshot.objects.exists()


def test_why_a_note_fills_nothing_is_said(acme: Caller) -> None:
    fields = {"seat_preference": SEAT}
    (note,) = try_fields(acme, {"text": "我对花生过敏", "fields": fields})["notes"]
    assert (note["field"], note["confidence"], note["why_not"]) == (None, None, "unsure")


def test_what_holds_a_secret_is_no_note_and_fills_nothing(acme: Caller) -> None:
    told = try_fields(acme, {"text": "I always want an aisle seat, card 4111 1111 1111 1111", "fields": {"seat": SEAT}})
    assert told["notes"] == []


def test_without_a_draft_the_fields_in_force_are_tried_each_tenant_its_own(acme: Caller, globex: Caller) -> None:
    activate(globex, post(globex, {"fields": {"attributes": {"seat_preference": SEAT}}})["version"])
    assert [note["field"] for note in try_fields(globex, {"text": SAID})["notes"]] == ["seat_preference"]
    assert [(note["field"], note["scores"]) for note in try_fields(acme, {"text": SAID})["notes"]] == [(None, [])]


def test_everything_wrong_with_a_draft_is_named(acme: Caller) -> None:
    wrong = {"text": SAID, "fields": {"Seat": SEAT, "seat": {"description": "short"}}}
    assert fields_of(problem_of(acme("POST", TRY, wrong), 400)) == {"fields.Seat", "fields.seat.description"}


def test_fields_are_made_told_and_taken_back_like_every_setting(acme: Caller) -> None:
    made = post(acme, {"fields": {"attributes": {"seat_preference": SEAT}}})
    assert made["settings"] == {"fields": {"attributes": {"seat_preference": SEAT}}}
    (change,) = made["changes"]
    assert (change["field"], change["before"]) == ("attributes", {})
    activate(acme, made["version"])
    told = post(acme, status=200, changes={}, remove=["fields"], dry_run=True)
    assert told["effective"]["fields"] == {"attributes": {}}
    bad = {"fields": {"attributes": {"occupation": SEAT, "x": {"description": ""}}}}
    problem = problem_of(acme("POST", "/v1/policies", {"changes": bad, "reason": "x"}), 400)
    assert fields_of(problem) == {"changes.fields.attributes.occupation", "changes.fields.attributes.x.description"}
