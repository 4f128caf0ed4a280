"""``/v1/subjects/{id}/candidates``: what was proposed, why, and what a person decides. Rows: E2, D1."""

from typing import Any

import pytest

from memory_platform.kernel.ids import new_id
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.understanding.making import say, settle

PATH = "/v1/subjects/ada/candidates"
WARM = {"value": 26, "unit": "°C"}


@pytest.fixture
def waiting(world: World) -> None:
    """One candidate that waits, others that do not."""
    say(world.acme, "I think I like the AC at 22 degrees", "I love jazz.", "空调好像26度最舒服")
    settle(world.acme)


def list_rows(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    response = caller("GET", f"{PATH}{query}")
    assert response.status_code == 200, response.content
    data: list[dict[str, Any]] = body_of(response)["data"]
    return data


@pytest.mark.usefixtures("waiting")
def test_each_candidate_says_what_it_is_and_where_its_evidence_stands(acme: Caller) -> None:
    [one] = list_rows(acme, "?verdict=pending")
    assert (one["kind"], one["target"], one["value"]) == ("preference", "climate/temperature", WARM)
    assert (one["reason"], one["sort"], one["origin"]) == ("contradiction", "explicit", "slots-2")
    assert (one["evidence"]["start"], one["evidence"]["end"]) == (0, 10)
    assert one["evidence"]["message_id"] == one["message_id"]
    assert one["conversation_id"] == "c1"
    assert {row["verdict"] for row in list_rows(acme)} == {"pending", "stored"}
    assert not list_rows(acme, "?kind=tag")


@pytest.mark.usefixtures("waiting")
def test_pages_hold_every_candidate_once(acme: Caller) -> None:
    everything, seen = [row["candidate_id"] for row in list_rows(acme)], []
    cursor: str | None = ""
    while cursor is not None:
        page = body_of(acme("GET", f"{PATH}?limit=1{cursor and f'&cursor={cursor}'}"))
        seen += [row["candidate_id"] for row in page["data"]]
        cursor = page["next_cursor"]
    assert seen == everything


@pytest.mark.usefixtures("waiting")
def test_approved_it_is_the_preference_and_approved_again_the_same(acme: Caller) -> None:
    [one] = list_rows(acme, "?verdict=pending")
    path = f"{PATH}/{one['candidate_id']}/review"
    first = acme("POST", path, {"decision": "approve", "reason": "asked her"})
    assert (body_of(first)["verdict"], body_of(first)["review_reason"]) == ("superseded", "asked her")
    assert body_of(acme("GET", "/v1/subjects/ada/preferences/climate/temperature"))["value"] == WARM
    assert body_of(acme("POST", path, {"decision": "approve"})) == body_of(first)
    assert problem_of(acme("POST", path, {"decision": "reject"}), 409)["code"] == "already_reviewed"


@pytest.mark.usefixtures("waiting")
def test_faults_are_named(acme: Caller) -> None:
    [one] = list_rows(acme, "?verdict=pending")
    maybe = acme("POST", f"{PATH}/{one['candidate_id']}/review", {"decision": "maybe"})
    assert fields_of(problem_of(maybe, 400)) == {"decision"}
    assert fields_of(problem_of(acme("GET", f"{PATH}?verdict=perhaps"), 400)) == {"verdict"}
    problem_of(acme("POST", f"{PATH}/{new_id()}/review", {"decision": "reject"}), 404)
