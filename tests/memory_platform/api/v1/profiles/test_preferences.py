"""Preferences over HTTP. Rows: P3, P4, P5, P8, D1, T1. Matrix: 3, 21, 23, 46."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from profiles.models import Candidate, Preference
from snapshots.models import Conversation, Message
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

PREFERENCES = "/v1/subjects/ada/preferences"
HIGHWAY = f"{PREFERENCES}/navigation/avoid_highway"
LIST_STATEMENTS = 8  # key, BEGIN, scope, subject, page, sources, notes, COMMIT


def put(caller: Caller, path: str = HIGHWAY, value: Any = True, **fields: Any) -> dict[str, Any]:
    response = caller("PUT", path, {"value": value, **fields})
    assert response.status_code == 200, response.content
    return body_of(response)


def list_values(caller: Caller, query: str = "") -> list[tuple[str, Any]]:
    response = caller("GET", f"{PREFERENCES}?{query}")
    assert response.status_code == 200, response.content
    return [(one["key"], one["value"]) for one in body_of(response)["data"]]


def day(number: int) -> str:
    return (datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=number)).isoformat()


@pytest.mark.parametrize(
    ("category", "key", "value"),
    [
        ("navigation", "avoid_highway", True),
        ("food", "likes", ["figs", "火锅"]),
        ("音乐", "最喜欢的歌手", "周杰伦"),
        ("vehicle", "temperature", 25),
        ("vehicle", "temperature", -0.5),
        ("a b", "c?&#%", {"nested": {"空": [None, False]}}),
        ("general", "empty", []),
        ("general", "text", ""),
    ],
)
def test_a_preference_comes_back_as_it_was_put(acme: Caller, category: str, key: str, value: Any) -> None:
    path = f"{PREFERENCES}/{quote(category, safe='')}/{quote(key, safe='')}"
    made = put(acme, path, value, statement="以后都这样")
    assert (made["category"], made["key"], made["value"], made["verdict"]) == (category, key, value, "stored")
    assert (made["provenance"], made["confidence"], made["statement"]) == ("confirmed_by_user", 1.0, "以后都这样")
    assert (made["invalid_at"], made["superseded_by"], made["sources"], made["reason"]) == (None, None, [], None)
    shown = acme("GET", path)
    assert body_of(shown) == {name: made[name] for name in made if name not in {"verdict", "reason"}}
    assert shown["ETag"]
    assert list_values(acme) == [(key, value)]


def test_a_preference_makes_its_subject_on_first_sight(acme: Caller) -> None:
    put(acme, "/v1/subjects/新人/preferences/food/likes", ["茶"])
    assert acme("GET", "/v1/subjects/新人").status_code == 200


def test_a_new_value_supersedes_the_same_again_is_unchanged_and_an_older_one_is_history(acme: Caller) -> None:
    first = put(acme, value="B", valid_at=day(5))
    assert put(acme, value="B", valid_at=day(6))["verdict"] == "unchanged"
    older = put(acme, value="A", valid_at=day(1))
    assert (older["verdict"], older["reason"], older["value"], older["id"]) == ("unchanged", "older", "B", first["id"])
    newest = put(acme, value="C")
    assert (newest["verdict"], newest["value"]) == ("superseded", "C")
    history = body_of(acme("GET", f"{HIGHWAY}/history"))["data"]
    assert [row["value"] for row in history] == ["A", "B", "C"]
    assert [row["superseded_by"] for row in history] == [first["id"], newest["id"], None]
    assert history[0]["invalid_at"] == history[1]["valid_at"] == first["valid_at"]


def test_a_weaker_provenance_is_rejected_and_kept_as_a_candidate(acme: Caller, world: World) -> None:
    put(acme, value="aisle")
    weaker = put(acme, value="window", provenance="observation")
    assert (weaker["verdict"], weaker["reason"]) == ("rejected", "weaker_than_current")
    assert (weaker["value"], weaker["provenance"]) == ("aisle", "confirmed_by_user")
    with tenant_tx(world.acme.tenant.id):
        assert Candidate.objects.get().value == "window"


def test_the_past_is_answered_on_both_clocks(acme: Caller) -> None:
    put(acme, value="A", valid_at=day(0))
    before_b = utc_now().isoformat()
    put(acme, value="B", valid_at=day(10))
    put(acme, f"{PREFERENCES}/food/likes", ["figs"], valid_at=day(0))
    at = quote(before_b, safe="")
    past, early = quote(day(5), safe=""), quote(day(-5), safe="")
    assert list_values(acme, "category=navigation") == [("avoid_highway", "B")]
    assert list_values(acme, f"category=navigation&as_of={past}") == [("avoid_highway", "A")]
    assert list_values(acme, f"as_of={early}") == []
    assert list_values(acme, f"known_at={at}") == [("avoid_highway", "A")]
    assert list_values(acme, f"known_at={at}&as_of={quote(day(20), safe='')}") == [("avoid_highway", "A")]
    assert list_values(acme, f"known_at={at}&as_of={early}") == []
    assert sorted(str(value) for _, value in list_values(acme, "include_history=true")) == ["A", "B", "['figs']"]
    assert list_values(acme, f"category=navigation&include_history=true&as_of={past}") == [("avoid_highway", "A")]
    held = body_of(acme("GET", f"{PREFERENCES}?known_at={at}"))["data"][0]
    assert (held["invalid_at"], held["superseded_by"]) == (None, None)
    assert held["id"] == body_of(acme("GET", f"{HIGHWAY}/history"))["data"][0]["id"]


def test_a_retracted_preference_is_404_keeps_its_history_and_can_be_put_again(acme: Caller) -> None:
    put(acme)
    assert acme("DELETE", HIGHWAY).status_code == 204
    problem_of(acme("GET", HIGHWAY), 404)
    problem_of(acme("DELETE", HIGHWAY), 404)
    assert list_values(acme) == []
    [row] = body_of(acme("GET", f"{HIGHWAY}/history"))["data"]
    assert row["invalid_at"] is not None and row["superseded_by"] is None
    assert put(acme, valid_at=day(0))["verdict"] == "stored"
    assert acme("GET", HIGHWAY).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "value"),
        ({"value": None}, "value"),
        ({"value": 1, "vlaue": 2}, "vlaue"),
        ({"value": "x\u0000"}, "value"),
        ({"value": {"a": ["\u0000"]}}, "value.a.0"),
        ({"value": "x" * 70_000}, "value"),
        ({"value": 1, "statement": "x" * 70_000}, "statement"),
        ({"value": 1, "statement": 5}, "statement"),
        ({"value": 1, "provenance": "rumour"}, "provenance"),
        ({"value": 1, "confidence": 1.5}, "confidence"),
        ({"value": 1, "confidence": "0.5"}, "confidence"),
        ({"value": 1, "valid_at": "yesterday"}, "valid_at"),
        ({"value": 1, "valid_at": "2025-01-01T00:00:00"}, "valid_at"),
        ({"value": 1, "sources": "m1"}, "sources"),
        ({"value": 1, "sources": [5]}, "sources.0"),
        ({"value": 1, "sources": [{"conversation_id": "c"}]}, "sources.0.message_id"),
        ({"value": 1, "sources": [{"message_id": "m", "seq": 1}]}, "sources.0.seq"),
        ({"value": 1, "sources": ["a/b"]}, "sources.0.message_id"),
    ],
)
def test_bad_input_is_400_names_the_field_and_writes_nothing(acme: Caller, body: Any, field: str) -> None:
    assert fields_of(problem_of(acme("PUT", HIGHWAY, body), 400)) == {field}
    assert list_values(acme) == []


@pytest.mark.parametrize("value", ["1e300", "-1e300", "9223372036854775808", '{"deep": [1e300]}'])
def test_a_number_that_cannot_come_back_is_refused(acme: Caller, value: str) -> None:
    problem_of(acme("PUT", HIGHWAY, b'{"value": %s}' % value.encode()), 400)
    assert list_values(acme) == []


@pytest.mark.parametrize("value", ["1e-300", "-0.0", "1e15", "0.1", "9223372036854775807"])
def test_a_number_comes_back_as_it_was_put(acme: Caller, value: str) -> None:
    shown = acme("PUT", HIGHWAY, b'{"value": %s}' % value.encode())
    assert shown.status_code == 200
    assert list_values(acme) == [("avoid_highway", body_of(shown)["value"])] == [("avoid_highway", orjson.loads(value))]


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"value": 1, "provenance": "observation", "confidence": 0.61}, "confidence", "confidence_above_ceiling"),
        ({"value": 1, "provenance": "analysis", "confidence": 0.9}, "confidence", "confidence_above_ceiling"),
        ({"value": 1, "valid_at": "2999-01-01T00:00:00Z"}, "valid_at", "valid_at_in_future"),
        ({"value": 1, "sources": ["no-such-message"]}, "sources.0", "source_unknown"),
    ],
)
def test_what_is_understood_and_not_allowed_is_422(acme: Caller, body: Any, field: str, code: str) -> None:
    problem = problem_of(acme("PUT", HIGHWAY, body), 422)
    assert (problem["code"], fields_of(problem)) == (code, {field})
    assert list_values(acme) == []


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_category_that_is_too_long_is_400(acme: Caller, method: str) -> None:
    path = f"{PREFERENCES}/{'x' * 101}/key"
    assert fields_of(problem_of(acme(method, path, {"value": 1}), 400)) == {"category"}


@pytest.mark.parametrize("query", ["as_of=2025", "known_at=x", "include_history=yes", "limit=0", "x=1"])
def test_a_bad_query_is_400(acme: Caller, query: str) -> None:
    problem_of(acme("GET", f"{PREFERENCES}?{query}"), 400)


def test_a_version_is_insisted_on(acme: Caller) -> None:
    first = acme("PUT", HIGHWAY, {"value": 1})["ETag"]
    second = acme("PUT", HIGHWAY, {"value": 2}, If_Match=first)["ETag"]
    assert first != second == acme("GET", HIGHWAY)["ETag"]
    problem_of(acme("PUT", HIGHWAY, {"value": 3}, If_Match=first), 412)
    problem_of(acme("DELETE", HIGHWAY, If_Match=first), 412)
    problem_of(acme("PUT", f"{PREFERENCES}/a/b", {"value": 3}, If_Match=first), 412)
    assert acme("DELETE", HIGHWAY, If_Match=second).status_code == 204
    problem_of(acme("PUT", HIGHWAY, {"value": 3}, If_Match=second), 412)


def test_sources_are_messages_of_the_subject(acme: Caller, world: World) -> None:
    say(world, "trip", "m1")
    say(world, "later", "m1")
    named = [{"conversation_id": "trip", "message_id": "m1"}]
    assert put(acme, sources=named)["sources"] == named
    assert put(acme, sources=["m1"])["sources"] == [*named, {"conversation_id": "later", "message_id": "m1"}]
    assert body_of(acme("GET", PREFERENCES))["data"][0]["sources"][0] == named[0]


def say(world: World, conversation_id: str, message_id: str) -> None:
    subject = world.acme.subject
    with tenant_tx(world.acme.tenant.id):
        conversation = Conversation.objects.create(subject=subject, external_id=conversation_id)
        Message.objects.create(
            id=new_id(),
            subject=subject,
            conversation=conversation,
            external_id=message_id,
            seq=1,
            role="user",
            content="no highways please",
            content_hash=b"",
            said_at=utc_now(),
        )


def test_preferences_are_listed_in_pages_in_few_statements(acme: Caller) -> None:
    for number in range(5):
        put(acme, f"{PREFERENCES}/food/k{number}", number)
    with CaptureQueriesContext(connection) as statements:
        page = body_of(acme("GET", f"{PREFERENCES}?limit=3"))
    assert len(statements) <= LIST_STATEMENTS
    rest = body_of(acme("GET", f"{PREFERENCES}?limit=3&cursor={page['next_cursor']}"))
    assert [one["value"] for one in [*page["data"], *rest["data"]]] == [0, 1, 2, 3, 4]
    assert rest["next_cursor"] is None


def test_fifty_puts_at_once_leave_one_current_value(acme: Caller, world: World) -> None:
    def change(number: int) -> int:
        try:
            return acme("PUT", "/v1/subjects/新人/preferences/food/likes", {"value": number}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as threads:
        assert set(threads.map(change, range(50))) == {200}
    with tenant_tx(world.acme.tenant.id):
        assert Preference.objects.filter(invalid_at__isnull=True, retired_at__isnull=True).count() == 1
        assert Preference.objects.filter(retired_at__isnull=True).count() == 50


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("GET", "/food/likes"), ("DELETE", "/food/likes"), ("GET", "/food/likes/history")],
)
def test_another_tenant_gets_what_it_gets_for_nobody_and_ada_stays(
    acme: Caller, globex: Caller, method: str, path: str
) -> None:
    put(acme, f"{PREFERENCES}/food/likes", ["figs"])
    before = acme("GET", f"{PREFERENCES}/food/likes")
    foreign = problem_of(globex(method, f"{PREFERENCES}{path}"), 404)
    unknown = problem_of(globex(method, f"/v1/subjects/ida/preferences{path}"), 404)
    assert foreign | {"request_id": ""} == unknown | {"request_id": ""}
    after = acme("GET", f"{PREFERENCES}/food/likes")
    assert (after.content, after["ETag"]) == (before.content, before["ETag"])


def test_another_tenant_puts_into_a_subject_of_its_own(acme: Caller, globex: Caller, world: World) -> None:
    say(world, "trip", "m1")
    before = put(acme, value="aisle", sources=["m1"])
    tag = acme("GET", HIGHWAY)["ETag"]
    problem_of(globex("PUT", HIGHWAY, {"value": "theirs"}, If_Match=tag), 412)
    problem_of(globex("PUT", HIGHWAY, {"value": "theirs", "sources": ["m1"]}), 422)
    theirs = put(globex, value="theirs")
    assert theirs["verdict"] == "stored" and theirs["id"] != before["id"]
    assert body_of(acme("GET", HIGHWAY))["value"] == "aisle"
