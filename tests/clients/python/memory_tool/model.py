"""A model over HTTP that calls the memory tool."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.model_server import Reply, Request


def make_model(calls: Sequence[Mapping[str, Any]]) -> Callable[[Request], Reply]:
    """Return a model that calls the tool with each command in turn, then ends.

    The SDK sends what is new of a thread, or all of it.
    """

    def answer(request: Request) -> Reply:
        turn = max((int(one["tool_use_id"].removeprefix("toolu_")) + 1 for one in list_results(request)), default=0)
        content: list[dict[str, Any]] = [{"type": "text", "text": "done"}]
        if turn < len(calls):
            content = [{"type": "tool_use", "id": f"toolu_{turn}", "name": "memory", "input": calls[turn]}]
        reason = "tool_use" if turn < len(calls) else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        whole = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content}
        return Reply({**whole, "stop_reason": reason, "stop_sequence": None, "usage": usage})

    return answer


def list_results(request: Request) -> list[dict[str, Any]]:
    parts = [part for message in request.body["messages"] if message["role"] == "user" for part in message["content"]]
    return [part for part in parts if isinstance(part, dict) and part["type"] == "tool_result"]
