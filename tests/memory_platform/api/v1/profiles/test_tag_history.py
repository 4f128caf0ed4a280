"""What tags have been, over HTTP. Rows: P4, P6, P10, T1."""

from typing import Any
from uuid import uuid4

import pytest

from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

TAGS = "/v1/subjects/ada/tags"
MAY, JUNE, JULY = "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"


@pytest.fixture
def home(acme: Caller) -> dict[str, Any]:
    """A home that moved in July."""
    acme("POST", TAGS, {"label": "home", "address": "12 Elm Street", "lat": 31.2, "lon": 121.5, "valid_at": MAY})
    moved = acme("POST", TAGS, {"label": "home", "address": "48 Larkspur Lane", "valid_at": JULY})
    assert body_of(moved)["verdict"] == "superseded"
    return body_of(moved)


def data(caller: Caller, path: str) -> list[dict[str, Any]]:
    response = caller("GET", path)
    assert response.status_code == 200, response.content
    rows: list[dict[str, Any]] = body_of(response)["data"]
    return rows


def test_a_list_shows_what_was_true_then(acme: Caller, home: dict[str, Any]) -> None:
    [then] = data(acme, f"{TAGS}?as_of={JUNE}")
    assert (then["id"], then["address"], then["lat"], then["history"]) == (home["id"], "12 Elm Street", 31.2, None)
    [now] = data(acme, TAGS)
    assert (now["address"], now["lat"]) == ("48 Larkspur Lane", None)
    assert data(acme, f"{TAGS}?known_at={JUNE}") == []


def test_a_list_and_a_tag_tell_their_history(acme: Caller, home: dict[str, Any]) -> None:
    history = data(acme, f"{TAGS}/{home['id']}/history")
    addresses = [row for row in history if row["detail"] == "address"]
    assert [(row["value"], row["valid_at"], row["invalid_at"]) for row in addresses] == [
        ("12 Elm Street", MAY, JULY),
        ("48 Larkspur Lane", JULY, None),
    ]
    assert addresses[0]["superseded_by"] == addresses[1]["id"]
    [listed] = data(acme, f"{TAGS}?include_history=true")
    assert listed["history"] == history
    paged = body_of(acme("GET", f"{TAGS}/{home['id']}/history?limit=2"))
    assert paged["data"] == history[:2]
    assert data(acme, f"{TAGS}/{home['id']}/history?limit=200&cursor={paged['next_cursor']}") == history[2:]


def test_an_old_address_is_patched_back_in(acme: Caller, home: dict[str, Any]) -> None:
    [old] = [row for row in data(acme, f"{TAGS}/{home['id']}/history") if row["value"] == "12 Elm Street"]
    back = acme("PATCH", f"{TAGS}/{home['id']}", {"address": old["value"]})
    assert body_of(back)["address"] == "12 Elm Street"
    assert [tag["address"] for tag in data(acme, f"{TAGS}?as_of=2026-07-02T00:00:00Z")] == ["48 Larkspur Lane"]


def test_a_patch_of_the_past_leaves_what_holds(acme: Caller, home: dict[str, Any]) -> None:
    kept = acme("PATCH", f"{TAGS}/{home['id']}", {"address": "3 Quay Street", "valid_at": JUNE})
    assert body_of(kept)["address"] == "48 Larkspur Lane"
    assert [tag["address"] for tag in data(acme, f"{TAGS}?as_of={JUNE}")] == ["3 Quay Street"]


def test_what_is_to_come_is_refused(acme: Caller, home: dict[str, Any]) -> None:
    for method, path in (("POST", TAGS), ("PATCH", f"{TAGS}/{home['id']}")):
        refused = acme(method, path, {"label": "home", "address": "1 Far Ahead", "valid_at": "2999-01-01T00:00:00Z"})
        assert fields_of(problem_of(refused, 400)) == {"valid_at"}


def test_recall_tells_the_tags_of_the_moment_that_is_asked_for(acme: Caller, home: dict[str, Any]) -> None:
    asked = {"query": "navigate home", "lanes": ["tags"]}
    told = {
        at: [tag["address"] for tag in body_of(acme("POST", "/v1/subjects/ada/recall", {**asked, **moment}))["tags"]]
        for at, moment in {"then": {"as_of": JUNE}, "now": {}}.items()
    }
    assert told == {"then": ["12 Elm Street"], "now": ["48 Larkspur Lane"]}


def test_another_tenant_sees_what_nobody_has(acme: Caller, globex: Caller, home: dict[str, Any]) -> None:
    globex("PUT", "/v1/subjects/ada", {})
    theirs, nobodys = (globex("GET", f"{TAGS}/{one}/history") for one in (home["id"], uuid4()))
    assert (theirs.status_code, nobodys.status_code) == (404, 404)
    assert body_of(theirs) | {"request_id": ""} == body_of(nobodys) | {"request_id": ""}
    assert len(data(acme, f"{TAGS}/{home['id']}/history")) > 2
