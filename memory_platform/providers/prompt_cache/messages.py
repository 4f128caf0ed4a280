"""The common part of all vendors' formats: split off the stable prefix, and complete tool exchanges.

Every vendor refuses a tool call without a result, and a result without a call. A window begins and ends anywhere, so
single ones become text: readable, and the request is accepted.
"""

import hashlib
import html
import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_platform.kernel.text import normalise

# A chat message in OpenAI's format, as the answer of `context` has it.
Message = Mapping[str, Any]

# Stands for the user's turn if a conversation begins with the assistant.
MISSING_TURN = "…"


@dataclass(frozen=True, slots=True)
class PromptParts:
    """A prompt in parts: the cacheable prefix ("" for none), other system texts, and the turns, exchanges whole."""

    prefix: str
    briefs: tuple[str, ...]
    turns: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class PromptToolCall:
    """One call; ``arguments`` is the parsed object."""

    id: str
    name: str
    arguments: Mapping[str, Any]


def split_messages(messages: Sequence[Message], prefix_hash: str) -> PromptParts:
    """Return the parts of assembled messages; ``prefix_hash`` is the SHA-256 of the prefix, in hex."""
    system = [str(message["content"]) for message in messages if message["role"] == "system" and message["content"]]
    prefix = system[0] if system and hashlib.sha256(system[0].encode()).hexdigest() == prefix_hash else ""
    turns = complete_exchanges([message for message in messages if message["role"] != "system"])
    return PromptParts(prefix, tuple(system[1:] if prefix else system), tuple(turns))


def complete_exchanges(messages: Iterable[Message]) -> list[Message]:
    """Return the messages with each tool call directly before its result; calls and results without a partner become
    text."""
    rest, settled = deque(messages), list[Message]()
    while rest:
        message = rest.popleft()
        if message["role"] == "tool":
            settled.append(result_as_user_message(message))
        elif message.get("tool_calls"):
            settled += _settle_exchange(message, _take_results(rest))
        else:
            settled.append(message)
    return settled


def result_as_user_message(result: Message) -> Message:
    return {"role": "user", "content": _element("tool_result", result.get("name"), str(result["content"] or ""))}


def list_tool_calls(message: Message) -> list[PromptToolCall]:
    """Return the tool calls of a message of :func:`complete_exchanges`."""
    return [
        PromptToolCall(call["id"], call["function"]["name"], as_object(call["function"].get("arguments"), "arguments"))
        for call in message.get("tool_calls", ())
    ]


def message_text(message: Message) -> str:
    """Return the text of a message after the speaker's name, for vendors whose messages have no names."""
    content = str(message["content"] or "")
    return f"{message['name']}: {content}" if message.get("name") else content


def _take_results(rest: "deque[Message]") -> list[Message]:
    found = []
    while rest and rest[0]["role"] == "tool":
        found.append(rest.popleft())
    return found


def _settle_exchange(message: Message, results: Sequence[Message]) -> list[Message]:
    by_call: dict[str, Message] = {}
    for result in results:
        by_call.setdefault(str(result.get("tool_call_id", "")), result)
    answered: dict[str, Any] = {}
    alone = []
    for call in message["tool_calls"]:
        name = _id_of(call)
        if name in by_call and name not in answered:
            answered[name] = call
        else:
            alone.append(call)
    told = [_format_call(call) for call in alone]
    asking = {**message, "content": "\n".join(filter(None, [message["content"], *told])) or None}
    asking["tool_calls"] = list(answered.values())
    if not answered:
        del asking["tool_calls"]
    taken = [by_call[name] for name in answered]
    left = [result_as_user_message(result) for result in results if not any(result is one for one in taken)]
    return [asking, *taken, *left]


def _id_of(call: Mapping[str, Any]) -> str:
    """Return a call's id if vendors can read it, else ""."""
    name, function = call.get("id"), call.get("function")
    if not isinstance(name, str) or not isinstance(function, Mapping):
        return ""
    return name if isinstance(function.get("name"), str) else ""


def _format_call(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    if not isinstance(function, Mapping):
        return _element("tool_call", None, json.dumps(call, ensure_ascii=False))
    return _element("tool_call", function.get("name"), str(function.get("arguments") or ""))


def _element(tag: str, name: object, text: str) -> str:
    attribute = f' name="{html.escape(normalise(str(name)))}"' if name else ""
    return f"<{tag}{attribute}>{html.escape(text, quote=False)}</{tag}>"


def as_object(value: object, key: str) -> Mapping[str, Any]:
    """Return the JSON object that ``value`` is or contains as text, else an object with ``value`` under ``key``."""
    if isinstance(value, Mapping):
        return value
    try:
        read = json.loads(str(value or "{}"))
    except (ValueError, RecursionError):
        return {key: value}
    return read if isinstance(read, dict) else {key: read}
