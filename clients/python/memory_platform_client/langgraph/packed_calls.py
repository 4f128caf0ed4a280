"""Calls with bodies in MessagePack, blocking and awaiting. Each may be repeated: the platform stores it once."""

from __future__ import annotations

from typing import Any

import httpx
import ormsgpack

from memory_platform_client.errors import UnreadableAnswer, make_problem
from memory_platform_client.framework_connections import FlowCaller
from memory_platform_client.retries import Flow, Request, send_patiently

MEDIA_TYPE = "application/msgpack"
PREFIX = "/compat/langgraph/"


class PackedCaller(FlowCaller):
    """A platform whose bodies are MessagePack."""

    def ask(self, path: str, body: dict[str, Any]) -> Flow[Any]:
        """Call the platform; return the answer's map, or None of an answer without a body."""
        headers = {"Content-Type": MEDIA_TYPE, "Accept": MEDIA_TYPE}
        request = Request("POST", PREFIX + path, headers=headers, content=ormsgpack.packb(body))
        reply = yield from send_patiently(request, self.options.retries, self.options.timeout_s)
        return read_packed(reply)


def read_packed(reply: httpx.Response) -> Any:
    """Return the map of an answer, or raise the problem that it tells."""
    if not reply.is_success:
        try:
            body = reply.json()
        except ValueError:
            body = None
        raise make_problem(reply.status_code, body if isinstance(body, dict) else {}, reply.headers)
    if not reply.content:
        return None
    try:
        return ormsgpack.unpackb(reply.content)
    except ValueError:
        message = f"The answer of status {reply.status_code} is no MessagePack. Is base_url right?"
        raise UnreadableAnswer(message) from None
