"""The cost ledger and the quotas over the API. Rows: T6, X10."""

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse

from memory_platform.kernel.clock import utc_now
from snapshots.queue.metrics import find_tenants_with_due_work
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.usage.quotas import forget_counts, set_limits
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

MESSAGES = "/v1/subjects/ada/conversations/c1/messages"
SNAPSHOTS = "/v1/subjects/ada/snapshots"
TASKS = "/v1/subjects/ada/tasks"


def say(caller: Caller, *texts: str, **headers: str) -> HttpResponse:
    said = [{"role": "user", "content": text} for text in texts]
    return caller("POST", MESSAGES, {"messages": said}, **headers)


def days(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of(caller("GET", f"/v1/usage{query}"))["data"]
    return found


def set_bound(house: House, **limits: int | None) -> None:
    with tenant_tx(house.tenant.id):
        set_limits(limits, by=COMMAND_LINE)
    forget_counts()


def test_a_day_tells_what_was_used_and_what_it_saved(acme: Caller, globex: Caller) -> None:
    say(acme, *[f"We hiked up hill number {number} 爬山 with my sister Ruth." for number in range(30)])
    context = body_of(acme("POST", "/v1/subjects/ada/context", {"query": "Who hikes with me?"}))
    (day,) = days(acme)
    assert day["day"] == f"{utc_now():%Y-%m-%d}"
    assert (day["messages"], day["contexts"]) == (30, 1)
    assert (day["requests"], day["refused"]) == (3, 0)
    assert day["tokens_in_context"] == context["tokens"]["total"]
    assert day["tokens_full_history"] == context["tokens"]["full_history"]
    assert day["saved_ratio"] == pytest.approx(context["tokens"]["saved_ratio"], abs=0.001)
    assert day["sections"] == {one["name"]: one["tokens"] for one in context["sections"]}
    assert day["currency"] == "USD"
    assert day["cost"] == pytest.approx(day["tokens_in_context"] * 0.25 / 1e6, abs=1e-6)
    assert day["cost_full_history"] == pytest.approx(day["tokens_full_history"] * 0.25 / 1e6, abs=1e-6)
    assert [(one["messages"], one["contexts"]) for one in days(globex)] == [(0, 0)]


def test_what_was_used_stays_when_the_subject_is_erased(acme: Caller) -> None:
    say(acme, "I like tea 茶.")
    acme("POST", "/v1/subjects/ada/context", {"query": "tea?"})
    assert acme("DELETE", "/v1/subjects/ada").status_code == 200
    (day,) = days(acme)
    assert (day["messages"], day["contexts"]) == (1, 1)


def test_duplicates_are_not_counted_again(acme: Caller) -> None:
    body = {"messages": [{"role": "user", "content": "tea", "message_id": "m1"}]}
    assert [acme("POST", MESSAGES, body).status_code for _ in range(3)] == [202] * 3
    assert days(acme)[0]["messages"] == 1


def test_days_are_chosen_and_a_wrong_choice_is_named(acme: Caller) -> None:
    say(acme, "tea")
    today, yesterday = utc_now().date(), utc_now().date() - timedelta(days=1)
    assert days(acme, f"?from={yesterday}&to={yesterday}&group_by=day") == []
    assert len(days(acme, f"?from={today}&to={today}T23:00:00Z")) == 1
    assert days(acme, "?to=0001-01-01") == []
    for query, field in (
        (f"?from={today}&to={yesterday}", "from"),
        ("?from=yesterday", "from"),
        ("?to=2026-02-30", "to"),
        ("?group_by=month", "group_by"),
        ("?by=day", "by"),
    ):
        assert fields_of(problem_of(acme("GET", f"/v1/usage{query}"), 400)) == {field}


def test_messages_above_a_days_limit_are_refused_until_midnight(acme: Caller, globex: Caller, world: World) -> None:
    set_bound(world.acme, messages_per_day=3)
    assert say(acme, "one", "two", Idempotency_Key="k").status_code == 202
    answer = say(acme, "three", "四")
    problem = problem_of(answer, 429)
    assert problem["code"] == "quota_exceeded"
    assert problem["limit"]["name"] == "messages_per_day"
    assert (problem["limit"]["allowed"], problem["limit"]["remaining"]) == (3, 1)
    assert problem["limit"]["resets_at"].startswith(f"{utc_now().date() + timedelta(days=1)}T00:00:00")
    assert 0 < int(answer["Retry-After"]) <= 86_400
    assert (answer["X-RateLimit-Limit"], answer["X-RateLimit-Remaining"]) == ("3", "1")
    assert say(acme, "three").status_code == 202
    assert say(acme, "four").status_code == 429
    assert say(acme, "one", "two", Idempotency_Key="k")["Idempotent-Replayed"] == "true"
    assert say(globex, "free").status_code == 202
    assert days(acme)[0]["messages"] == 3


def test_who_says_it_again_at_the_limit_is_answered(acme: Caller, world: World) -> None:
    set_bound(world.acme, messages_per_day=2)
    said = [{"message_id": name, "role": "user", "content": f"I like tea 茶 {name}"} for name in ("m1", "m2")]
    later = {"message_id": "m3", "role": "user", "content": "and rain"}
    assert acme("POST", MESSAGES, {"messages": said[:1]}).status_code == 202
    assert acme("POST", MESSAGES, {"messages": said}).status_code == 202
    again = body_of(acme("POST", MESSAGES, {"messages": said}))
    assert [one["verdict"] for one in again["accepted"]] == ["duplicate", "duplicate"]
    assert acme("POST", MESSAGES, {"messages": [*said, later]}).status_code == 429
    assert acme("POST", MESSAGES.replace("c1", "c2"), {"messages": said}).status_code == 429
    assert days(acme)[0]["messages"] == 2


def test_a_refused_message_leaves_nothing(acme: Caller, world: World) -> None:
    set_bound(world.acme, messages_per_day=0)
    assert say(acme, "secret 秘密").status_code == 429
    assert world.acme.tenant.id not in find_tenants_with_due_work(10)
    assert acme("GET", MESSAGES).status_code == 404


def test_snapshots_above_the_limit_are_refused_until_some_are_deleted(acme: Caller, world: World) -> None:
    set_bound(world.acme, stored_snapshots=2)
    assert acme("POST", SNAPSHOTS, {"text": "likes tea"}).status_code == 201
    refused = acme("POST", f"{SNAPSHOTS}/bulk", {"items": [{"text": "one"}, {"text": "二"}]})
    problem = problem_of(refused, 429)
    assert problem["limit"] == {"name": "stored_snapshots", "allowed": 2, "remaining": 1, "resets_at": None}
    assert int(refused["Retry-After"]) > 0
    assert "X-RateLimit-Reset" not in refused
    assert acme("POST", SNAPSHOTS, {"text": "likes rain"}).status_code == 201
    task = body_of(acme("POST", TASKS, {"goal": "Book a hotel"}))["id"]
    assert acme("POST", f"{TASKS}/{task}/finish", {"outcome": "success"}).status_code == 429
    assert body_of(acme("GET", f"{TASKS}/{task}"))["status"] == "active"
    assert say(acme, "I like snow.").status_code == 429
    assert acme("POST", "/v1/subjects/ada/recall", {"query": "tea"}).status_code == 200
