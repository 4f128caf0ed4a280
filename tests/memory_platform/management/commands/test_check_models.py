"""``manage.py check_models`` says what each endpoint takes, or what to do about it. Rows: L1."""

import json
import time
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django.fixtures import Settings

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.management.commands.check_models import ADVICE
from memory_platform.providers.endpoints.endpoint import Failure
from memory_platform.providers.registry import forget_providers
from snapshots.understanding.proposing.model_tryout import SAMPLE
from tests.model_server import ModelServer, Reply, Request, completion, model_server

SECRET = "ck-never-shown"
CHOIR = "Tuesdays are choir, has been that way for ages"


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    with model_server(lambda _: completion('{"sum": 5}')) as running:
        settings.CHAT_BASE_URL, settings.CHAT_MODEL, settings.CHAT_API_KEY = running.url, "large", SECRET
        settings.CHAT_ENDPOINTS = {"fast": ChatEndpoint(kind="openai", model="small", base_url=running.url)}
        settings.CHAT_ROUTES = {"rewrite": "fast", "judge": ""}
        yield running
    forget_providers()


def check_models(*names: str, quick: bool = True) -> tuple[str, str]:
    """Return what was printed, and what the command failed with."""
    out = StringIO()
    try:
        call_command("check_models", *names, quick=quick, stdout=out)
    except CommandError as failed:
        return out.getvalue(), str(failed)
    return out.getvalue(), ""


def test_without_a_model_nothing_is_wrong() -> None:
    out, failed = check_models()
    assert "taught readers do all the work" in out
    assert failed == ""


def test_each_endpoint_is_asked_once_each_time(server: ModelServer) -> None:
    for _ in range(2):
        out, failed = check_models()
        assert failed == ""
        assert "default (openai:large; summarise, extract)\n  answers in " in out
        assert "fast (openai:small; rewrite)\n  answers in " in out
        assert "7 tokens read, 5 written, 0 kept by the maker\n" in out
        assert SECRET not in out
    assert [request.body["model"] for request in server.requests] == ["large", "small"] * 2


def test_one_endpoint_may_be_named(server: ModelServer) -> None:
    assert check_models("fast")[1] == ""
    assert [request.body["model"] for request in server.requests] == ["small"]
    assert check_models("slow")[1] == "No endpoint is called slow; allowed: default, fast."


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply({}, status=401), "denied: The key, the project or the model's name"),
        (Reply({}, status=404), "denied: The key, the project or the model's name"),
        (Reply({}, status=429), "overloaded: "),
        (Reply({"choices": []}), "wrong_answer: "),
        (completion("five"), "invalid_output: "),
    ],
)
def test_what_is_wrong_is_told_with_what_to_do(server: ModelServer, reply: Reply, told: str) -> None:
    server.answer = lambda request: reply if request.body["model"] == "small" else completion('{"sum": 5}')
    out, failed = check_models()
    assert told in out
    assert "default (openai:large; summarise, extract)\n  answers in " in out
    assert failed == "1 of 2 endpoints do not work: fast."


def test_weak_answers_are_told(server: ModelServer) -> None:
    replies = iter([completion("five")])
    server.answer = lambda _: next(replies, completion('{"sum": 6}'))
    out, failed = check_models("fast")
    assert "its first answer was no valid JSON" in out
    assert "its sum is wrong" in out
    assert failed == ""


def test_each_failure_has_its_advice() -> None:
    """Vectors have dimensions, answers none; one question opens no circuit, and changes nothing that could be gone."""
    assert {*Failure} - {*ADVICE} == {Failure.WRONG_DIMENSION, Failure.CIRCUIT_OPEN, Failure.GONE}


def test_what_a_model_proposes_of_the_sample_is_told_with_what_the_gate_refuses(server: ModelServer) -> None:
    def answer(request: Request) -> Reply:
        if "sum" in str(request.body["messages"][0]["content"]):
            return completion('{"sum": 5}')
        if "response_format" not in request.body:
            return completion("I'd rather talk about the weather.")
        notes = [{"message": 1, "quote": quote} for quote in ("I own a yacht", CHOIR)]
        slots = [{"message": 1, "key": "city", "value": "Porto"}]
        return completion(json.dumps({"notes": notes, "slots": slots}))

    server.answer = answer
    out, failed = check_models("fast", quick=False)
    assert failed == ""
    assert "JSON held to a schema: valid for 8 of 8 messages, too late for 0; " in out
    assert "7 + 5 tokens each; 24 proposals, 22 refused: evidence_missing 22\n" in out
    assert "JSON as instructed: valid for 0 of 8 messages, too late for 0; " in out
    assert out.endswith("  It can propose memories, held to a schema: the purpose extract may be sent to it.\n")
    assert len(server.requests) == 1 + 2 * len(SAMPLE)


def test_an_endpoint_that_refuses_a_form_is_asked_no_further_in_it(server: ModelServer) -> None:
    server.answer = lambda asked: (
        Reply({}, status=400)
        if asked.body.get("response_format", {}).get("type") == "json_schema"
        else completion('{"sum": 5, "notes": [], "slots": []}')
    )
    out, failed = check_models("fast", quick=False)
    assert failed == ""
    assert "JSON held to a schema: valid for 0 of 1 messages, too late for 0; then refused; " in out
    assert "JSON as instructed: valid for 8 of 8 messages, too late for 0; " in out
    assert out.endswith("as instructed, not held to a schema: the purpose extract may be sent to it.\n")


def test_a_few_messages_are_asked_about_with_pauses_and_a_useless_model_is_named(server: ModelServer) -> None:
    server.answer = lambda asked: completion('{"sum": 5}' if "sum" in str(asked.body["messages"][0]) else "Hello!")
    out = StringIO()
    began = time.perf_counter()
    call_command("check_models", "fast", messages=2, pause=0.2, stdout=out)
    assert time.perf_counter() - began >= 4 * 0.2
    assert len(server.requests) == 1 + 2 * 2
    assert "valid for 0 of 2 messages" in out.getvalue()
    assert "It cannot propose memories: most answers are of no use." in out.getvalue()


@pytest.mark.parametrize("wrong", [{"messages": 0}, {"messages": 9}, {"pause": -1}, {"pause": 61}])
def test_a_pace_that_is_none_is_refused_and_nobody_asked(server: ModelServer, wrong: dict[str, float]) -> None:
    with pytest.raises(CommandError, match="must be between"):
        call_command("check_models", "fast", stdout=StringIO(), **wrong)
    assert server.requests == []
