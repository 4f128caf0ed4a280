"""What ``POST subjects/{id}/recall`` refuses, and whom it answers with nothing. Rows: R1, D1, T1. Matrix: 17, 46."""

from typing import Any

import pytest

from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, fields_of, problem_of
from tests.memory_platform.api.v1.recall_calls import ADA, NOBODY, PEANUTS, recall, without_timings
from tests.snapshots.held import know, remember


def test_a_filter_that_looks_at_too_much_is_refused_and_names_the_field(acme: Caller, world: World) -> None:
    remember(world.acme, *(f"cello {number}" for number in range(8)), metadata={"l": [0] * 60_000})
    numbers = [-1 - number for number in range(100)]
    response = acme("POST", ADA, {"query": "cello", "filter": {"or": [{"metadata.l": {"in": numbers}}] * 64}})
    problem = problem_of(response, 422)
    assert problem["code"] == "filter_too_costly"
    assert [(one["field"], one["code"]) for one in problem["errors"]] == [("filter.metadata.l", "filter_too_costly")]


CODE = "def f(x):\n\treturn {x: [1, 2]}  # peanuts"

ANSWERED = [
    "",
    " ",
    "a",
    "家",
    "🚀" * 9,
    CODE,
    "'; DROP TABLE snapshot; --",
    "a & !b | (c:* <-> d)",
    "%s %d \\",
    "x " * 32_768,
]


@pytest.mark.parametrize("query", ANSWERED, ids=range(len(ANSWERED)))
def test_every_text_up_to_64_kib_gets_an_answer(acme: Caller, world: World, query: str) -> None:
    assert recall(acme, query)["memories"] == recall(acme, query, path=NOBODY)["memories"] == []
    remember(world.acme, PEANUTS)
    assert recall(acme, query)["degraded_reason"] is None


@pytest.mark.parametrize("top_k", [1, 2, 100])
def test_top_k_may_be_at_its_bounds(acme: Caller, world: World, top_k: int) -> None:
    remember(world.acme, PEANUTS, "peanuts again", "peanuts once more")
    assert len(recall(acme, "peanuts", top_k=top_k)["memories"]) == min(top_k, 3)
    assert recall(acme, "peanuts", path=NOBODY, top_k=top_k)["memories"] == []


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "query"),
    ({"query": None}, "query"),
    ({"query": 5}, "query"),
    ({"query": ["peanuts"]}, "query"),
    ({"query": "x" * (70 * 1024)}, "query"),
    ({"query": "花" * (22 * 1024)}, "query"),
    ({"query": "a", "top_k": 0}, "top_k"),
    ({"query": "a", "top_k": 101}, "top_k"),
    ({"query": "a", "top_k": "8"}, "top_k"),
    ({"query": "a", "top_k": True}, "top_k"),
    ({"query": "a", "kinds": ["dream"]}, "kinds.0"),
    ({"query": "a", "kinds": "statement"}, "kinds"),
    ({"query": "a", "kinds": ["statement", "note"]}, "kinds.1"),
    ({"query": "a", "topics": [1]}, "topics.0"),
    ({"query": "a", "lanes": ["snapshots", "dreams"]}, "lanes.1"),
    ({"query": "a", "filter": []}, "filter"),
    ({"query": "a", "filter": {}}, "filter"),
    ({"query": "a", "filter": {"colour": {"eq": "red"}}}, "filter.colour"),
    ({"query": "a", "filter": {"kind": {"like": "x"}}}, "filter.kind.like"),
    (
        {"query": "a", "filter": {"and": [{"kind": {"eq": "statement"}}, {"confidence": {"gt": "x"}}]}},
        "filter.and.1.confidence.gt",
    ),
    ({"query": "a", "time_range": {"from": "yesterday"}}, "time_range.from"),
    ({"query": "a", "time_range": {"since": "2026-01-01T00:00:00Z"}}, "time_range.since"),
    ({"query": "a", "as_of": "2026-01-01"}, "as_of"),
    ({"query": "a", "known_at": 5}, "known_at"),
    ({"query": "a", "conversation_id": "a/b"}, "conversation_id"),
    ({"query": "a", "rerank": "yes"}, "rerank"),
    ({"query": "a", "explain": 1}, "explain"),
    ({"query": "a", "tenant_id": "x"}, "tenant_id"),
]


@pytest.mark.parametrize(("body", "field"), REFUSED, ids=[f"{field}-{n}" for n, (_, field) in enumerate(REFUSED)])
def test_a_malformed_request_names_its_field(acme: Caller, body: dict[str, Any], field: str) -> None:
    assert fields_of(problem_of(acme("POST", ADA, body), 400)) == {field}
    assert fields_of(problem_of(acme("POST", "/v1/subjects/nobody/recall", body), 400)) == {field}


@pytest.mark.parametrize("raw", [rb'{"query": "a\u0000b"}', rb'{"query": "a\ud800b"}'])
def test_what_cannot_be_stored_is_refused(acme: Caller, raw: bytes) -> None:
    assert fields_of(problem_of(acme("POST", ADA, raw), 400)) == {"query"}


def test_an_unknown_subject_is_200_with_nothing_and_creates_nothing(acme: Caller, world: World) -> None:
    answer = recall(acme, "anything", path="/v1/subjects/新用户/recall")
    assert (answer["memories"], answer["profile"], answer["preferences"], answer["tags"]) == ([], {}, {}, [])
    with tenant_tx(world.acme.tenant.id):
        assert Subject.objects.count() == 1


def test_another_tenant_gets_what_it_gets_for_an_id_nobody_has(acme: Caller, globex: Caller, world: World) -> None:
    remember(world.acme, PEANUTS)
    know(world.acme, name="Ada")
    before = without_timings(acme("POST", ADA, {"query": "peanuts"}))
    stranger = without_timings(globex("POST", ADA, {"query": "peanuts"}))
    assert stranger == without_timings(globex("POST", "/v1/subjects/nobody/recall", {"query": "peanuts"}))
    assert stranger["memories"] == []
    with tenant_tx(world.globex.tenant.id):
        assert Subject.objects.count() == 1
    assert without_timings(acme("POST", ADA, {"query": "peanuts"})) == before


def test_a_key_needs_the_scope_to_read(nobody: Caller, world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        token = create_key(name="writer", scopes=["memory:write"], by=COMMAND_LINE).token
    headers = {"Authorization": f"Bearer {token}"}
    problem_of(nobody("POST", ADA, {"query": "a"}, **headers), 403)
    problem_of(nobody("POST", ADA, {"query": "a"}), 401)
