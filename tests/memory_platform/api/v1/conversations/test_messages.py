"""Posting and reading messages, and the window. Rows: C1, C2, C5, D1. Matrix: 3, 14, 20, 21, 46, 47, 48, 49."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

from profiles.services.preferences import record_preference
from profiles.services.value_claims import make_stated_claim
from snapshots.models import Conversation, Message, Work
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

MESSAGES = "/v1/subjects/ada/conversations/trip/messages"
WINDOW = "/v1/subjects/ada/conversations/trip/window"
KIB = 1024


def user(content: Any = "hello", **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **fields}


def post(caller: Caller, *messages: Any, path: str = MESSAGES, **headers: str) -> Any:
    return caller("POST", path, {"messages": list(messages)}, **headers)


def list_rows(caller: Caller, path: str = MESSAGES) -> list[dict[str, Any]]:
    response = caller("GET", path)
    assert response.status_code == 200, response.content
    rows: list[dict[str, Any]] = body_of(response)["data"]
    return rows


def counts(house: House) -> tuple[int, int, int]:
    with tenant_tx(house.tenant.id):
        return Conversation.objects.count(), Message.objects.count(), Work.objects.count()


def test_messages_in_two_languages_are_accepted_in_order(acme: Caller) -> None:
    response = post(
        acme,
        user("I'm allergic to peanuts", message_id="m1", said_at="2026-03-01T09:00:00+08:00"),
        user("我家在上海市浦东新区", message_id="消息-2"),
        {"role": "assistant", "content": "好的。"},
    )

    assert response.status_code == 202
    body = body_of(response)
    assert body["conversation_id"] == "trip"
    assert [(one["seq"], one["verdict"]) for one in body["accepted"]] == [(1, "stored"), (2, "stored"), (3, "stored")]
    assert [one["message_id"] for one in body["accepted"][:2]] == ["m1", "消息-2"]
    assert body["window"]["messages"] == 3
    assert body["window"]["tokens"] > 0
    assert body["fast_lane"] == []
    rows = list_rows(acme)
    assert [row["content"] for row in rows] == ["I'm allergic to peanuts", "我家在上海市浦东新区", "好的。"]
    assert rows[0]["said_at"] == "2026-03-01T01:00:00Z"


def test_everything_that_was_posted_can_be_read_again(acme: Caller) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "navigate", "arguments": '{"to": "家"}'}}
    post(
        acme,
        user([{"type": "text", "text": "导航"}, {"type": "text", "text": "回家"}], name="Ada", metadata={"lang": "zh"}),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "ok", "tool_call_id": "call_1", "remember": False},
    )

    first, second, third = list_rows(acme)
    assert first["content"] == "导航\n回家"
    assert first["parts"] == [{"type": "text", "text": "导航"}, {"type": "text", "text": "回家"}]
    assert (first["name"], first["metadata"]) == ("Ada", {"lang": "zh"})
    assert (second["content"], second["tool_calls"]) == ("", [call])
    assert (third["tool_call_id"], third["remember"]) == ("call_1", False)


def test_null_means_absent(acme: Caller) -> None:
    nothing = dict.fromkeys(
        ["message_id", "name", "tool_calls", "tool_call_id", "said_at", "metadata", "remember"], None
    )
    assert post(acme, {"role": "user", "content": "hello", **nothing}).status_code == 202

    (row,) = list_rows(acme)
    assert (row["name"], row["tool_calls"], row["metadata"], row["remember"]) == (None, None, {}, True)


def test_a_repeated_message_is_a_duplicate_and_other_content_says_so(acme: Caller) -> None:
    post(acme, user("hello", message_id="m1"))
    body = body_of(post(acme, user("hello", message_id="m1"), user("Hello", message_id="m1")))

    assert body["accepted"] == [
        {"message_id": "m1", "seq": 1, "verdict": "duplicate"},
        {"message_id": "m1", "seq": 1, "verdict": "duplicate", "reason": "content_differs"},
    ]


def test_the_first_message_makes_a_new_subject(acme: Caller) -> None:
    path = f"/v1/subjects/{quote('新用户')}/conversations/c/messages"
    assert post(acme, user(), path=path).status_code == 202
    assert len(list_rows(acme, path)) == 1


@pytest.mark.parametrize(("held", "correction"), [("jazz", "I now like jazz"), ("爵士乐", "我现在喜欢爵士乐")])
def test_a_correction_is_applied_before_the_answer(acme: Caller, world: World, held: str, correction: str) -> None:
    with tenant_tx(world.acme.tenant.id):
        record_preference(world.acme.subject, "music", "dislikes", make_stated_claim([held]))
    (applied,) = body_of(post(acme, user(correction, message_id="m1")))["fast_lane"]

    assert (applied["category"], applied["key"], applied["verdict"]) == ("music", "likes", "stored")
    assert applied["preference_id"]
    assert body_of(post(acme, user(correction, message_id="m1")))["fast_lane"] == []  # a repeat corrects nothing


LONG = "x" * (70 * KIB)
BAD_MESSAGES = [
    ({"content": "hello"}, "messages.0.role"),
    ({"role": "narrator", "content": "hello"}, "messages.0.role"),
    ({"role": 5, "content": "hello"}, "messages.0.role"),
    ({"role": "user"}, "messages.0.content"),
    (user(None), "messages.0.content"),
    (user(""), "messages.0.content"),
    (user([]), "messages.0.content"),
    (user("", tool_calls=[]), "messages.0.content"),
    (user(5), "messages.0.content"),
    (user({"text": "hello"}), "messages.0.content"),
    (user(LONG), "messages.0.content"),
    (user("字" * (22 * KIB)), "messages.0.content"),
    (user([{"type": "text", "text": "x" * (40 * KIB)}] * 2), "messages.0.content"),
    (user([{"type": "audio", "text": "hello"}]), "messages.0.content.0.type"),
    (user([{"type": "text"}]), "messages.0.content.0.text"),
    (user([{"type": "text", "text": "hello", "cache": 1}]), "messages.0.content.0.cache"),
    (user(["hello"]), "messages.0.content.0"),
    (user("a" + "\u0301" * 40), "messages.0.content"),
    (user(message_id=""), "messages.0.message_id"),
    (user(message_id=7), "messages.0.message_id"),
    (user(message_id="a/b"), "messages.0.message_id"),
    (user(message_id=".."), "messages.0.message_id"),
    (user(message_id="a\nb"), "messages.0.message_id"),
    (user(message_id="x" * 201), "messages.0.message_id"),
    (user(name=""), "messages.0.name"),
    (user(name=["Ada"]), "messages.0.name"),
    (user(name=LONG), "messages.0.name"),
    (user(tool_calls={}), "messages.0.tool_calls"),
    (user(tool_calls=["navigate"]), "messages.0.tool_calls.0"),
    (user(tool_calls=[{"arguments": LONG}]), "messages.0.tool_calls"),
    (user(tool_call_id=1), "messages.0.tool_call_id"),
    (user(tool_call_id=LONG), "messages.0.tool_call_id"),
    (user(said_at="yesterday"), "messages.0.said_at"),
    (user(said_at="2026-03-01T09:00:00"), "messages.0.said_at"),
    (user(said_at="10000-01-01T00:00:00Z"), "messages.0.said_at"),
    (user(said_at="infinity"), "messages.0.said_at"),
    (user(said_at=1767225600), "messages.0.said_at"),
    (user(metadata=[]), "messages.0.metadata"),
    (user(metadata={"note": LONG}), "messages.0.metadata"),
    (user(remember="yes"), "messages.0.remember"),
    (user(remember=1), "messages.0.remember"),
    (user(colour="red"), "messages.0.colour"),
    (user(tenant_id="x", seq=1), "messages.0.seq"),
    ("hello", "messages.0"),
    (None, "messages.0"),
]


@pytest.mark.parametrize(("message", "field"), BAD_MESSAGES)
def test_a_bad_message_is_named_and_nothing_of_its_batch_is_written(
    acme: Caller, world: World, message: Any, field: str
) -> None:
    problem = problem_of(post(acme, message, user("fine")), 400)

    assert field in fields_of(problem)
    assert counts(world.acme) == (0, 0, 0)


def test_the_third_message_is_named_by_its_place(acme: Caller) -> None:
    problem = problem_of(post(acme, user(), user(), user(role="narrator")), 400)
    assert fields_of(problem) == {"messages.2.role"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": {}}, "messages"),
        ({"messages": [user()] * 201}, "messages"),
        ({"messages": [user()], "window": 20}, "window"),
        ([], "body"),
        (b"{", "body"),
    ],
)
def test_a_bad_body_is_named(acme: Caller, body: Any, field: str) -> None:
    assert fields_of(problem_of(acme("POST", MESSAGES, body), 400)) == {field}


UNSTORABLE = [b"\\u0000", b"\\ud800", b"\\udfff\\ud800"]
PLACES = {
    "messages.0.content": b'{"messages":[{"role":"user","content":"a%b"}]}',
    "messages.0.content.0.text": b'{"messages":[{"role":"user","content":[{"type":"text","text":"a%b"}]}]}',
    "messages.0.message_id": b'{"messages":[{"role":"user","content":"x","message_id":"a%b"}]}',
    "messages.0.name": b'{"messages":[{"role":"user","content":"x","name":"a%b"}]}',
    "messages.0.role": b'{"messages":[{"role":"a%b","content":"x"}]}',
    "messages.0.said_at": b'{"messages":[{"role":"user","content":"x","said_at":"a%b"}]}',
    "messages.0.tool_call_id": b'{"messages":[{"role":"user","content":"x","tool_call_id":"a%b"}]}',
    "messages.0.tool_calls.0.name": b'{"messages":[{"role":"user","content":"x","tool_calls":[{"name":"a%b"}]}]}',
    "messages.0.metadata.note": b'{"messages":[{"role":"user","content":"x","metadata":{"note":"a%b"}}]}',
}


@pytest.mark.parametrize("character", UNSTORABLE)
@pytest.mark.parametrize("field", PLACES)
def test_what_cannot_be_stored_is_refused_and_its_place_named(
    acme: Caller, world: World, field: str, character: bytes
) -> None:
    body = PLACES[field].replace(b"%", character)

    assert field in fields_of(problem_of(acme("POST", MESSAGES, body), 400))
    assert counts(world.acme) == (0, 0, 0)


def test_a_key_that_cannot_be_stored_is_refused(acme: Caller) -> None:
    body = b'{"messages":[{"role":"user","content":"x","metadata":{"a\\u0000":1}}]}'
    assert problem_of(acme("POST", MESSAGES, body), 400)["errors"]


SCRIPTS = [
    "Ünïcödé, ﬁne",
    "مرحبا بالعالم",
    "שלום",
    "नमस्ते",
    "繁體中文與简体中文",
    "🧑‍🚀🏳️‍🌈",
    "\u202eright to left\u202c \u200b\u2060",
    "\U000e0041\U000e0042",
    "𠜎𠜱𡿺",
    "e\u0301" * 100,
    "'; DROP TABLE message; -- & | ! :* <->",
]


@pytest.mark.parametrize("text", SCRIPTS)
def test_every_script_comes_back_exactly(acme: Caller, text: str) -> None:
    assert post(acme, user(text, message_id="m1", name=text[:50])).status_code == 202
    (row,) = list_rows(acme)
    assert (row["content"], row["name"]) == (text, text[:50])


def test_the_limits_themselves_are_allowed(acme: Caller) -> None:
    full = user("x" * (64 * KIB))
    assert post(acme, *[full] * 60).status_code == 202
    assert post(acme, *[user()] * 200).status_code == 202
    assert problem_of(post(acme, *[full] * 65), 413)["code"] == "payload_too_large"


def test_an_idempotency_key_answers_the_same_for_messages_without_ids(acme: Caller) -> None:
    first = post(acme, user("hello"), Idempotency_Key="k1")
    again = post(acme, user("hello"), Idempotency_Key="k1")

    assert (again.status_code, again.content) == (202, first.content)
    assert again["Idempotent-Replayed"] == "true"
    assert len(list_rows(acme)) == 1
    assert problem_of(post(acme, user("other"), Idempotency_Key="k1"), 409)["code"] == "idempotency_key_reused"


def test_fifty_twins_at_once_store_one_message(acme: Caller) -> None:
    def one(_: int) -> int:
        try:
            return int(post(acme, user("hello"), Idempotency_Key="twin").status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        statuses = set(pool.map(one, range(50)))

    assert statuses <= {202, 409}
    assert len(list_rows(acme)) == 1


def test_messages_come_in_pages_in_their_order(acme: Caller) -> None:
    post(acme, *(user(f"m{n}", said_at=f"2026-03-{28 - n:02d}T00:00:00Z") for n in range(7)))
    seen: list[str] = []
    cursor = ""
    while True:
        body = body_of(acme("GET", f"{MESSAGES}?limit=3&cursor={cursor}"))
        seen += [row["content"] for row in body["data"]]
        cursor = body["next_cursor"]
        if cursor is None:
            break

    assert seen == [f"m{n}" for n in range(7)]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=1e9", "limit"),
        ("limit=x", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=%00", "cursor"),
        ("order=desc", "order"),
    ],
)
def test_a_bad_query_is_named_even_where_nothing_is(acme: Caller, query: str, field: str) -> None:
    path = f"/v1/subjects/nobody/conversations/none/messages?{query}"
    assert fields_of(problem_of(acme("GET", path), 400)) == {field}


def test_a_cursor_of_another_conversation_is_refused(acme: Caller) -> None:
    other = "/v1/subjects/ada/conversations/other/messages"
    for path in (MESSAGES, other):
        post(acme, user(), user(), path=path)
    cursor = body_of(acme("GET", f"{other}?limit=1"))["next_cursor"]

    assert fields_of(problem_of(acme("GET", f"{MESSAGES}?cursor={cursor}"), 400)) == {"cursor"}


def test_the_window_holds_the_last_twenty(acme: Caller) -> None:
    post(acme, *(user(f"m{n}") for n in range(25)))
    body = body_of(acme("GET", WINDOW))

    assert [turn["content"] for turn in body["messages"]] == [f"m{n}" for n in range(5, 25)]
    assert body["tokens"] == sum(turn["tokens"] for turn in body["messages"])
    assert (body["summary"], body["degraded_reason"]) == (None, None)


def test_without_redis_messages_are_accepted_and_the_window_says_where_it_came_from(
    acme: Caller, tmp_path: Path
) -> None:
    with override_settings(REDIS_URL=f"unix://{tmp_path}/nowhere.sock"):
        assert post(acme, user("你好")).status_code == 202
        body = body_of(acme("GET", WINDOW))

    assert [turn["content"] for turn in body["messages"]] == ["你好"]
    assert body["degraded_reason"] == "redis_unavailable"


@pytest.mark.parametrize("path", [MESSAGES, WINDOW])
def test_the_other_tenant_gets_what_it_gets_for_ids_nobody_has(acme: Caller, globex: Caller, path: str) -> None:
    post(acme, user("canary"))
    theirs = problem_of(globex("GET", path), 404)
    nobodys = problem_of(globex("GET", path.replace("ada", "nobody").replace("trip", "none")), 404)

    assert {**theirs, "request_id": ""} == {**nobodys, "request_id": ""}


def test_the_other_tenant_posting_to_the_same_ids_makes_its_own(acme: Caller, globex: Caller, world: World) -> None:
    post(acme, user("mine", message_id="m1"))
    body = body_of(post(globex, user("theirs", message_id="m1")))

    assert body["accepted"][0] == {"message_id": "m1", "seq": 1, "verdict": "stored"}
    assert [row["content"] for row in list_rows(acme)] == ["mine"]
    assert [row["content"] for row in list_rows(globex)] == ["theirs"]
    assert counts(world.acme) == counts(world.globex) == (1, 1, 2)


@pytest.mark.parametrize(("scope", "method"), [("memory:read", "POST"), ("memory:write", "GET")])
def test_each_method_needs_its_scope(world: World, scope: str, method: str) -> None:
    with tenant_tx(world.acme.tenant.id):
        key = create_key(name="narrow", scopes=[scope], by=COMMAND_LINE)
    narrow = Caller(House(world.acme.tenant, key.token, world.acme.subject))

    assert problem_of(narrow(method, MESSAGES, {"messages": [{}]} if method == "POST" else None), 403)


def test_without_a_key_nothing_is_said(nobody: Caller) -> None:
    assert problem_of(post(nobody, user()), 401)


@pytest.mark.parametrize("count", [1, 200])
def test_an_acceptance_takes_a_handful_of_statements(acme: Caller, count: int) -> None:
    post(acme, user("first"))
    with CaptureQueriesContext(connection) as queries:
        post(acme, *[user("我喜欢辣的", message_id=f"m{n}") for n in range(count)])

    # the key; begin, tenant, subject, conversation, known ids, messages, work, state, ledger, window, commit
    assert len(queries) <= 12, [query["sql"][:80] for query in queries.captured_queries]


def test_a_hot_window_takes_three_statements_and_its_transaction(acme: Caller) -> None:
    post(acme, user("first"))
    with CaptureQueriesContext(connection) as queries:
        acme("GET", WINDOW)

    assert len(queries) <= 5, [query["sql"][:80] for query in queries.captured_queries]
