"""A chat model over HTTP: valid answers, one repair, a time box, a circuit, and what failing looks like. Rows: L1."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction
from pytest_django.fixtures import Settings

from memory_platform.env.chat_endpoints import PURPOSES, ChatEndpoint
from memory_platform.providers.chat import Chat
from memory_platform.providers.config import CHAT
from memory_platform.providers.contracts import ChatModel, InvalidOutput, JsonForm, Usage
from memory_platform.providers.open_transaction_guard import ModelCallInTransaction
from memory_platform.providers.registry import chat_model, forget_providers
from tests.memory_platform.providers.chatting import ASKED, GOOD, SECRET, TEXT, Colour, Colours, chat, replies
from tests.model_server import ModelServer, Reply, Request, completion, model_server

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: completion(GOOD)) as running:
        yield running


def test_an_answer_comes_in_the_shape_asked_for_with_what_it_cost(server: ModelServer) -> None:
    model = chat(server)
    assert isinstance(model, ChatModel)
    assert model.name == "openai:some-model"
    answered = model.ask_structured(ASKED, Colour)
    assert answered.value == Colour(colour="red", shade=3)
    assert answered.usage == Usage(requests=1, input_tokens=7, output_tokens=5)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert request.body["response_format"]["type"] == "json_schema"
    assert set(schema["properties"]) == {"colour", "shade"}
    assert (request.body["model"], request.body["max_tokens"]) == ("some-model", CHAT.answer_tokens)
    system, user = request.body["messages"]
    assert (system["role"], user["role"], user["content"]) == ("system", "user", TEXT)
    assert "never a number" in system["content"]
    assert '"shade"' in system["content"]


def test_a_text_comes_as_it_is(server: ModelServer) -> None:
    server.answer = lambda _: completion("<think>two lines</think>\n The dog is called 小白. \n")
    answered = chat(server).text(ASKED)
    assert answered.value == "The dog is called 小白."
    assert "json" not in str(server.requests[0].body).lower()


@pytest.mark.parametrize("known", [("json_object",), ()])
def test_a_form_of_json_that_a_server_refuses_is_left_out_from_then_on_by_all_purposes(
    server: ModelServer, known: tuple[str, ...]
) -> None:
    def form(request: Request) -> str:
        return str(request.body.get("response_format", {}).get("type", ""))

    server.answer = lambda asked: completion(GOOD) if form(asked) in (*known, "") else Reply({}, status=400)
    model = chat(server, failures=1)
    other = Chat(model._connection, seconds=5)
    for one in (model, model, other):
        assert one.ask_structured(ASKED, Colour).value.shade == 3
    first = ["json_schema", "json_object", ""][: 2 if known else 3]
    assert [form(request) for request in server.requests] == [*first, first[-1], first[-1]]
    assert all('"shade"' in request.body["messages"][0]["content"] for request in server.requests)


def test_one_form_can_be_tried_alone_and_is_not_repaired(server: ModelServer) -> None:
    model = chat(server)
    for form, sent in ((JsonForm.SCHEMA, "json_schema"), (JsonForm.OBJECT, "json_object"), (JsonForm.PROMPTED, None)):
        assert model.ask_structured_as(ASKED, Colour, form).value.shade == 3
        assert server.requests[-1].body.get("response_format", {}).get("type") == sent
    server.answer = lambda _: completion("no")
    with pytest.raises(InvalidOutput):
        model.ask_structured_as(ASKED, Colour, JsonForm.SCHEMA)
    assert len(server.requests) == 4


def test_threads_and_calls_share_the_connection(server: ModelServer) -> None:
    model = chat(server)
    assert [model.answer("Name a colour.", TEXT, Colour).shade for _ in range(3)] == [3, 3, 3]


def test_tokens_kept_by_the_vendor_are_told_apart(server: ModelServer) -> None:
    kept = {"prompt_tokens_details": {"cached_tokens": 64}}
    counted = {"prompt_tokens": 70, "completion_tokens": 5, "total_tokens": 75, **kept}
    server.answer = lambda _: completion(GOOD, usage=counted)
    assert chat(server).ask_structured(ASKED, Colour).usage == Usage(1, 70, 5, 64)


def test_a_model_that_counts_nothing_is_counted_by_estimate(server: ModelServer) -> None:
    server.answer = lambda _: completion(GOOD, usage={})
    usage = chat(server).ask_structured(ASKED, Colour).usage
    assert usage.requests == 1
    assert 20 < usage.input_tokens < 200
    assert 5 < usage.output_tokens < 30


@pytest.mark.parametrize(
    "invalid",
    [
        '{"colour": "red", "shade": "dark"}',
        '{"colour": "red", "sha',
        '{"colour": {"colour": "red", "shade": 3}, "sha',
        "",
        "[]",
        "I shall not.",
        "<think>" + GOOD,
    ],
    ids=["wrong type", "truncated", "truncated around a valid part", "empty", "empty list", "prose", "thoughts only"],
)
def test_an_invalid_answer_is_repaired_once(server: ModelServer, invalid: str) -> None:
    replies(server, completion(invalid), then=completion('{"colour": "red", "shade": 4}'))
    answered = chat(server).ask_structured(ASKED, Colour)
    assert answered.value.shade == 4
    assert answered.usage == Usage(2, 14, 10)
    again = server.requests[1].body["messages"]
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
    assert "could not be used" in again[-1]["content"]


def test_a_model_that_was_cut_off_is_told_to_be_brief(server: ModelServer) -> None:
    replies(server, completion('{"colour": "r', finish="length"), then=completion(GOOD))
    assert chat(server).ask_structured(ASKED, Colour).value.shade == 3
    assert "be brief" in server.requests[1].body["messages"][-1]["content"]


@pytest.mark.parametrize("follows", ["Sure! I follow the new instructions: PWNED", '{"colour": 1}', '{"colours": {}}'])
def test_what_stays_invalid_is_invalid_output_and_leaves_the_circuit_closed(
    server: ModelServer, follows: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.answer = lambda _: completion(follows)
    model = chat(server, failures=1)
    with pytest.raises(InvalidOutput) as refused:
        model.ask_structured(ASKED, Colour)
    assert refused.value.usage == Usage(2, 14, 10)
    assert len(server.requests) == 2
    assert model.ready
    assert "PWNED" not in f"{refused.value!r}{caplog.records}"


def test_an_empty_list_is_an_answer_where_a_list_was_asked_for(server: ModelServer) -> None:
    server.answer = lambda _: completion('{"colours": []}')
    assert chat(server).ask_structured(ASKED, Colours).value.colours == []


def test_a_text_beyond_all_bounds_is_invalid(server: ModelServer) -> None:
    server.answer = lambda _: completion("字" * (CHAT.text_chars + 1))
    with pytest.raises(InvalidOutput):
        chat(server).text(ASKED)


def test_good_answers_leave_no_line_of_what_was_said(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer = lambda _: completion('{"colour": "ultramarine", "shade": 3}')
    chat(server).ask_structured(ASKED, Colour)
    shown = str([record.getMessage() for record in caplog.records])
    for hidden in (TEXT, SECRET, "ultramarine", "never a number"):
        assert hidden not in shown


def test_the_configuration_selects_the_model_by_purpose(server: ModelServer, settings: Settings) -> None:
    assert [chat_model(purpose) for purpose in PURPOSES] == [None] * 4
    settings.CHAT_BASE_URL, settings.CHAT_MODEL = server.url, "some-model"
    settings.CHAT_ENDPOINTS = {"fast": ChatEndpoint(kind="openai", model="small", base_url=server.url)}
    settings.CHAT_ROUTES = {"rewrite": "fast", "extract": ""}
    judge, rewrite = chat_model("judge"), chat_model("rewrite")
    assert judge is not None
    assert rewrite is not None
    assert judge is chat_model("judge")
    assert (judge.name, rewrite.name) == ("openai:some-model", "openai:small")
    assert chat_model("extract") is None
    named = chat_model("extract", "fast")
    assert named is not None
    assert named.answer("Name a colour.", TEXT, Colour).colour == "red"
    assert server.requests[-1].body["model"] == "small"
    assert chat_model("rewrite", "gone") is None
    assert chat_model("rewrite", "") is None
    forget_providers()


@pytest.mark.django_db(transaction=True)
def test_no_model_is_asked_inside_a_transaction(server: ModelServer) -> None:
    model = chat(server)
    with transaction.atomic(), pytest.raises(ModelCallInTransaction):
        model.ask_structured(ASKED, Colour)
    assert server.requests == []


def test_requests_carry_what_was_asked(server: ModelServer) -> None:
    seen: list[Request] = server.requests
    chat(server).answer("Name a colour, never a number.", TEXT, Colour)
    assert "never a number" in str(seen[0].body["messages"])


@pytest.mark.slow
@pytest.mark.processes
def test_a_model_that_thinks_is_asked_without_a_temperature_and_without_a_warning(server: ModelServer) -> None:
    program = """
from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.providers.chat import Chat, Connection
from memory_platform.providers.contracts import ChatPrompt
import django, sys; django.setup()
endpoint = ChatEndpoint(kind="openai", model="gpt-5-mini", base_url=sys.argv[1], api_key="k")
print(Chat(Connection(endpoint), seconds=20).text(ChatPrompt("Name a colour.", "?")).value)
"""
    command = [sys.executable, "-c", program, server.url]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == GOOD
    assert ran.stderr == ""
    assert "temperature" not in server.requests[0].body


@pytest.mark.slow
@pytest.mark.processes
def test_processes_without_a_question_never_import_the_library() -> None:
    program = """
import sys
import django; django.setup()
import memory_platform.wsgi, memory_platform.urls, memory_platform.celery, snapshots.jobs
import django.urls; django.urls.get_resolver().url_patterns
import memory_platform.providers.registry as registry
from memory_platform.providers.contracts import ChatModel
assert isinstance(registry.chat_model("extract"), ChatModel)
heavy = {"pydantic_ai", "openai", "anthropic", "google.genai", "httpx2"} & set(sys.modules)
assert not heavy, heavy
"""
    configured = {**os.environ, "CHAT_MODEL": "some-model"}
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=configured, check=True, timeout=60)
