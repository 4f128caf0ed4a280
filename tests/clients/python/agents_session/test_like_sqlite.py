"""What the SDK's own ``SQLiteSession`` does, the platform's session does, too; and items come back as they were.

The cases follow the behaviours of the SDK's suite, but for those about files, locks and connections of SQLite. A
negative limit gives no items, as the SDK's sessions at servers do. Rows: D9.
"""

import asyncio
import json
import random
from typing import Any, cast

import pytest
from agents import SQLiteSession, TResponseInputItem
from agents.memory import Session, SessionSettings

from memory_platform_client import errors
from memory_platform_client.agents_session import MemoryPlatformSession, cut_batches
from tests.clients.python.agents_session.conftest import NUMBERS, say
from tests.conftest import House

pytestmark = pytest.mark.slow

IMAGE = {"image_url": "https://x.example/a.png", "detail": "low"}
ITEMS: list[Any] = [
    {"role": "user", "content": "I'm allergic to 花生"},
    {"content": [{"type": "input_text", "text": "What is this?"}, {"type": "input_image", **IMAGE}], "role": "user"},
    {"role": "user", "content": [{"type": "input_image", "file_id": "file-1", "detail": "auto"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA=="},
    {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": '{"city": "Zürich"}', "id": "fc_1"},
    {"type": "function_call_output", "call_id": "call_1", "output": "rain; DROP TABLE message;--"},
    {"type": "function_call_output", "call_id": "call_2", "output": [{"type": "input_image", "image_url": "https://x"}]},
    say("Take an umbrella"),
    {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    {"role": "developer", "content": "Be brief."},
    {"type": "computer_call", "nested": {"z": 1, "a": [1.0, 2e3, None, True, -0.0, 12345678901234567890]}},
    {"role": "user", "content": ""},
    {"role": "user", "content": "\x00 \ud83d half a pair, 😊"},
    {"role": "user", "content": "long " * 20_000},
    {},
]  # fmt: skip


def test_it_is_a_session_of_the_sdk(session: MemoryPlatformSession) -> None:
    assert isinstance(session, Session)
    assert session.session_settings == SessionSettings()


def test_items_come_back_exactly(session: MemoryPlatformSession) -> None:
    async def go() -> list[TResponseInputItem]:
        await session.add_items(ITEMS)
        return await session.get_items()

    assert [json.dumps(one) for one in asyncio.run(go())] == [json.dumps(one) for one in ITEMS]


def test_the_same_calls_give_the_same_items(address: str, acme: House) -> None:
    dice = random.Random(7)  # noqa: S311 - a test that can be repeated

    async def go() -> None:
        person = f"person-{next(NUMBERS)}"
        pairs = [
            (MemoryPlatformSession(name, address, acme.token, person), SQLiteSession(name)) for name in ("one", "two")
        ]
        for step in range(40):
            ours, theirs = dice.choice(pairs)
            act = dice.choice(("add", "add", "add", "pop", "get", "limit", "clear" if step > 25 else "add"))
            if act == "add":
                items = [cast(TResponseInputItem, dice.choice(ITEMS[:12])) for _ in range(dice.randrange(0, 3))]
                await ours.add_items(items)
                await theirs.add_items(items)
            elif act == "pop":
                assert await ours.pop_item() == await theirs.pop_item()
            elif act == "clear":
                await ours.clear_session()
                await theirs.clear_session()
            else:
                limit = dice.randrange(0, 5) if act == "limit" else None
                assert await ours.get_items(limit) == await theirs.get_items(limit)
        for ours, theirs in pairs:
            assert await ours.get_items() == await theirs.get_items()
            theirs.close()

    asyncio.run(go())


def test_more_items_than_a_page(session: MemoryPlatformSession) -> None:
    items: list[Any] = [{"role": "assistant", "content": f"Message {number}"} for number in range(120)]

    async def go() -> None:
        await session.add_items(items)
        assert await session.get_items() == items
        assert await session.get_items(70) == items[-70:]
        assert await session.get_items(1_000) == items
        assert await session.get_items(0) == await session.get_items(-1) == []
        session.session_settings = SessionSettings(limit=3)
        assert await session.get_items() == items[-3:]
        assert await session.get_items(5) == items[-5:]

    asyncio.run(go())


def test_writers_at_once_lose_nothing(session: MemoryPlatformSession) -> None:
    items: list[Any] = [{"role": "assistant", "content": f"Message {number}"} for number in range(12)]

    async def go() -> None:
        await asyncio.gather(*(session.add_items([item]) for item in items))
        popped = await asyncio.gather(*(session.pop_item() for _ in range(3)))
        left = await session.get_items()
        told = [json.dumps(one) for one in [*left, *popped]]
        assert sorted(told) == sorted(json.dumps(one) for one in items)

    asyncio.run(go())


def test_each_event_loop_has_connections_of_its_own(session: MemoryPlatformSession) -> None:
    asyncio.run(session.add_items([{"role": "user", "content": "one"}]))
    asyncio.run(session.add_items([{"role": "user", "content": "two"}]))
    assert len(asyncio.run(session.get_items())) == 2


def test_an_item_that_is_too_large_is_refused(session: MemoryPlatformSession) -> None:
    large: Any = {"type": "function_call_output", "call_id": "c", "output": "x" * 2_000_000}
    asyncio.run(session.add_items([large]))
    assert asyncio.run(session.get_items()) == [large]
    large["output"] = "x" * 2_200_000
    with pytest.raises(errors.Invalid):
        asyncio.run(session.add_items([large]))


def test_batches_are_bounded_by_items_and_bytes() -> None:
    small = [{"id": str(number), "item": "{}"} for number in range(450)]
    assert [len(batch) for batch in cut_batches(small)] == [200, 200, 50]
    large = [{"id": str(number), "item": "x" * 700_000} for number in range(3)]
    assert [len(batch) for batch in cut_batches(large)] == [1, 1, 1]
    assert list(cut_batches([])) == []


def test_ids_that_would_leave_their_place_are_refused(address: str, acme: House) -> None:
    with pytest.raises(ValueError, match="session_id"):
        MemoryPlatformSession("..", address, acme.token, "ada")
