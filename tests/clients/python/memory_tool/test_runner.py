"""The SDK's own tool runner, unmodified, with a model over HTTP that calls the tool. Rows: D9."""

import asyncio
import json
from typing import Any

import anthropic
import pytest

from memory_platform_client.memory_tool import AsyncMemoryPlatformTool, MemoryPlatformTool
from tests.clients.python.memory_tool.conftest import NUMBERS
from tests.clients.python.memory_tool.model import list_results, make_model
from tests.conftest import House
from tests.contracts.documents.blocks import read_blocks
from tests.model_server import ModelServer, model_server

pytestmark = pytest.mark.slow

CALLS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories"},
    {"command": "create", "path": "/memories/plan.md", "file_text": "茶 at four"},
    {"command": "create", "path": "/memories/plan.md", "file_text": "again"},
    {"command": "view", "path": "/memories/plan.md"},
]


answer_as_model = make_model(CALLS)


def read_results(server: ModelServer) -> list[tuple[str, bool]]:
    """Return what the model was told of each call."""
    results = {part["tool_use_id"]: part for request in server.requests for part in list_results(request)}
    return [(json.dumps(one["content"], ensure_ascii=False), bool(one.get("is_error"))) for one in results.values()]


def check_results(server: ModelServer) -> None:
    results = read_results(server)
    assert server.requests[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert [is_error for _, is_error in results] == [False, False, True, False]
    assert "/memories/notes.md" in results[0][0]
    assert "File created successfully at: /memories/plan.md" in results[1][0]
    assert "File /memories/plan.md already exists" in results[2][0]
    assert "茶 at four" in results[3][0]


ASKED: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Plan my tea."}],
}


def test_the_runner_works_unmodified(address: str, acme: House) -> None:
    with model_server(answer_as_model) as server:
        tool = MemoryPlatformTool(address, acme.token, f"person-{next(NUMBERS)}")
        client = anthropic.Anthropic(api_key="k", base_url=server.url.removesuffix("/v1"))
        final = client.beta.messages.tool_runner(tools=[tool], **ASKED).until_done()
        assert final.stop_reason == "end_turn"
        check_results(server)


def test_the_example_of_the_page_works(
    address: str, acme: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example is that of docs/clients/memory-tool.md."""
    (text,) = [block.text for block in read_blocks("docs/clients/memory-tool.md") if block.language == "python"]
    with model_server(answer_as_model) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
        monkeypatch.setenv("MEMORY_PLATFORM_URL", address)
        monkeypatch.setenv("MEMORY_PLATFORM_KEY", acme.token)
        exec(compile(text, "docs/clients/memory-tool.md", "exec"), {})  # noqa: S102 - a page of ours
        assert "茶 at four" in read_results(server)[3][0]
    assert "done" in capsys.readouterr().out


def test_the_awaiting_runner_works_unmodified(address: str, acme: House) -> None:
    async def talk(server: ModelServer) -> None:
        tool = AsyncMemoryPlatformTool(address, acme.token, f"person-{next(NUMBERS)}")
        client = anthropic.AsyncAnthropic(api_key="k", base_url=server.url.removesuffix("/v1"))
        await client.beta.messages.tool_runner(tools=[tool], **ASKED).until_done()

    with model_server(answer_as_model) as server:
        asyncio.run(talk(server))
        check_results(server)
