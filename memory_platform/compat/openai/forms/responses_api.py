"""Responses: items of several kinds, one event for each step, the whole answer in the last one."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from memory_platform.compat.openai.config import PROXY
from memory_platform.compat.openai.forms.spoken_items import (
    ASSISTANT,
    TOOL,
    USER,
    ModelReply,
    SpokenItem,
    join_text,
    keep_text_parts,
)

TEXT_TYPES = ("input_text", "output_text", "text", "refusal")
MESSAGE, CALL, CALL_OUTPUT = "message", "function_call", "function_call_output"
OUTPUTS = (CALL_OUTPUT, "custom_tool_call_output")
ENDS = ("response.completed", "response.incomplete")
FINISHED = ("completed", "incomplete")


def list_items(body: Mapping[str, Any]) -> list[SpokenItem]:
    given = body.get("input")
    if isinstance(given, str):
        return [SpokenItem(USER, {"content": given}, given)]
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        return []
    roles = [(role, one) for one in given if (role := _find_role(one))]
    found: list[SpokenItem] = []
    for role, group in groupby(roles, key=lambda pair: pair[0]):
        items = [item for _, item in group]
        # What the model said in one answer is one message; what others say are as many as they send.
        found += [_join_output(items)] if role == ASSISTANT else [_make_item(role, item) for item in items]
    return found


def _find_role(item: Mapping[str, Any]) -> str:
    """Return who says an item, "" for instructions."""
    kind = item.get("type", MESSAGE)
    if kind == MESSAGE:
        role = item.get("role")
        return role if role in (USER, ASSISTANT) else ""
    return TOOL if kind in OUTPUTS else ASSISTANT


def _make_item(role: str, item: dict[str, Any]) -> SpokenItem:
    if role == USER:
        return SpokenItem(role, {"content": keep_text_parts(item.get("content"), TEXT_TYPES)}, item)
    values: dict[str, Any] = {"content": keep_text_parts(item.get("output"), TEXT_TYPES)}
    if item.get("call_id"):
        values["tool_call_id"] = item["call_id"]
    return SpokenItem(role, values, item)


def _join_output(items: list[dict[str, Any]]) -> SpokenItem:
    """Return the items of one answer of the model as one message."""
    reply = _make_reply(items)
    values: dict[str, Any] = {"content": reply.text or None}
    if reply.tool_calls:
        values["tool_calls"] = list(reply.tool_calls)
    return SpokenItem(ASSISTANT, values, items)


def insert_memory(body: Mapping[str, Any], memory: str) -> dict[str, Any]:
    """Return the body with ``memory`` behind the client's own instructions."""
    own = body.get("instructions")
    if own is not None and not isinstance(own, str):
        return dict(body)  # the endpoint refuses it in its own words
    return {**body, "instructions": f"{own}\n\n{memory}" if own else memory}


def read_answer(answer: Any) -> ModelReply | None:
    if not isinstance(answer, dict) or answer.get("status", FINISHED[0]) not in FINISHED:
        return None
    output = answer.get("output")
    if not isinstance(output, list):
        return None
    reply = _make_reply([item for item in output if isinstance(item, dict)])
    return reply if len(reply.text.encode("utf-8", "replace")) <= PROXY.reply_bytes else None


def _make_reply(output: list[dict[str, Any]]) -> ModelReply:
    texts = [_join_said(item.get("content")) for item in output if item.get("type", MESSAGE) == MESSAGE]
    calls = [
        {
            "id": item.get("call_id"),
            "type": "function",
            "function": {"name": item.get("name"), "arguments": item.get("arguments")},
        }
        for item in output
        if item.get("type") == CALL
    ]
    return ModelReply("\n".join(text for text in texts if text), calls)


def _join_said(content: Any) -> str:
    refusals = [part["refusal"] for part in content if _is_refusal(part)] if isinstance(content, list) else []
    return "\n".join([text for text in (join_text(content), *refusals) if text])


def _is_refusal(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("refusal"), str)


class ResponsesListener:
    """Waits for the event that holds the whole answer."""

    def __init__(self) -> None:
        self.reply: ModelReply | None = None

    def hear(self, event: Mapping[str, Any]) -> None:
        if event.get("type") in ENDS:
            self.reply = read_answer(event.get("response"))
