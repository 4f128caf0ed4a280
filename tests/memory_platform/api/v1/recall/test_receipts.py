"""``/v1/receipts``: follow an answer back to what it was made from. Rows: G1, D1."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.held import know, prefer, remember, say

PEANUTS = "I am allergic to peanuts"


def assemble(caller: Caller, query: str = "peanuts", subject: str = "ada", **more: Any) -> dict[str, Any]:
    response = caller("POST", f"/v1/subjects/{subject}/context", {"query": query, **more})
    assert response.status_code == 200, response.content
    return body_of(response)


def list_receipts(caller: Caller, query: str = "") -> dict[str, Any]:
    response = caller("GET", f"/v1/receipts{query}")
    assert response.status_code == 200, response.content
    return body_of(response)


def ids(page: dict[str, Any]) -> list[str]:
    return [receipt["receipt_id"] for receipt in page["data"]]


def count(house: House) -> int:
    with tenant_tx(house.tenant.id):
        return Receipt.objects.count()


def test_a_receipt_explains_each_candidate_in_order_of_position(acme: Caller, world: World) -> None:
    said = say(world.acme, "Peanuts make me ill", conversation="now")
    remember(world.acme, "Peanuts make me ill", messages=said)
    held, *_ = remember(world.acme, PEANUTS, *(f"peanuts story {n}: {'so it went on and on ' * 20}" for n in range(30)))
    know(world.acme, name="Ada")
    prefer(world.acme, "food", "diet", "vegetarian")
    context = assemble(acme, conversation_id="now", budget={"memory": 1_000})
    receipt = body_of(acme("GET", f"/v1/receipts/{context['receipt_id']}"))

    assert (receipt["query"], receipt["messages"]) == ("peanuts", context["messages"])
    assert (receipt["subject_id"], receipt["conversation_id"]) == ("ada", "now")
    assert (receipt["tokens"], receipt["sections"]) == (context["tokens"], context["sections"])
    assert receipt["prefix_hash"] == context["cache"]["prefix_hash"]
    candidates = receipt["candidates"]
    assert len(candidates) == 34
    positions = [one["context_position"] for one in candidates]
    kept = [at for at in positions if at is not None]
    assert kept == list(range(1, len(kept) + 1))
    assert positions == kept + [None] * (len(positions) - len(kept))
    reasons = {one["memory_id"]: one["decision_reason"] for one in candidates}
    assert reasons[str(held)] == "kept"
    assert {"kept", "over_budget", "duplicate_of_window"} == set(reasons.values())
    snapshot = next(one for one in candidates if one["memory_id"] == str(held))
    assert snapshot.keys() == {
        "memory_id",
        "lane",
        "kind",
        "candidate_score",
        "decision_reason",
        "policy_version",
        "guardrail_hit",
        "context_position",
        "tokens",
        "explain",
        "utilized",
        "user_feedback_signal",
        "relevance",
        "threshold",
        "standing",
        "passage",
        "words",
    }
    assert (snapshot["threshold"], snapshot["standing"]) == (0, "")  # the call sized memory: all of it is wanted
    assert snapshot["relevance"] > 0
    assert {one["standing"] for one in candidates if one["lane"] != "snapshots"} == {"lasting"}
    assert snapshot["explain"]["factors"]["provenance"] == 0.6
    assert (snapshot["policy_version"], snapshot["utilized"], snapshot["user_feedback_signal"]) == ("1", None, None)
    facts = [one for one in candidates if one["lane"] in {"profile", "preferences"}]
    assert all(UUID(one["memory_id"]) and one["context_position"] for one in facts)


def test_what_recall_left_out_is_told_with_its_reason(acme: Caller, world: World) -> None:
    told_twice = set(map(str, remember(world.acme, PEANUTS, PEANUTS)))
    (over,) = remember(world.acme, "peanuts were served long ago", expires_at=utc_now() - timedelta(minutes=1))
    receipt = body_of(acme("GET", f"/v1/receipts/{assemble(acme, min_relevance=0)['receipt_id']}"))
    first, *others = receipt["candidates"]
    (again,) = told_twice - {first["memory_id"]}
    assert (first["decision_reason"], receipt["abstained"]) == ("kept", None)
    assert {one["memory_id"]: one["decision_reason"] for one in others} == {
        again: "duplicate_of_memory",
        str(over): "expired",
    }
    assert all((one["context_position"], one["explain"], one["kind"]) == (None, None, "statement") for one in others)


def test_what_is_not_relevant_enough_is_told_with_its_relevance(acme: Caller, world: World) -> None:
    held = set(map(str, remember(world.acme, PEANUTS, "The lighthouse was painted white")))
    context = assemble(acme, "May I eat peanuts?", min_relevance=0.95)
    assert context["abstained"] == {"reason": "nothing_relevant"}
    receipt = body_of(acme("GET", f"/v1/receipts/{context['receipt_id']}"))
    assert receipt["abstained"] == context["abstained"]
    left_out = receipt["candidates"]
    assert {one["memory_id"]: one["decision_reason"] for one in left_out} == dict.fromkeys(held, "below_floor")
    assert all(0 <= one["relevance"] < one["threshold"] == 0.95 for one in left_out)


def test_what_a_strict_question_does_not_name_is_told(acme: Caller, world: World, settings: Any) -> None:
    settings.EMBEDDER = "wordllama,use"
    (held,) = remember(world.acme, PEANUTS, topics=("peanuts",))
    (far,) = remember(world.acme, "The lighthouse was painted white")
    asked = "May I eat peanuts?"
    receipts = [assemble(acme, asked, strict=strict)["receipt_id"] for strict in (False, True)]
    loose, strict = (body_of(acme("GET", f"/v1/receipts/{one}"))["candidates"] for one in receipts)
    assert {one["memory_id"]: one["decision_reason"] for one in loose} == {str(held): "kept", str(far): "kept"}
    assert {one["memory_id"]: one["decision_reason"] for one in strict} == {str(held): "kept", str(far): "below_floor"}
    (left_out,) = [one for one in strict if one["memory_id"] == str(far)]
    assert (left_out["tokens"], left_out["context_position"], left_out["relevance"]) == (0, None, None)


def test_receipts_are_listed_by_subject_memory_and_time(acme: Caller, world: World) -> None:
    (memory,) = remember(world.acme, PEANUTS)
    first = assemble(acme)["receipt_id"]
    acme("PUT", "/v1/subjects/小林", {})
    second = assemble(acme, "爬山", subject="小林")["receipt_id"]
    page = list_receipts(acme)
    assert (ids(page), page["next_cursor"]) == ([first, second], None)
    assert page["data"][1]["subject_id"] == "小林"
    assert "candidates" not in page["data"][0]
    assert ids(list_receipts(acme, "?subject_id=ada")) == [first]
    assert ids(list_receipts(acme, f"?memory_id={memory}")) == [first]
    assert ids(list_receipts(acme, "?memory_id=not-one-of-ours")) == []
    assert ids(list_receipts(acme, "?subject_id=nobody")) == []
    made = page["data"][0]["created_at"]
    assert ids(list_receipts(acme, f"?from={made}&to={made}")) == [first]
    assert ids(list_receipts(acme, "?to=2020-01-01T00:00:00Z")) == []


def test_pages_follow_one_another(acme: Caller, world: World) -> None:
    made = [assemble(acme)["receipt_id"] for _ in range(3)]
    page = list_receipts(acme, "?limit=2")
    assert ids(page) == made[:2]
    rest = list_receipts(acme, f"?limit=2&cursor={page['next_cursor']}")
    assert (ids(rest), rest["next_cursor"]) == (made[2:], None)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("cursor=abc", "cursor"),
        ("from=today", "from"),
        ("subject_id=a%2Fb", "subject_id"),
        ("memory_id=", "memory_id"),
        ("subject_id=", "subject_id"),
        ("colour=red", "colour"),
    ],
)
def test_a_malformed_list_names_its_field(acme: Caller, query: str, field: str) -> None:
    assert fields_of(problem_of(acme("GET", f"/v1/receipts?{query}"), 400)) == {field}


def test_another_tenants_receipt_is_one_that_nobody_has(acme: Caller, globex: Caller, world: World) -> None:
    (memory,) = remember(world.acme, PEANUTS)
    receipt_id = assemble(acme)["receipt_id"]
    answers = []
    for wanted in (receipt_id, str(new_id()), "no-id-of-ours"):
        problem = problem_of(globex("GET", f"/v1/receipts/{wanted}"), 404)
        problem.pop("request_id")
        answers.append(problem)
    assert answers[0] == answers[1] == answers[2]
    for query in ("", "?subject_id=ada", f"?memory_id={memory}"):
        assert list_receipts(globex, query) == {"data": [], "next_cursor": None}
    assert count(world.acme) == 1
    assert acme("GET", f"/v1/receipts/{receipt_id}").status_code == 200


def test_once_purged_the_words_are_gone_and_the_reasons_stay(acme: Caller, world: World) -> None:
    remember(world.acme, PEANUTS)
    receipt_id = assemble(acme)["receipt_id"]
    with tenant_tx(world.acme.tenant.id):
        Receipt.objects.filter(id=receipt_id).update(rendered=None)
    receipt = body_of(acme("GET", f"/v1/receipts/{receipt_id}"))
    assert (receipt["query"], receipt["messages"], receipt["text"]) == (None, None, None)
    assert receipt["candidates"][0]["decision_reason"] == "kept"
