"""A session of OpenAI's Agents SDK whose items are on a memory platform. Needs ``memory-platform-client[agents]``.

from memory_platform_client.agents_session import MemoryPlatformSession

session = MemoryPlatformSession("conversation_123", "http://127.0.0.1:8000", api_key, "ada")
result = await Runner.run(agent, "What should I cook tonight?", session=session)
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import httpx
from agents import TResponseInputItem
from agents.memory.session import SessionABC
from agents.memory.session_settings import SessionSettings, resolve_session_limit

from memory_platform_client.call_declarations import read_json
from memory_platform_client.client import TIMEOUT_S
from memory_platform_client.encoding import encode_body, fill_path
from memory_platform_client.errors import NotFound, UnreadableAnswer, make_problem
from memory_platform_client.framework_connections import FlowCaller
from memory_platform_client.retries import Flow, Request, Retries, send_patiently

ITEMS = "/compat/openai/sessions/{subject_id}/{session_id}/items"
CONVERSATION = "/v1/subjects/{subject_id}/conversations/{session_id}"
BATCH_ITEMS, BATCH_BYTES = 200, 1024 * 1024
"""Of one request; a larger item goes alone."""
PAGE = 50


class MemoryPlatformSession(SessionABC):
    """The items of one conversation of a person. What is said in them is remembered; ``pop_item`` and
    ``clear_session`` take the words away, with all that they alone taught.

    It serves any event loop, each with connections of its own. ``http`` is a client of yours, which you close.
    """

    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        base_url: str,
        api_key: str,
        subject_id: str,
        *,
        session_settings: SessionSettings | None = None,
        timeout_s: float = TIMEOUT_S,
        retries: Retries | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        place = {"subject_id": subject_id, "session_id": session_id}
        self._items, self._conversation = fill_path(ITEMS, place), fill_path(CONVERSATION, place)
        self._caller = FlowCaller(base_url, api_key, timeout_s=timeout_s, retries=retries, async_http=http)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the newest items, oldest first: all of them without a limit, here or in the session's settings."""
        most = resolve_session_limit(limit, self.session_settings)
        return await self._caller.arun(lambda: self._read_items(most))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Store items, each once, however often a request is sent."""
        named = [{"id": str(uuid.uuid4()), "item": dump_item(item)} for item in items]
        for batch in cut_batches(named):
            await self._caller.arun(lambda sent=batch: self._add_batch(sent))  # type: ignore[misc]  # of a batch

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove and return the newest item; None of an empty session. A lost answer is not asked for again."""
        return await self._caller.arun(self._pop)

    async def clear_session(self) -> None:
        """Delete the conversation with all items. What it alone taught is forgotten, and not learned again."""
        await self._caller.arun(self._clear)

    async def close(self) -> None:
        """Close the connections that the running event loop has."""
        await self._caller.aclose()

    def _read_items(self, most: int | None) -> Flow[list[TResponseInputItem]]:
        texts: list[str] = []
        cursor: str | None = None
        while most is None or len(texts) < most:
            query = {"limit": str(PAGE if most is None else min(PAGE, most - len(texts)))}
            page = yield from self._ask(Request("GET", self._items, query | ({"cursor": cursor} if cursor else {})))
            texts += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        return [json.loads(text) for text in reversed(texts[:most])] if most is None or most > 0 else []

    def _add_batch(self, batch: Sequence[Mapping[str, str]]) -> Flow[None]:
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        yield from self._ask(Request("POST", self._items, headers=headers, content=encode_body({"items": batch})))

    def _pop(self) -> Flow[TResponseInputItem | None]:
        answer = yield from self._ask(Request("POST", f"{self._items}/pop", is_repeatable=False))
        return None if answer["item"] is None else json.loads(answer["item"])

    def _clear(self) -> Flow[None]:
        try:
            yield from self._ask(Request("DELETE", self._conversation))
        except NotFound:  # there is nothing
            return

    def _ask(self, request: Request) -> Flow[Any]:
        options = self._caller.options
        reply = yield from send_patiently(request, options.retries, options.timeout_s)
        body = read_json(reply) if reply.content else {}
        if not reply.is_success:
            raise make_problem(reply.status_code, body if isinstance(body, dict) else {}, reply.headers)
        if not isinstance(body, dict):
            raise UnreadableAnswer(f"The answer of status {reply.status_code} is no JSON object. Is base_url right?")
        return body


def dump_item(item: TResponseInputItem) -> str:
    """Return an item as JSON. Half a surrogate pair, which UTF-8 cannot hold, is escaped."""
    text = json.dumps(item, ensure_ascii=False)
    return text if text.isascii() or text.encode("utf-8", "ignore").decode() == text else json.dumps(item)


def cut_batches(named: Sequence[Mapping[str, str]]) -> Iterator[list[Mapping[str, str]]]:
    """Yield items in batches that fit into requests."""
    batch: list[Mapping[str, str]] = []
    size = 0
    for one in named:
        own = len(one["item"].encode())
        if batch and (len(batch) == BATCH_ITEMS or size + own > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += own
    if batch:
        yield batch
