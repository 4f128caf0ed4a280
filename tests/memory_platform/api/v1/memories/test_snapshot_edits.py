"""Snapshots over HTTP: edit, retire, history. Rows: S3, P5, D1. Matrix: 3, 21, 23, 46, 49."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from memory_platform.kernel.ids import new_id
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.memory_platform.api.v1.memories.snapshot_calls import ADA, BAD, list_texts, one, post


def test_an_edit_keeps_what_was(acme: Caller) -> None:
    made = post(acme, "Lives in Berlin", topics=["home"], importance=0.2)
    response = acme("PATCH", one(made), {"text": "住在上海", "topics": ["家"], "category": "home", "importance": None})
    edited = body_of(response)
    assert response.status_code == 200
    assert (edited["verdict"], edited["text"], edited["topics"]) == ("stored", "住在上海", ["家"])
    assert (edited["category"], edited["importance"], edited["version"]) == ("home", 0.2, 2)
    assert edited["last_validated_at"] > made["last_validated_at"]
    history = body_of(acme("GET", f"{one(made)}/history"))
    assert [(state["version"], state["text"], state["topics"]) for state in history["data"]] == [
        (1, "Lives in Berlin", ["home"]),
        (2, "住在上海", ["家"]),
    ]
    first, second = history["data"]
    assert first["recorded_at"] == made["created_at"]
    assert (first["category"], first["retired_at"]) == (None, second["recorded_at"])
    assert (second["retired_at"], history["next_cursor"]) == (None, None)


def test_an_edit_that_changes_nothing_is_unchanged(acme: Caller) -> None:
    made = post(acme, "No nuts", importance=0.5)
    for body in ({}, {"text": "No nuts"}, {"importance": 0.5, "topics": []}):
        edited = body_of(acme("PATCH", one(made), body))
        assert (edited["verdict"], edited["version"]) == ("unchanged", 1)
    assert len(body_of(acme("GET", f"{one(made)}/history"))["data"]) == 1


def test_an_edit_takes_away_category_and_expiry(acme: Caller) -> None:
    made = post(acme, "No nuts", category="food", kind="episode")
    edited = body_of(acme("PATCH", one(made), {"remove": ["category", "expires_at"]}))
    assert (edited["category"], edited["expires_at"]) == (None, None)
    both = {"category": "x", "remove": ["category"]}
    assert fields_of(problem_of(acme("PATCH", one(made), both), 400)) == {"remove.0"}


def test_an_edit_honours_the_ceiling(acme: Caller) -> None:
    made = post(acme, "No nuts", provenance="analysis", confidence=0.75)
    assert fields_of(problem_of(acme("PATCH", one(made), {"confidence": 0.9}), 422)) == {"confidence"}
    weaker = body_of(acme("PATCH", one(made), {"provenance": "observation"}))
    assert (weaker["provenance"], weaker["confidence"]) == ("observation", 0.6)


@pytest.mark.parametrize(("field", "value"), [*BAD[1:8], ("kind", "manual"), ("remove", "x"), ("remove.0", ["text"])])
def test_a_bad_edit_is_400_whether_or_not_the_memory_exists(acme: Caller, field: str, value: Any) -> None:
    made = post(acme)
    for path in (one(made), f"{ADA}/{new_id()}"):
        body = {field.partition(".")[0]: value}
        assert fields_of(problem_of(acme("PATCH", path, body), 400)) == {field}
    assert list_texts(acme) == ["Allergic to peanuts"]


def test_an_edit_and_a_retirement_insist_on_their_version(acme: Caller) -> None:
    made = post(acme)
    tag = acme("GET", one(made))["ETag"]
    newer = acme("PATCH", one(made), {"importance": 1}, If_Match=tag)["ETag"]
    assert newer != tag
    problem_of(acme("PATCH", one(made), {"importance": 0}, If_Match=tag), 412)
    problem_of(acme("DELETE", one(made), If_Match=tag), 412)
    assert acme("DELETE", one(made), If_Match=newer).status_code == 204
    problem_of(acme("PATCH", one(made), {"importance": 0}, If_Match=newer), 404)


def test_of_two_edits_of_one_version_one_wins(acme: Caller) -> None:
    made = post(acme)
    tag, barrier = acme("GET", one(made))["ETag"], Barrier(4)

    def edit(number: int) -> int:
        barrier.wait(timeout=30)
        try:
            return acme("PATCH", one(made), {"text": f"version {number}"}, If_Match=tag).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(edit, range(4))) == [200, 412, 412, 412]
    assert len(body_of(acme("GET", f"{one(made)}/history"))["data"]) == 2


def test_edits_without_a_version_all_count(acme: Caller) -> None:
    made = post(acme)
    barrier = Barrier(3)

    def edit(number: int) -> int:
        barrier.wait(timeout=30)
        try:
            return acme("PATCH", one(made), {"text": f"version {number}"}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(edit, range(3))) == [200, 200, 200]
    history = body_of(acme("GET", f"{one(made)}/history"))["data"]
    assert [state["version"] for state in history] == [1, 2, 3, 4]


def test_a_retired_memory_is_gone_but_its_history_stays(acme: Caller) -> None:
    made = post(acme, "No nuts")
    acme("PATCH", one(made), {"text": "No peanuts"})
    response = acme("DELETE", one(made))
    assert (response.status_code, response.content) == (204, b"")
    assert list_texts(acme) == []
    for method, body in (("GET", None), ("PATCH", {}), ("DELETE", None)):
        problem_of(acme(method, one(made), body), 404)
    history = body_of(acme("GET", f"{one(made)}/history"))["data"]
    assert [state["text"] for state in history] == ["No nuts", "No peanuts"]
    assert all(state["retired_at"] for state in history)


def test_a_history_comes_in_pages(acme: Caller) -> None:
    made = post(acme, "v1")
    for number in range(2, 6):
        acme("PATCH", one(made), {"text": f"v{number}"})
    first = body_of(acme("GET", f"{one(made)}/history?limit=3"))
    second = body_of(acme("GET", f"{one(made)}/history?limit=3&cursor={first['next_cursor']}"))
    assert [state["text"] for state in first["data"] + second["data"]] == ["v1", "v2", "v3", "v4", "v5"]
    assert second["next_cursor"] is None
