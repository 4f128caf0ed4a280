"""Listing, reading, ending, changing and deleting conversations; pending work. Rows: C1, C3, C5, D1. Matrix: 3, 23."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from snapshots.models import Conversation, Message, Work, WorkState
from snapshots.queue.metrics import count_work
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

LIST = "/v1/subjects/ada/conversations"
ONE = f"{LIST}/trip"
END = f"{ONE}/end"
PENDING = "/v1/subjects/ada/pending"


def say(caller: Caller, content: str = "hello", conversation_id: str = "trip", subject_id: str = "ada") -> None:
    path = f"/v1/subjects/{subject_id}/conversations/{conversation_id}/messages"
    response = caller("POST", path, {"messages": [{"role": "user", "content": content}]})
    assert response.status_code == 202, response.content


def test_a_conversation_shows_its_state(acme: Caller) -> None:
    say(acme, "导航回家")
    response = acme("GET", ONE)

    body = body_of(response)
    assert response["ETag"].startswith('"')
    assert (body["conversation_id"], body["status"], body["remember"], body["last_seq"]) == ("trip", "open", True, 1)
    assert (body["summary"], body["ended_at"]) == (None, None)


def test_conversations_are_listed_oldest_first_in_pages(acme: Caller) -> None:
    for name in ("a", "b", "丙"):
        say(acme, conversation_id=name)
    first = body_of(acme("GET", f"{LIST}?limit=2"))
    second = body_of(acme("GET", f"{LIST}?limit=2&cursor={first['next_cursor']}"))

    assert [row["conversation_id"] for row in first["data"] + second["data"]] == ["a", "b", "丙"]
    assert second["next_cursor"] is None


def test_a_list_takes_the_same_statements_however_long(acme: Caller) -> None:
    for name in range(12):
        say(acme, conversation_id=f"c{name}")
    with CaptureQueriesContext(connection) as queries:
        assert len(body_of(acme("GET", LIST))["data"]) == 12
    assert len(queries) <= 6, [query["sql"][:80] for query in queries.captured_queries]


def test_ending_twice_names_the_same_job(acme: Caller) -> None:
    say(acme)
    first, second = acme("POST", END, {}), acme("POST", END)

    assert first.status_code == second.status_code == 202
    assert body_of(first) == body_of(second)
    assert (body_of(first)["conversation_id"], body_of(first)["status"]) == ("trip", "ended")
    assert body_of(acme("GET", ONE))["ended_at"] is not None


def test_a_message_after_the_end_reopens_and_the_next_end_is_another_job(acme: Caller) -> None:
    say(acme)
    first = body_of(acme("POST", END))["job_id"]
    say(acme, "one more thing")
    assert body_of(acme("GET", ONE))["status"] == "open"

    assert body_of(acme("POST", END))["job_id"] != first


def test_an_end_under_an_idempotency_key_is_replayed(acme: Caller) -> None:
    say(acme)
    first = acme("POST", END, {}, Idempotency_Key="e1")
    again = acme("POST", END, {}, Idempotency_Key="e1")

    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"


def test_an_end_takes_no_fields(acme: Caller) -> None:
    say(acme)
    assert fields_of(problem_of(acme("POST", END, {"reason": "done"}), 400)) == {"reason"}


def test_what_a_conversation_says_after_it_is_not_to_be_remembered_teaches_nothing(acme: Caller, world: World) -> None:
    say(acme, "first")
    assert body_of(acme("PATCH", ONE, {"remember": False}))["remember"] is False
    say(acme, "second")

    with tenant_tx(world.acme.tenant.id):
        assert set(Work.objects.values_list("message__content", flat=True)) == {"first"}
    rows = body_of(acme("GET", f"{ONE}/messages"))["data"]
    assert [row["remember"] for row in rows] == [True, False]
    assert [turn["content"] for turn in body_of(acme("GET", f"{ONE}/window"))["messages"]] == ["first", "second"]


def test_an_empty_change_changes_nothing(acme: Caller) -> None:
    say(acme)
    before = acme("GET", ONE)
    after = acme("PATCH", ONE, {"remember": None})

    assert after.status_code == 200
    assert (after.content, after["ETag"]) == (before.content, before["ETag"])


def test_a_change_of_an_older_version_is_refused(acme: Caller) -> None:
    say(acme)
    tag = acme("GET", ONE)["ETag"]
    assert acme("PATCH", ONE, {"remember": False}, If_Match=tag).status_code == 200

    assert problem_of(acme("PATCH", ONE, {"remember": True}, If_Match=tag), 412)["code"] == "version_mismatch"
    assert problem_of(acme("DELETE", ONE, If_Match=tag), 412)
    assert body_of(acme("GET", ONE))["remember"] is False


def test_a_version_ends_with_a_message_and_with_the_end(acme: Caller) -> None:
    say(acme)
    tags = [acme("GET", ONE)["ETag"]]
    say(acme, "more")
    tags.append(acme("GET", ONE)["ETag"])
    acme("POST", END)
    tags.append(acme("GET", ONE)["ETag"])

    assert len(set(tags)) == 3


@pytest.mark.parametrize(
    ("body", "field"),
    [({"remember": "no"}, "remember"), ({"remember": 0}, "remember"), ({"status": "ended"}, "status"), ([], "body")],
)
def test_a_bad_change_is_named_even_where_nothing_is(acme: Caller, body: Any, field: str) -> None:
    assert fields_of(problem_of(acme("PATCH", f"{LIST}/never", body), 400)) == {field}


def test_a_deleted_conversation_is_gone_and_may_start_anew(acme: Caller, world: World) -> None:
    say(acme, "canary")
    say(acme, "stays", conversation_id="other")
    response = acme("DELETE", ONE)

    assert (response.status_code, response.content) == (204, b"")
    for path in (ONE, f"{ONE}/messages", f"{ONE}/window"):
        assert problem_of(acme("GET", path), 404)
    assert problem_of(acme("DELETE", ONE), 404)
    with tenant_tx(world.acme.tenant.id):
        assert list(Message.objects.values_list("content", flat=True)) == ["stays"]
    say(acme, "anew")
    assert body_of(acme("GET", ONE))["last_seq"] == 1


def test_messages_and_deletions_at_the_same_time_end_well(acme: Caller, world: World) -> None:
    def one(number: int) -> int:
        try:
            if number % 4 == 0:
                return int(acme("DELETE", ONE).status_code)
            body = {"messages": [{"role": "user", "content": f"m{number}"}]}
            return int(acme("POST", f"{ONE}/messages", body).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(one, range(60)))

    assert set(statuses) <= {202, 204, 404}
    with tenant_tx(world.acme.tenant.id):
        assert count_work().accepted_total == 2 * statuses.count(202)
        seqs = list(Message.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


def test_pending_counts_what_is_not_done(acme: Caller, world: World) -> None:
    assert body_of(acme("GET", PENDING)) == {"pending": 0, "dead": 0, "oldest_seconds": None}
    say(acme)
    say(acme, "I like tea")
    with tenant_tx(world.acme.tenant.id):
        first, second = Work.objects.order_by("position")[:2]
        Work.objects.filter(id=first.id).update(state=WorkState.DONE)
        Work.objects.filter(id=second.id).update(state=WorkState.DEAD)

    body = body_of(acme("GET", PENDING))
    assert (body["pending"], body["dead"]) == (2, 1)
    assert 0 <= body["oldest_seconds"] < 60


UNKNOWN = [
    ("GET", LIST, None),
    ("GET", ONE, None),
    ("PATCH", ONE, {"remember": False}),
    ("DELETE", ONE, None),
    ("POST", END, {}),
    ("GET", PENDING, None),
]


@pytest.mark.parametrize(("method", "path", "body"), UNKNOWN)
def test_the_other_tenant_gets_what_it_gets_for_ids_nobody_has(
    acme: Caller, globex: Caller, world: World, method: str, path: str, body: Any
) -> None:
    say(acme, "canary")
    before = acme("GET", ONE)
    theirs = problem_of(globex(method, path, body), 404)
    nobodys = problem_of(globex(method, path.replace("ada", "nobody").replace("trip", "none"), body), 404)

    assert {**theirs, "request_id": ""} == {**nobodys, "request_id": ""}
    after = acme("GET", ONE)
    assert (after.content, after["ETag"]) == (before.content, before["ETag"])
    with tenant_tx(world.globex.tenant.id):
        assert not Conversation.objects.exists()


def test_another_subject_of_the_same_tenant_has_conversations_of_its_own(acme: Caller) -> None:
    say(acme, "mine")
    say(acme, "yours", subject_id="bob")

    for subject, content in (("ada", "mine"), ("bob", "yours")):
        rows = body_of(acme("GET", f"/v1/subjects/{subject}/conversations/trip/messages"))["data"]
        assert [row["content"] for row in rows] == [content]


@pytest.mark.parametrize("twin", ["TRIP", "trip ", "tri\u0301p", "tríp", "%", "_", "trip.", "trip:1"])
def test_look_alike_ids_are_separate(acme: Caller, twin: str) -> None:
    say(acme, "first")
    say(acme, "second", conversation_id=twin.replace("%", "%25").replace(" ", "%20"))

    assert len(body_of(acme("GET", LIST))["data"]) == 2
