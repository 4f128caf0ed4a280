"""Asks over HTTP: what comes next, and what an answer writes. Rows: A2, P7, T1."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from profiles.models import Ask
from snapshots.context.turn.intent import detect_intent
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.memory_platform.api.wall import rows_of

ADA = "/v1/subjects/ada"
NEXT = f"{ADA}/asks/next"
KNOWN = {"name": "Ada", "locale": "en"}


def ask(caller: Caller, conversation: str = "c1", **moment: str) -> dict[str, Any]:
    response = caller("POST", NEXT, {"conversation_id": conversation, **moment})
    assert response.status_code == 200, response.content
    return body_of(response)


def answer(caller: Caller, ask_id: str, **given: Any) -> dict[str, Any]:
    response = caller("POST", f"{ADA}/asks/{ask_id}/answer", given)
    assert response.status_code == 200, response.content
    return body_of(response)


def ask_for(caller: Caller, key: str, conversation: str = "c1") -> str:
    """Ask until the question is for ``key``, two in each conversation; return its id."""
    for number in range(20):
        asked = ask(caller, f"{conversation}-{number // 2}")["ask"]
        if asked["key"] == key:
            return str(asked["id"])
    raise AssertionError(key)


def say(caller: Caller, *contents: str) -> None:
    messages = [{"role": "user", "content": content} for content in contents]
    assert caller("POST", f"{ADA}/conversations/c1/messages", {"messages": messages}).status_code == 202


def test_a_new_subject_is_asked_for_what_matters_most(acme: Caller) -> None:
    first = ask(acme)
    assert (first["reason"], first["ask"]["key"], first["ask"]["priority"]) == ("missing", "name", "high")
    assert first["ask"]["question"] == "What should I call you?"
    assert ask(acme)["ask"]["key"] == "home"
    assert ask(acme) == {"ask": None, "reason": "enough_in_conversation"}
    response = acme("POST", "/v1/subjects/new/asks/next", {"conversation_id": "c1"})
    assert body_of(response)["ask"]["key"] == "name"


def test_four_calls_at_once_give_two_asks(acme: Caller, world: World) -> None:
    def once(_: int) -> str:
        try:
            return str(ask(acme)["reason"])
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as crew:
        reasons = sorted(crew.map(once, range(4)))
    assert reasons == ["enough_in_conversation"] * 2 + ["missing"] * 2
    with tenant_tx(world.acme.tenant.id):
        assert sorted(Ask.objects.values_list("key", flat=True)) == ["home", "name"]


@pytest.mark.parametrize(
    ("key", "value", "path", "shown"),
    [
        ("name", "Ada Lovelace", "profile", {"name": "Ada Lovelace"}),
        ("occupation", "软件工程师", "profile", {"occupation": "软件工程师"}),
        ("interests", ["chess", "围棋"], "profile", {"interests": ["chess", "围棋"]}),
        ("food", "拉面", "preferences/food/likes", {"value": ["拉面"], "provenance": "confirmed_by_user"}),
        ("music", ["jazz"], "preferences/music/likes", {"value": ["jazz"], "confidence": 1.0}),
        ("home", "12 Willow Lane", "tags/lookup?q=home", {"label": "home", "address": "12 Willow Lane"}),
        ("work", {"address": "世纪大道1号", "lat": 31.2, "lon": 121.5}, "tags/lookup?q=work", {"lat": 31.2}),
        ("emergency_contact", "mum +44 20 7946 0000", "tags/lookup?q=mum", {"phone": "+44 20 7946 0000"}),
    ],
)
def test_an_answer_is_written_by_the_ordinary_verbs(
    acme: Caller, key: str, value: Any, path: str, shown: dict[str, Any]
) -> None:
    written = answer(acme, ask_for(acme, key), accepted=True, value=value)
    assert (written["accepted"], written["verdict"], written["ask"]["key"]) == (True, "stored", key)
    found = body_of(acme("GET", f"{ADA}/{path}"))
    held = found["data"][0]["tag"] if "data" in found else found
    assert {name: held[name] for name in shown} == shown
    missing = body_of(acme("GET", f"{ADA}/profile/completeness"))["missing"]
    assert key not in {one["key"] for one in missing}


@pytest.mark.parametrize(
    "said",
    [
        "Parcel was chucked over the fence into a puddle, everything inside is soaked",
        "衣服洗一次就掉色，把我白T恤全染了，要求赔偿",
    ],
)
def test_a_complaint_is_heard_by_its_sense_where_words_do_not_tell(acme: Caller, said: str, settings: Any) -> None:
    settings.EMBEDDER = "wordllama,use"
    assert detect_intent(said) != "complaint"
    say(acme, said)
    assert ask(acme) == {"ask": None, "reason": "not_now"}


def test_a_refusal_ends_the_asking_in_its_conversation(acme: Caller) -> None:
    first = ask(acme)["ask"]
    assert answer(acme, first["id"], accepted=False)["verdict"] is None
    assert ask(acme) == {"ask": None, "reason": "refused_in_conversation"}
    assert ask(acme, "c2")["ask"]["key"] == "home"
    problem = problem_of(acme("POST", f"{ADA}/asks/{first['id']}/answer", {"accepted": True}), 409)
    assert problem["code"] == "ask_answered"


def test_answers_are_checked(acme: Caller) -> None:
    name, home = ask(acme)["ask"]["id"], ask(acme)["ask"]["id"]
    at = f"{ADA}/asks/{home}/answer"
    assert fields_of(problem_of(acme("POST", at, {"accepted": False, "value": "x"}), 400)) == {"value"}
    assert fields_of(problem_of(acme("POST", at, {"value": "x"}), 400)) == {"accepted"}
    unclear = problem_of(acme("POST", at, {"accepted": True, "value": 7}), 422)
    assert (unclear["code"], fields_of(unclear)) == ("value_unclear", {"value"})
    secret = problem_of(acme("POST", at, {"accepted": True, "value": "4111 1111 1111 1111"}), 422)
    assert secret["code"] == "sensitive"
    assert answer(acme, home, accepted=True, value="人民路")["verdict"] == "stored"
    assert answer(acme, name, accepted=True)["verdict"] is None
    problem_of(acme("POST", f"{ADA}/asks/019aa9a4-7d2e-7c1b-9f60-3b1f6a3c2d10/answer", {"accepted": True}), 404)


def test_nobody_is_asked_in_the_middle_of_a_complaint_or_a_deep_talk(acme: Caller) -> None:
    for moment in ({"phase": "in_depth"}, {"phase": "after_sales"}, {"intent": "complaint"}):
        assert ask(acme, **moment) == {"ask": None, "reason": "not_now"}
    say(acme, "This is terrible, you sent me to the wrong address again!")
    assert ask(acme)["reason"] == "not_now"
    say(acme, "你们的服务太差了,我要投诉")
    assert ask(acme)["reason"] == "not_now"
    assert ask(acme, phase="opening")["reason"] == "missing"


def test_the_user_s_last_words_tell_the_language(acme: Caller) -> None:
    say(acme, "你好")
    assert ask(acme)["ask"]["question"] == "我该怎么称呼您?"
    assert ask(acme, "c2")["ask"]["question"] == "您家在哪里?"
    acme("PATCH", f"{ADA}/profile", {"locale": "en-GB"})
    assert ask(acme, "c3")["ask"]["question"] == "Where do you work?"


def test_a_repeated_key_is_one_ask(acme: Caller) -> None:
    first, second = (acme("POST", NEXT, {"conversation_id": "c1"}, Idempotency_Key="k") for _ in "12")
    assert body_of(first) == body_of(second)
    assert second["Idempotent-Replayed"] == "true"


def test_a_deleted_conversation_takes_its_asks_along(acme: Caller, world: World) -> None:
    say(acme, "hello")
    ask(acme)
    ask(acme, "c2")
    assert acme("DELETE", f"{ADA}/conversations/c1").status_code == 204
    with tenant_tx(world.acme.tenant.id):
        assert list(Ask.objects.values_list("conversation", flat=True)) == ["c2"]


def test_another_tenant_neither_sees_nor_answers_them(acme: Caller, globex: Caller, world: World) -> None:
    mine = ask(acme)["ask"]["id"]
    before = rows_of(world.acme.tenant.id)
    assert body_of(globex("POST", NEXT, {"conversation_id": "c1"}))["ask"]["key"] == "name"
    problem_of(globex("POST", f"{ADA}/asks/{mine}/answer", {"accepted": False}), 404)
    assert rows_of(world.acme.tenant.id) == before
