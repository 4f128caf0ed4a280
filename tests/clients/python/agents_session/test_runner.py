"""The SDK's own runner, unmodified, with a model over HTTP: what it is sent, and what is remembered. Rows: D9."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from agents import RunConfig, Runner, SQLiteSession, function_tool
from agents.memory import SessionSettings

from memory_platform_client import Memory
from memory_platform_client.agents_session import MemoryPlatformSession
from tests.clients.python.agents_session.conftest import NUMBERS, answer_with_words, make_agent, respond, say
from tests.conftest import House
from tests.contracts.documents.blocks import read_blocks
from tests.model_server import ModelServer, Reply, Request, model_server
from tests.serving import working

pytestmark = pytest.mark.slow


@function_tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"rain in {city}"


def call_tool_first(request: Request) -> Reply:
    asked = [item for item in request.body["input"] if item.get("type") == "function_call_output"]
    if asked:
        return respond(say("Take an umbrella."))
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather", "status": "completed"}
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Which city?"}]}
    return respond(thought, {**call, "arguments": '{"city": "Zürich"}'})


def read_inputs(server: ModelServer) -> list[Any]:
    """Return the items of each call of the model."""
    return [request.body["input"] for request in server.requests]


def test_a_turn_with_a_tool_is_sent_as_the_sdks_own_session_sends_it(session: MemoryPlatformSession) -> None:
    async def talk(server: ModelServer, used: Any) -> list[Any]:
        agent = make_agent(server, tools=[weather])
        for words in ("I live in Zürich. Umbrella?", "And tomorrow?"):
            result = await Runner.run(agent, words, session=used)
            assert result.final_output == "Take an umbrella."
        await used.pop_item()
        inputs = read_inputs(server)
        return [inputs, await used.get_items()]

    outcomes = []
    for used in (session, SQLiteSession("talk")):
        with model_server(call_tool_first) as server:
            outcomes.append(asyncio.run(talk(server, used)))
    assert outcomes[0] == outcomes[1]
    assert len(outcomes[0][0][2]) == 6


@pytest.mark.parametrize("way", ["run", "run_sync", "run_streamed"])
def test_limits_and_callbacks_work(session: MemoryPlatformSession, way: str) -> None:
    def keep_users(history: list[Any], new: list[Any]) -> list[Any]:
        return [item for item in history if item.get("role") == "user"] + new

    async def go(server: ModelServer, **options: Any) -> None:
        agent = make_agent(server)
        if way == "run_sync":
            run_sync: Any = Runner.run_sync
            await asyncio.to_thread(run_sync, agent, "again", session=session, **options)
        else:
            await Runner.run(agent, "again", session=session, **options)

    with model_server(answer_with_words) as server:
        for _ in range(2):
            asyncio.run(go(server))
        asyncio.run(go(server, run_config=RunConfig(session_settings=SessionSettings(limit=1))))
        asyncio.run(go(server, run_config=RunConfig(session_input_callback=keep_users)))
        assert [len(sent) for sent in read_inputs(server)] == [1, 3, 2, 4]


def test_the_example_of_the_page_needs_one_line_changed(address: str, acme: House) -> None:
    """The example is that of docs/clients/openai-agents.md; with the SDK's own session it is its quickstart."""
    blocks = [block.text for block in read_blocks("docs/clients/openai-agents.md") if block.language == "python"]
    person = f"person-{next(NUMBERS)}"
    with model_server(answer_with_words) as server:
        given = {
            "OPENAI_API_KEY": "k",
            "OPENAI_BASE_URL": server.url,
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "MEMORY_PLATFORM_URL": address,
            "MEMORY_PLATFORM_KEY": acme.token,
            "PYTHONPATH": "clients/python",
        }
        ran = subprocess.run(
            [sys.executable, "-c", blocks[0].replace('"ada"', f'"{person}"')],
            env=given, capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
        assert (ran.stdout, ran.stderr) == ("I see 1 items.\nI see 3 items.\n", "")
    own = next(line for line in blocks[0].splitlines() if line.startswith("session = "))
    assert own.startswith('session = MemoryPlatformSession("conversation_123", ')
    memory = Memory(address, acme.token)
    with working(acme.tenant.id):
        memory.subject(person).wait()
    notes = [note.text for note in memory.subject(person).recall("What may I not eat?", lanes=["notes"]).notes]
    assert any("peanuts" in text for text in notes)
    memory.close()
