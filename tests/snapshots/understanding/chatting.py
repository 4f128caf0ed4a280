"""A chat model over real HTTP for the tests of this room: it answers as well or as badly as a test wants."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_django.fixtures import Settings

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.providers.registry import forget_providers
from tests.model_server import ModelServer, Reply, completion, model_server

BIG = 1_000_000
BAD_ANSWERS: dict[str, Reply] = {
    "rate limit": Reply({}, status=429),
    "broken": Reply({}, status=500),
    "truncated": completion('{"items": [{"message": 1, "quote": "I lo', finish="length"),
    "no JSON": completion("I would rather not say. {smile}"),
    "wrong types": completion('{"items": {"message": "one"}}'),
    "thought only": completion("<think>hm, what could this be"),
    "a megabyte": completion("x" * BIG),
    "not HTTP's JSON": Reply(b"<html>gateway</html>"),
}
"""What model endpoints send on bad days (reliability, row 37)."""


@contextmanager
def chat_server(settings: Settings, purpose: str) -> Iterator[ModelServer]:
    """Serve a chat model that the platform is configured with for ``purpose`` alone."""
    forget_providers()
    with model_server(lambda _: completion("")) as running:
        settings.CHAT_ENDPOINTS = {"some": ChatEndpoint(kind="openai", model="some-model", base_url=running.url)}
        settings.CHAT_ROUTES = {purpose: "some"}
        yield running
    forget_providers()


def says(server: ModelServer, answer: Any, *, around: str = "{}") -> None:
    """Have the model say ``answer`` (JSON unless it is a string), with words around it."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    server.answer = lambda _: completion(around.replace("{}", text, 1))


def asked_of(server: ModelServer) -> str:
    """Return all that the model was sent last."""
    return "\n".join(part["content"] for part in server.requests[-1].body["messages"])
