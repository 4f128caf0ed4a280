"""Snapshots over HTTP: post, list, read, in bulk. Rows: S2, S3, P5, E2, D1. Matrix: 3, 21, 23, 46, 49."""

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
from tests.memory_platform.api.v1.memories.snapshot_calls import ADA, BAD, BULK, list_texts, one, post

LIST_STATEMENTS = 7  # key, BEGIN, scope, subject, page, sources, COMMIT
WRITE_STATEMENTS = 20


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
    assert list_texts(acme) == [text]


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
    assert list_texts(acme, path=path) == ["喜欢爬山"]
    with tenant_tx(world.acme.tenant.id):
        assert Subject.objects.filter(external_id="小明").count() == 1


def test_what_is_held_already_is_unchanged_and_validated_anew(acme: Caller) -> None:
    first, second = post(acme, "对花生过敏"), post(acme, " 对花生\u200b过敏\n")
    assert (second["verdict"], second["id"], second["text"]) == ("unchanged", first["id"], "对花生过敏")
    assert second["last_validated_at"] > first["last_validated_at"]
    assert post(acme, "对花生过敏", kind="statement")["verdict"] == "stored"
    assert len(list_texts(acme)) == 2


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


def test_a_product_cannot_say_that_staff_corrected_a_memory(acme: Caller) -> None:
    words = {"text": "Ada likes tea.", "provenance": "corrected_by_staff"}
    for method, path, body in (
        ("POST", "snapshots", words),
        ("POST", "notes", words),
        ("PUT", "preferences/drinks/likes", {"value": "tea", "provenance": "corrected_by_staff"}),
    ):
        problem = problem_of(acme(method, f"/v1/subjects/ada/{path}", body), 400)
        assert fields_of(problem) == {"provenance"}, path


def test_a_refused_post_writes_nothing_not_even_the_subject(acme: Caller, world: World) -> None:
    refused = {"text": "x", "provenance": "observation", "confidence": 1.0}
    problem_of(acme("POST", "/v1/subjects/new/snapshots", refused), 422)
    with tenant_tx(world.acme.tenant.id):
        assert not Subject.objects.filter(external_id="new").exists()


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
    assert list_texts(acme) == [school, "喜欢川菜,不吃花生", chengdu]
    assert list_texts(acme, "kind=statement") == [chengdu]
    assert list_texts(acme, f"topic={quote('食物')}") == ["喜欢川菜,不吃花生"]
    assert list_texts(acme, "topic=health&kind=statement") == []
    assert list_texts(acme, "from=2026-02-01T00:00:00Z") == ["喜欢川菜,不吃花生", chengdu]
    assert list_texts(acme, "to=2026-01-31T00:00:00Z") == [school]
    assert list_texts(acme, "q=ALLERGY+peanut") == [school]
    assert list_texts(acme, f"q={quote('花生')}") == ["喜欢川菜,不吃花生"]
    assert list_texts(acme, "q=%25") == []
    assert list_texts(acme, "q=_") == []


def test_the_list_shows_what_is_current_or_was_true(acme: Caller, world: World) -> None:
    old = post(acme, "Lives in Berlin", said_at="2020-01-01T00:00:00Z")
    post(acme, "住在上海", said_at="2024-01-01T00:00:00Z")
    gone = post(acme, "Never mind")
    acme("DELETE", one(gone))
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=old["id"]).update(invalid_at=datetime.fromisoformat("2024-01-01T00:00:00Z"))
    assert list_texts(acme) == ["住在上海"]
    assert list_texts(acme, "as_of=2022-01-01T00:00:00Z") == ["Lives in Berlin"]
    assert list_texts(acme, "as_of=2024-01-01T00:00:00Z") == ["住在上海"]
    assert list_texts(acme, "as_of=2019-01-01T00:00:00Z") == []
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
    assert list_texts(acme) == ["Parked on level 4"]


def test_what_has_expired_is_gone_at_once(acme: Caller, world: World) -> None:
    made = post(acme, "Parked on level 3", expires_at="2126-01-01T00:00:00Z")
    with tenant_tx(world.acme.tenant.id):
        past = datetime.fromisoformat("2001-01-01T00:00:00Z")
        Snapshot.objects.filter(subject_id=world.acme.subject.id, id=made["id"]).update(expires_at=past)
    assert list_texts(acme) == []
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
    assert list_texts(acme) == ["No nuts"]


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
    assert sorted(list_texts(acme)) == ["Likes tea", "Likes tea", "对花生过敏"]


@pytest.mark.slow
def test_a_bulk_takes_a_thousand_and_no_more(acme: Caller) -> None:
    items = [{"text": f"memory {n}"} for n in range(1_001)]
    assert fields_of(problem_of(acme("POST", BULK, {"items": items}), 400)) == {"items"}
    assert fields_of(problem_of(acme("POST", BULK, {"items": []}), 400)) == {"items"}
    with CaptureQueriesContext(connection) as queries:
        data = body_of(acme("POST", BULK, {"items": items[:1_000]}))["data"]
    assert {item["verdict"] for item in data} == {"stored"}
    assert len(queries) <= WRITE_STATEMENTS + 4, [query["sql"][:60] for query in queries.captured_queries]


@pytest.mark.slow
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
    assert list_texts(globex, "q=canary") == ["Ada's canary"]
    assert acme("GET", one(made)).content == before
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.count() == 1


def test_an_unknown_subject_has_no_list(acme: Caller) -> None:
    problem_of(acme("GET", "/v1/subjects/nobody/snapshots"), 404)
    assert list_texts(acme) == []


def test_a_list_takes_the_same_statements_however_long(acme: Caller) -> None:
    for count in (1, 40):
        acme("POST", BULK, {"items": [{"text": f"{count} {n}"} for n in range(count)]})
        with CaptureQueriesContext(connection) as queries:
            list_texts(acme)
        assert len(queries) <= LIST_STATEMENTS, [query["sql"][:80] for query in queries.captured_queries]


def test_a_post_takes_a_fixed_number_of_statements(acme: Caller) -> None:
    post(acme)
    with CaptureQueriesContext(connection) as queries:
        post(acme, "Likes tea")
    assert len(queries) <= WRITE_STATEMENTS, [query["sql"][:80] for query in queries.captured_queries]
