"""Sessions of OpenAI's Agents SDK at the platform over HTTP, beside the SDK's own, and a model for its runner."""

from itertools import count
from typing import Any

import pytest
from agents import Agent, OpenAIResponsesModel, set_tracing_disabled
from openai import AsyncOpenAI

from memory_platform_client.agents_session import MemoryPlatformSession
from tests.conftest import House
from tests.model_server import ModelServer, Reply, Request

NUMBERS = count(1)


@pytest.fixture(autouse=True, scope="session")
def _turn_tracing_off() -> None:
    """The SDK would send what agents do to its maker."""
    set_tracing_disabled(True)


@pytest.fixture
def session(address: str, acme: House) -> MemoryPlatformSession:
    """A session of a person whom nobody knows yet."""
    return MemoryPlatformSession("talk", address, acme.token, f"person-{next(NUMBERS)}")


def say(text: str) -> dict[str, Any]:
    """Return an item of the model's output."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}


def respond(*output: dict[str, Any]) -> Reply:
    """Return an answer of the Responses API."""
    return Reply(
        {
            "id": "resp_1",
            "object": "response",
            "created_at": 1,
            "status": "completed",
            "model": "some-model",
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
        }
    )


def answer_with_words(request: Request) -> Reply:
    """Tell how many items the model was sent."""
    return respond(say(f"I see {len(request.body['input'])} items."))


def make_agent(server: ModelServer, **options: Any) -> Agent[Any]:
    client = AsyncOpenAI(base_url=server.url, api_key="k")
    return Agent(name="cook", model=OpenAIResponsesModel("some-model", client), **options)
