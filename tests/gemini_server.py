"""Cached content of Gemini and Vertex on a real port: keeps what it is asked to, forgets on demand."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from memory_platform.env.chat_endpoints import ChatEndpoint
from tests.model_server import ModelServer, Reply, Request, model_server

KEY = "gk-never-shown"


class FakeGemini:
    """``instead`` may answer a request in its own way; None leaves it to the ordinary answer."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}
        self.instead: Callable[[Request], Reply | None] = lambda _: None
        self.server: ModelServer
        self._numbers = count(1)
        self._lock = threading.Lock()

    @property
    def endpoint(self) -> ChatEndpoint:
        """The endpoint as an operator names it."""
        address = self.server.url.removesuffix("/v1")
        return ChatEndpoint(kind="google", model="gemini-2.5-flash", base_url=address, api_key=KEY)

    @property
    def request_methods(self) -> list[str]:
        """The methods of the requests so far."""
        return [request.method for request in self.server.requests]

    def answer(self, request: Request) -> Reply:
        other = self.instead(request)
        if other is not None:
            return other
        path, _, query = request.path.partition("?")
        if request.method == "POST":
            return self._make_content(request.path.split("/", 2)[2].removesuffix("cachedContents"), request.body)
        name = path.split("/", 2)[2]
        if name not in self.kept:
            return Reply({"error": {"code": 403, "status": "PERMISSION_DENIED"}}, status=403)
        if request.method == "DELETE":
            del self.kept[name]
            return Reply({})
        assert query == "updateMask=ttl"
        return Reply(self._render_content(name, request.body["ttl"]))

    def _make_content(self, parent: str, body: dict[str, Any]) -> Reply:
        with self._lock:
            name = f"{parent}cachedContents/c{next(self._numbers)}"
        self.kept[name] = body
        return Reply(self._render_content(name, body["ttl"]))

    def _render_content(self, name: str, ttl: str) -> dict[str, Any]:
        ends = datetime.now(UTC) + timedelta(seconds=int(ttl.removesuffix("s")))
        shown = ends.strftime("%Y-%m-%dT%H:%M:%S.%f") + "123Z"  # nanoseconds, as Google writes them
        return {"name": name, "model": "m", "expireTime": shown, "usageMetadata": {"totalTokenCount": 2100}}


@contextmanager
def gemini_server() -> Iterator[FakeGemini]:
    """Serve a fake Gemini for the block."""
    fake = FakeGemini()
    with model_server(fake.answer) as server:
        fake.server = server
        yield fake
