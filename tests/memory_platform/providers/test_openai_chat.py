"""A chat model over HTTP: valid answers, one repair, a time box, and what failing looks like. Rows: L1."""

import time
from collections.abc import Iterator

import pytest
from django.db import transaction
from pydantic import BaseModel
from pytest_django.fixtures import Settings

from memory_platform.providers.base import ModelCallInTransaction
from memory_platform.providers.contracts import ChatModel, ChatUnavailable
from memory_platform.providers.endpoint import Endpoint
from memory_platform.providers.openai_chat import OpenAIChat
from memory_platform.providers.policy import CircuitPolicy
from memory_platform.providers.registry import chat_model, forget
from tests.model_server import ModelServer, Reply, Request, completion, model_server

SECRET = "ck-never-shown"
TEXT = "我家的狗叫什么"


class Colour(BaseModel):
    """What the model is asked for."""

    colour: str
    shade: int


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: completion('{"colour": "red", "shade": 3}')) as running:
        yield running


def chat(server: ModelServer, *, seconds: float = 5.0, failures: int = 100) -> OpenAIChat:
    made = OpenAIChat(
        "some-model",
        Endpoint("chat", server.url, SECRET),
        seconds=seconds,
        circuit_policy=CircuitPolicy(failures=failures, pause_s=60),
    )
    made.prepare()
    return made


def test_an_answer_comes_in_the_shape_asked_for(server: ModelServer) -> None:
    model = chat(server)
    assert isinstance(model, ChatModel)
    assert model.answer("Name a colour.", TEXT, Colour) == Colour(colour="red", shade=3)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert request.body["model"] == "some-model"
    system, user = request.body["messages"][0], request.body["messages"][-1]
    assert (system["role"], user["role"], user["content"]) == ("system", "user", TEXT)


def test_threads_and_calls_share_the_connection(server: ModelServer) -> None:
    model = chat(server)
    assert [model.answer("Name a colour.", TEXT, Colour).shade for _ in range(3)] == [3, 3, 3]


def test_an_invalid_answer_is_repaired_once(server: ModelServer) -> None:
    replies = iter([completion('{"colour": "red", "shade": "dark"}')])
    server.answer = lambda _: next(replies, completion('{"colour": "red", "shade": 4}'))
    assert chat(server).answer("Name a colour.", TEXT, Colour).shade == 4
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "requests"),
    [
        (completion("no JSON at all"), 2),
        (completion('{"colour": 1}'), 2),
        (Reply({}, status=500), 2),
        (Reply({}, status=401), 1),
        (Reply({"error": {"message": TEXT}}, status=400), 1),
        (Reply(b"x" * 1_000_000), 1),
        (Reply({"choices": []}), 1),
        (Reply({}, status=302, headers={"Location": "/v1/other"}), 1),
    ],
)
def test_what_cannot_be_used_is_unavailable_and_says_nothing_of_it(
    server: ModelServer, reply: Reply, requests: int, capfd: pytest.CaptureFixture[str]
) -> None:
    server.answer = lambda _: reply
    with pytest.raises(ChatUnavailable) as refused:
        chat(server).answer("Name a colour.", TEXT, Colour)
    shown = f"{refused.value!r}{capfd.readouterr()}"
    assert TEXT not in shown
    assert SECRET not in shown
    assert len(server.requests) <= requests
    assert {request.path for request in server.requests} == {"/v1/chat/completions"}


@pytest.mark.parametrize(
    "reply", [Reply({}, hang_s=3), Reply(b" " * 300, drip=True, pause_s=0.05)], ids=["hangs", "drips"]
)
def test_a_silent_or_dripping_model_costs_the_time_promised(server: ModelServer, reply: Reply) -> None:
    server.answer = lambda _: reply
    model = chat(server, seconds=0.5)
    started = time.monotonic()
    with pytest.raises(ChatUnavailable):
        model.answer("Name a colour.", TEXT, Colour)
    assert time.monotonic() - started < 1.5


def test_a_model_that_keeps_failing_is_left_alone(server: ModelServer) -> None:
    server.answer = lambda _: Reply({}, status=401)
    model = chat(server, failures=2)
    for _ in range(4):
        with pytest.raises(ChatUnavailable):
            model.answer("Name a colour.", TEXT, Colour)
    assert len(server.requests) == 2
    assert not model.ready


def test_the_configuration_selects_the_model(server: ModelServer, settings: Settings) -> None:
    assert chat_model("rewrite") is None
    settings.CHAT_BASE_URL, settings.CHAT_MODEL = server.url, "some-model"
    found = chat_model("judge")
    assert found is not None
    assert found is chat_model("judge")
    assert found is not chat_model("rewrite")
    assert found.answer("Name a colour.", TEXT, Colour).colour == "red"
    forget()


@pytest.mark.django_db(transaction=True)
def test_no_model_is_asked_inside_a_transaction(server: ModelServer) -> None:
    model = chat(server)
    with transaction.atomic(), pytest.raises(ModelCallInTransaction):
        model.answer("Name a colour.", TEXT, Colour)
    assert server.requests == []


def test_requests_carry_what_was_asked(server: ModelServer) -> None:
    seen: list[Request] = server.requests
    chat(server).answer("Name a colour, never a number.", TEXT, Colour)
    assert "never a number" in str(seen[0].body["messages"])
