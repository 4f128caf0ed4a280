"""Chat models of other makers, in their own wire formats over HTTP, within the same bounds. Rows: L1.

The packages come with ``make chat``; without them the tests are skipped, and the last one runs.
"""

import importlib.util
import logging
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.providers.chat import Chat, Connection
from memory_platform.providers.contracts import ChatPrompt, ChatUnavailable, InvalidOutput, Usage
from tests.model_server import ModelServer, Reply, Request, model_server

SECRET = "key-never-shown"
TEXT = "我家的狗叫什么"
ASKED = ChatPrompt("Name a colour, never a number.", TEXT)
GOOD = 'Here: {"colour": "red"}'
CACHED = {"cache_read_input_tokens": 4, "cache_creation_input_tokens": 0}


def missing(*packages: str) -> list[str]:
    """Return those of ``packages`` that are not installed."""
    found = []
    for package in packages:
        try:
            found += [] if importlib.util.find_spec(package) else [package]
        except ModuleNotFoundError:
            found.append(package)
    return found


needs_google = pytest.mark.skipif(bool(missing("google.genai")), reason="google-genai is not installed: make chat")
needs_anthropic = pytest.mark.skipif(bool(missing("anthropic")), reason="anthropic is not installed: make chat")


class Colour(BaseModel):
    """What the model is asked for."""

    colour: str


def gemini(text: str) -> Reply:
    """Return ``text`` as Gemini does."""
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
    counted = {
        "promptTokenCount": 9,
        "candidatesTokenCount": 5,
        "totalTokenCount": 14,
        "cachedContentTokenCount": 4,
    }
    return Reply({"candidates": [candidate], "usageMetadata": counted, "modelVersion": "gemini-x", "responseId": "r1"})


def claude(text: str) -> Reply:
    """Return ``text`` as Claude does."""
    return Reply(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-x",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 5, "output_tokens": 5, **CACHED},
        }
    )


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda _: Reply({}, status=404)) as running:
        yield running


def chat(server: ModelServer, kind: str, model: str) -> Chat:
    address = server.url.removesuffix("/v1")
    endpoint = ChatEndpoint.model_validate({"kind": kind, "model": model, "base_url": address, "api_key": SECRET})
    return Chat(Connection(endpoint), seconds=10)


VENDORS = [
    pytest.param("google", "gemini-2.5-flash", marks=needs_google),
    pytest.param("google-vertex", "gemini-2.5-flash", marks=needs_google),
    pytest.param("anthropic", "claude-haiku-4-5", marks=needs_anthropic),
]


def vendor_reply(request: Request, text: str) -> Reply:
    return gemini(text) if "generateContent" in request.path else claude(text)


@pytest.mark.parametrize(("kind", "model"), VENDORS)
def test_a_question_travels_in_the_makers_form(server: ModelServer, kind: str, model: str) -> None:
    server.answer = lambda request: vendor_reply(request, GOOD)
    answered = chat(server, kind, model).ask_structured(ASKED, Colour)
    assert answered.value.colour == "red"
    assert answered.usage == Usage(requests=1, input_tokens=9, output_tokens=5, cached_tokens=4)
    (request,) = server.requests
    assert request.path == {
        "google": f"/v1beta/models/{model}:generateContent",
        "google-vertex": f"/v1beta1/publishers/google/models/{model}:generateContent",
        "anthropic": "/v1/messages",
    }.get(kind)
    assert SECRET in str(request.headers)
    assert TEXT in str(request.body)
    assert "never a number" in str(request.body.get("systemInstruction") or request.body.get("system"))


@pytest.mark.parametrize(("kind", "model"), VENDORS)
def test_a_text_and_a_repair_too(server: ModelServer, kind: str, model: str) -> None:
    server.answer = lambda request: vendor_reply(request, " 小白 ")
    asked = chat(server, kind, model)
    assert asked.text(ASKED).value == "小白"
    with pytest.raises(InvalidOutput) as invalid:
        asked.ask_structured(ASKED, Colour)
    assert invalid.value.usage == Usage(2, 18, 10, 8)
    assert "could not be used" in str(server.requests[-1].body)


@pytest.mark.parametrize(("kind", "model"), VENDORS)
@pytest.mark.parametrize(
    ("reply", "requests", "failure"),
    [
        (Reply({"error": {"message": TEXT}}, status=500), 2, "broken"),
        (Reply({"error": {"message": TEXT}}, status=429), 2, "overloaded"),
        (Reply({"error": {"message": TEXT}}, status=401), 1, "denied"),
        (Reply(b"x" * 1_000_000), 1, "too_large"),
        (Reply(b"[" + TEXT.encode()), 1, "wrong_answer"),
    ],
)
def test_failures_are_ours_and_silent(  # noqa: PLR0913, PLR0917 -- a table of two dimensions
    server: ModelServer,
    kind: str,
    model: str,
    reply: Reply,
    requests: int,
    failure: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer = lambda _: reply
    with pytest.raises(ChatUnavailable) as refused:
        chat(server, kind, model).ask_structured(ASKED, Colour)
    assert refused.value.failure == failure
    assert len(server.requests) == requests
    shown = f"{refused.value!r}{[record.getMessage() for record in caplog.records]}"
    for hidden in (TEXT, SECRET, "never a number", "127.0.0.1"):
        assert hidden not in shown


@needs_google
def test_a_project_without_credentials_is_denied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nonexistent")
    endpoint = ChatEndpoint(kind="google-vertex", model="gemini-2.5-flash", project="p", region="europe-west1")
    with pytest.raises(ChatUnavailable) as refused:
        Chat(Connection(endpoint), seconds=5).ask_structured(ASKED, Colour)
    assert refused.value.failure == "denied"
    assert refused.value.usage == Usage()


@pytest.mark.skipif(not missing("anthropic", "google.genai"), reason="both packages are installed")
def test_a_package_that_is_missing_is_named(server: ModelServer) -> None:
    kind, model = ("anthropic", "claude-haiku-4-5") if missing("anthropic") else ("google", "gemini-2.5-flash")
    with pytest.raises(ChatUnavailable, match="make chat") as refused:
        chat(server, kind, model).text(ASKED)
    assert refused.value.failure == "not_installed"
