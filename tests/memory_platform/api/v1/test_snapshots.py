"""Snapshots over HTTP: post, list, read, edit, retire, history. Rows: S2, S3, P5, E2, D1. Matrix: 3, 21, 23, 46, 49."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from snapshots.models import Conversation, Message, Snapshot, SnapshotSource
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

ADA = "/v1/subjects/ada/snapshots"
BULK = f"{ADA}/bulk"
LIST_STATEMENTS = 7  # key, BEGIN, scope, subject, page, sources, COMMIT
WRITE_STATEMENTS = 20


def post(caller: Caller, text: str = "Allergic to peanuts", path: str = ADA, **fields: Any) -> dict[str, Any]:
    response = caller("POST", path, {"text": text, **fields})
    assert response.status_code == 201, response.content
    return body_of(response)


def listed(caller: Caller, query: str = "", path: str = ADA) -> list[str]:
    response = caller("GET", f"{path}?{query}")
    assert response.status_code == 200, response.content
    return [one["text"] for one in body_of(response)["data"]]


def one(made: Mapping[str, Any], path: str = ADA) -> str:
    return f"{path}/{made['id']}"


@pytest.mark.parametrize("text", ["Allergic to peanuts", "对花生过敏", "الفول السوداني", "🥜🚫 nuts\nnever"])
def test_a_posted_memory_comes_back_as_it_was_said(acme: Caller, text: str) -> None:
    made = post(acme, text)
    assert (made["verdict"], made["text"], made["kind"]) == ("stored", text, "manual")
    assert (made["provenance"], made["confidence"], made["importance"]) == ("confirmed_by_user", 1.0, 0.5)
    assert (made["category"], made["topics"], made["sources"], made["metadata"]) == (None, [], [], {})
    assert (made["expires_at"], made["invalid_at"], made["superseded_by"], made["version"]) == (None, None, None, 1)
    assert made["said_at"] == made["valid_at"]
    shown = acme("GET", one(made))
    assert body_of(shown) == {key: value for key, value in made.items() if key != "verdict"}
    assert shown["ETag"]
    assert listed(acme) == [text]


def test_everything_that_is_given_is_kept(acme: Caller) -> None:
    given: dict[str, Any] = {
        "kind": "statement",
        "category": "food",
        "topics": ["health", "坚果", "health"],
        "importance": 0.9,
        "confidence": 0.55,
        "provenance": "observation",
        "said_at": "2026-05-08T11:30:00+02:00",
        "expires_at": "2126-01-01T00:00:00Z",
        "metadata": {"trip": {"id": 7}},
    }
    made = post(acme, "No nuts", **given)
    assert {key: made[key] for key in given} == {
        **given,
        "topics": ["health", "坚果"],
        "said_at": "2026-05-08T09:30:00Z",
    }
    assert made["valid_at"] == "2026-05-08T09:30:00Z"


@pytest.mark.parametrize(("kind", "days"), [("conversation", 7), ("statement", 180), ("consolidated", None)])
def test_a_memory_expires_by_its_kind_counted_from_recording(acme: Caller, kind: str, days: int | None) -> None:
    made = post(acme, kind=kind, said_at="2001-01-01T00:00:00Z")
    recorded = datetime.fromisoformat(made["created_at"])
    expires = made["expires_at"] and datetime.fromisoformat(made["expires_at"])
    if days is None:
        assert expires is None
    else:
        assert abs(expires - recorded - timedelta(days=days)) < timedelta(seconds=5)


def test_posting_creates_the_subject(acme: Caller, world: World) -> None:
    path = f"/v1/subjects/{quote('小明')}/snapshots"
    post(acme, "喜欢爬山", path=path)
    assert listed(acme, path=path) == ["喜欢爬山"]
    with tenant_tx(world.acme.tenant.id):
        assert Subject.objects.filter(external_id="小明").count() == 1


def test_what_is_held_already_is_unchanged_and_validated_anew(acme: Caller) -> None:
    first, second = post(acme, "对花生过敏"), post(acme, " 对花生\u200b过敏\n")
    assert (second["verdict"], second["id"], second["text"]) == ("unchanged", first["id"], "对花生过敏")
    assert second["last_validated_at"] > first["last_validated_at"]
    assert post(acme, "对花生过敏", kind="statement")["verdict"] == "stored"
    assert len(listed(acme)) == 2


def test_a_retired_memory_may_be_said_again(acme: Caller) -> None:
    first = post(acme)
    acme("DELETE", one(first))
    again = post(acme)
    assert again["verdict"] == "stored"
    assert again["id"] != first["id"]


def test_secrets_are_masked(acme: Caller) -> None:
    made = post(acme, "My card is 4111 1111 1111 1111, 密码是abc12345")
    assert made["masked"]
    assert "4111" not in made["text"]
    assert "abc12345" not in made["text"]


@pytest.mark.parametrize(
    ("provenance", "ceiling"), [("observation", 0.6), ("analysis", 0.8), ("confirmed_by_user", 1.0)]
)
def test_confidence_ends_at_the_ceiling_of_the_provenance(acme: Caller, provenance: str, ceiling: float) -> None:
    assert post(acme, provenance, provenance=provenance)["confidence"] == ceiling
    assert post(acme, "exactly", provenance=provenance, confidence=ceiling)["confidence"] == ceiling
    if ceiling < 1:
        body = {"text": "more", "provenance": provenance, "confidence": ceiling + 0.01}
        problem = problem_of(acme("POST", ADA, body), 422)
        assert problem["code"] == "confidence_above_ceiling"
        assert fields_of(problem) == {"confidence"}


def test_a_refused_post_writes_nothing_not_even_the_subject(acme: Caller, world: World) -> None:
    refused = {"text": "x", "provenance": "observation", "confidence": 1.0}
    problem_of(acme("POST", "/v1/subjects/new/snapshots", refused), 422)
    with tenant_tx(world.acme.tenant.id):
        assert not Subject.objects.filter(external_id="new").exists()


BAD: list[tuple[str, Any]] = [
    ("text", None),
    ("text", ""),
    ("text", " \n\t"),
    ("text", "\u200b\ufeff"),
    ("text", 5),
    ("text", ["x"]),
    ("text", "x" * (64 * 1024 + 1)),
    ("text", "花" * 22_000),
    ("text", "a\u0000b"),
    ("text", "a" + "\u0301" * 40),
    ("kind", "wish"),
    ("kind", 1),
    ("category", ""),
    ("category", "x" * 101),
    ("topics", "food"),
    ("topics.0", [""]),
    ("topics.1", ["a", 5]),
    ("topics", ["t"] * 33),
    ("importance", 1.01),
    ("importance", "0.5"),
    ("importance", True),
    ("confidence", -0.01),
    ("provenance", "rumour"),
    ("said_at", "yesterday"),
    ("said_at", "2026-05-08T09:00:00"),
    ("said_at", "10000-01-01T00:00:00Z"),
    ("expires_at", 1778230000),
    ("metadata", []),
    ("metadata", {"x": "y" * 65 * 1024}),
    ("tenant_id", "x"),
    ("id", "x"),
    ("version", 3),
]


@pytest.mark.parametrize(("field", "value"), BAD, ids=lambda value: repr(value)[:24])
def test_bad_input_names_its_field_and_writes_nothing(acme: Caller, world: World, field: str, value: Any) -> None:
    item = {"text": "fine", field.partition(".")[0]: value}
    assert fields_of(problem_of(acme("POST", ADA, item), 400)) == {field}
    items = {"items": [{"text": "fine"}, item]}
    assert fields_of(problem_of(acme("POST", BULK, items), 400)) == {f"items.1.{field}"}
    with tenant_tx(world.acme.tenant.id):
        assert not Snapshot.objects.exists()


@pytest.mark.parametrize(
    "query",
    [
        "kind=wish",
        "from=today",
        "to=2026",
        "as_of=x",
        f"q={'x' * 1025}",
        f"q={'+'.join('abcdefghijklmnopqrstuvwxyzabcdefg')}",
        "limit=0",
        "limit=1e9",
        "cursor=x",
        "kind=manual&kind=episode",
        "known_at=x",
    ],
)
def test_a_bad_query_names_its_parameter(acme: Caller, query: str) -> None:
    problem = problem_of(acme("GET", f"{ADA}?{query}"), 400)
    assert fields_of(problem) == {query.partition("=")[0]}


def test_the_list_filters(acme: Caller) -> None:
    post(acme, "Peanut allergy since school", topics=["health"], said_at="2026-01-01T00:00:00Z")
    post(acme, "喜欢川菜,不吃花生", topics=["食物", "health"], said_at="2026-02-01T00:00:00Z")
    post(acme, "Went to 成都 in spring", kind="statement", said_at="2026-03-01T00:00:00Z")
    school, chengdu = "Peanut allergy since school", "Went to 成都 in spring"
    assert listed(acme) == [school, "喜欢川菜,不吃花生", chengdu]
    assert listed(acme, "kind=statement") == [chengdu]
    assert listed(acme, f"topic={quote('食物')}") == ["喜欢川菜,不吃花生"]
    assert listed(acme, "topic=health&kind=statement") == []
    assert listed(acme, "from=2026-02-01T00:00:00Z") == ["喜欢川菜,不吃花生", chengdu]
    assert listed(acme, "to=2026-01-31T00:00:00Z") == [school]
    assert listed(acme, "q=ALLERGY+peanut") == [school]
    assert listed(acme, f"q={quote('花生')}") == ["喜欢川菜,不吃花生"]
    assert listed(acme, "q=%25") == []
    assert listed(acme, "q=_") == []


def test_the_list_shows_what_is_current_or_was_true(acme: Caller, world: World) -> None:
    old = post(acme, "Lives in Berlin", said_at="2020-01-01T00:00:00Z")
    post(acme, "住在上海", said_at="2024-01-01T00:00:00Z")
    gone = post(acme, "Never mind")
    acme("DELETE", one(gone))
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=old["id"]).update(invalid_at=datetime.fromisoformat("2024-01-01T00:00:00Z"))
    assert listed(acme) == ["住在上海"]
    assert listed(acme, "as_of=2022-01-01T00:00:00Z") == ["Lives in Berlin"]
    assert listed(acme, "as_of=2024-01-01T00:00:00Z") == ["住在上海"]
    assert listed(acme, "as_of=2019-01-01T00:00:00Z") == []
    assert body_of(acme("GET", one(old)))["invalid_at"] == "2024-01-01T00:00:00Z"


def test_a_memory_that_has_ended_already_is_refused(acme: Caller) -> None:
    late = {"text": "Parked on level 3", "expires_at": "2001-01-01T00:00:00Z"}
    problem = problem_of(acme("POST", ADA, late), 422)
    assert (problem["code"], fields_of(problem)) == ("expires_at_in_past", {"expires_at"})
    fates = body_of(acme("POST", BULK, {"items": [late, {"text": "Parked on level 4"}]}))["data"]
    assert [(fate["verdict"], fate["reason"]) for fate in fates] == [
        ("rejected", "expires_at_in_past"),
        ("stored", None),
    ]
    assert listed(acme) == ["Parked on level 4"]


def test_what_has_expired_is_gone_at_once(acme: Caller, world: World) -> None:
    made = post(acme, "Parked on level 3", expires_at="2126-01-01T00:00:00Z")
    with tenant_tx(world.acme.tenant.id):
        past = datetime.fromisoformat("2001-01-01T00:00:00Z")
        Snapshot.objects.filter(subject_id=world.acme.subject.id, id=made["id"]).update(expires_at=past)
    assert listed(acme) == []
    problem_of(acme("GET", one(made)), 404)
    problem_of(acme("GET", f"{one(made)}/history"), 404)
    problem_of(acme("PATCH", one(made), {"importance": 1}), 404)


def test_pages_hold_every_memory_once(acme: Caller) -> None:
    texts = [f"memory {n}" for n in range(7)]
    assert acme("POST", BULK, {"items": [{"text": text} for text in texts]}).status_code == 200
    seen: list[list[str]] = []
    cursor: str | None = ""
    while cursor is not None:
        body = body_of(acme("GET", f"{ADA}?limit=3{cursor and f'&cursor={cursor}'}"))
        seen.append([item["text"] for item in body["data"]])
        cursor = body["next_cursor"]
    assert [len(page) for page in seen] == [3, 3, 1]
    assert sorted(text for page in seen for text in page) == texts


def test_sources_carry_the_products_own_ids(acme: Caller, world: World) -> None:
    made, without = post(acme, "No nuts"), post(acme, "Likes tea")
    with tenant_tx(world.acme.tenant.id):
        conversation = Conversation.objects.create(subject=world.acme.subject, external_id="c-1")
        for seq in (2, 1):
            message = Message.objects.create(
                subject=world.acme.subject,
                conversation=conversation,
                external_id=f"m-{seq}",
                seq=seq,
                role="user",
                content="x",
                content_hash=b"",
                said_at=utc_now(),
            )
            SnapshotSource.objects.create(subject=world.acme.subject, memory_id=made["id"], message=message)
        Message.objects.update(said_at=utc_now())
    sources = [{"conversation_id": "c-1", "message_id": "m-1"}, {"conversation_id": "c-1", "message_id": "m-2"}]
    assert body_of(acme("GET", one(made)))["sources"] == sources
    assert [item["sources"] for item in body_of(acme("GET", ADA))["data"]] == [sources, []]
    assert body_of(acme("GET", one(without)))["sources"] == []


def test_a_repeated_post_under_one_key_writes_once(acme: Caller) -> None:
    first = acme("POST", ADA, {"text": "No nuts"}, Idempotency_Key="k")
    second = acme("POST", ADA, {"text": "No nuts"}, Idempotency_Key="k")
    assert first.content == second.content
    assert first["ETag"] == second["ETag"]
    assert second["Idempotent-Replayed"] == "true"
    problem_of(acme("POST", ADA, {"text": "Other"}, Idempotency_Key="k"), 409)
    assert listed(acme) == ["No nuts"]


def test_twins_without_a_key_store_one_memory(acme: Caller, world: World) -> None:
    barrier = Barrier(6)

    def say(_: int) -> str:
        barrier.wait(timeout=30)
        try:
            return str(post(acme, "对花生过敏", path="/v1/subjects/new/snapshots")["verdict"])
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as threads:
        verdicts = sorted(threads.map(say, range(6)))
    assert verdicts == ["stored"] + ["unchanged"] * 5
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.count() == 1


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
    assert listed(acme) == ["Allergic to peanuts"]


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
    assert listed(acme) == []
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


def test_a_bulk_answers_for_each_item(acme: Caller) -> None:
    held = post(acme, "对花生过敏")
    items = [
        {"text": "Likes tea"},
        {"text": "对花生过敏"},
        {"text": "Too sure", "provenance": "observation", "confidence": 0.9},
        {"text": "Likes  tea"},
        {"text": "Likes tea", "kind": "episode"},
    ]
    response = acme("POST", BULK, {"items": items})
    data = body_of(response)["data"]
    assert response.status_code == 200
    assert [item["verdict"] for item in data] == ["stored", "unchanged", "rejected", "unchanged", "stored"]
    assert data[1]["id"] == held["id"]
    assert (data[2]["id"], data[2]["reason"]) == (None, "confidence_above_ceiling")
    assert data[3]["id"] == data[0]["id"]
    assert sorted(listed(acme)) == ["Likes tea", "Likes tea", "对花生过敏"]


def test_a_bulk_takes_a_thousand_and_no_more(acme: Caller) -> None:
    items = [{"text": f"memory {n}"} for n in range(1_001)]
    assert fields_of(problem_of(acme("POST", BULK, {"items": items}), 400)) == {"items"}
    assert fields_of(problem_of(acme("POST", BULK, {"items": []}), 400)) == {"items"}
    with CaptureQueriesContext(connection) as queries:
        data = body_of(acme("POST", BULK, {"items": items[:1_000]}))["data"]
    assert {item["verdict"] for item in data} == {"stored"}
    assert len(queries) <= WRITE_STATEMENTS + 4, [query["sql"][:60] for query in queries.captured_queries]


def test_a_body_beyond_its_limit_is_413(acme: Caller) -> None:
    body = {"items": [{"text": "x" * 60_000}] * 20}
    assert acme("POST", BULK, body).status_code == 200  # 1.2 MB
    problem_of(acme("POST", ADA, b"{" + b" " * (1024 * 1024) + b"}"), 413)
    problem_of(acme("POST", BULK, b"{" + b" " * (16 * 1024 * 1024) + b"}"), 413)


def test_the_wall_between_tenants(acme: Caller, globex: Caller, world: World) -> None:
    made = post(acme, "Ada's canary")
    before = acme("GET", one(made)).content
    for path in (one(made), f"{one(made)}/history"):
        foreign, unknown = globex("GET", path), globex("GET", path.replace(made["id"], str(new_id())))
        assert problem_of(foreign, 404) | {"request_id": ""} == problem_of(unknown, 404) | {"request_id": ""}
    gils = one(made, "/v1/subjects/gil/snapshots")
    for caller, path in ((globex, one(made)), (globex, gils), (acme, one(made, "/v1/subjects/ida/snapshots"))):
        for method, body in (("GET", None), ("PATCH", {"text": "mine"}), ("DELETE", None)):
            problem_of(caller(method, path, body), 404)
    assert post(globex, "Ada's canary")["verdict"] == "stored"
    assert listed(globex, "q=canary") == ["Ada's canary"]
    assert acme("GET", one(made)).content == before
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.count() == 1


def test_an_unknown_subject_has_no_list(acme: Caller) -> None:
    problem_of(acme("GET", "/v1/subjects/nobody/snapshots"), 404)
    assert listed(acme) == []


def test_a_list_takes_the_same_statements_however_long(acme: Caller) -> None:
    for count in (1, 40):
        acme("POST", BULK, {"items": [{"text": f"{count} {n}"} for n in range(count)]})
        with CaptureQueriesContext(connection) as queries:
            listed(acme)
        assert len(queries) <= LIST_STATEMENTS, [query["sql"][:80] for query in queries.captured_queries]


def test_a_post_takes_a_fixed_number_of_statements(acme: Caller) -> None:
    post(acme)
    with CaptureQueriesContext(connection) as queries:
        post(acme, "Likes tea")
    assert len(queries) <= WRITE_STATEMENTS, [query["sql"][:80] for query in queries.captured_queries]
