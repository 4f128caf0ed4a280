"""An assembled context in each vendor's format, with the cache breakpoint. Pure.

A form holds the parts of a request that come from the context; model, tools and limits are the product's own.
"""

import hashlib
import html
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_platform.kernel.text import normalise

# A chat message in OpenAI's format, as the answer of `context` has it.
Message = Mapping[str, Any]

# Stands for the user's turn if a conversation begins with the assistant.
MISSING_TURN = "…"
Form = dict[str, Any]
Block = dict[str, Any]

_ANTHROPIC_ID = re.compile(r"[A-Za-z0-9_-]+")


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
    text: every vendor refuses them, and a window begins and ends anywhere."""
    rest, settled = deque(messages), list[Message]()
    while rest:
        message = rest.popleft()
        if message["role"] == "tool":
            settled.append(make_user_message_of_result(message))
        elif message.get("tool_calls"):
            settled += _settle_exchange(message, _take_results(rest))
        else:
            settled.append(message)
    return settled


def make_user_message_of_result(result: Message) -> Message:
    return {"role": "user", "content": _element("tool_result", result.get("name"), str(result["content"] or ""))}


def list_tool_calls(message: Message) -> list[PromptToolCall]:
    """Return the tool calls of a message of :func:`complete_exchanges`."""
    return [
        PromptToolCall(
            call["id"], call["function"]["name"], wrap_as_object(call["function"].get("arguments"), "arguments")
        )
        for call in message.get("tool_calls", ())
    ]


def render_message_text(message: Message) -> str:
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
        name = _find_readable_id(call)
        if name in by_call and name not in answered:
            answered[name] = call
        else:
            alone.append(call)
    told = [_render_unanswered_call(call) for call in alone]
    asking = {**message, "content": "\n".join(filter(None, [message["content"], *told])) or None}
    asking["tool_calls"] = list(answered.values())
    if not answered:
        del asking["tool_calls"]
    taken = [by_call[name] for name in answered]
    left = [make_user_message_of_result(result) for result in results if not any(result is one for one in taken)]
    return [asking, *taken, *left]


def _find_readable_id(call: Mapping[str, Any]) -> str:
    """Return a call's id if vendors can read it, else ""."""
    name, function = call.get("id"), call.get("function")
    if not isinstance(name, str) or not isinstance(function, Mapping):
        return ""
    return name if isinstance(function.get("name"), str) else ""


def _render_unanswered_call(call: Mapping[str, Any]) -> str:
    function = call.get("function")
    if not isinstance(function, Mapping):
        return _element("tool_call", None, json.dumps(call, ensure_ascii=False))
    return _element("tool_call", function.get("name"), str(function.get("arguments") or ""))


def _element(tag: str, name: object, text: str) -> str:
    attribute = f' name="{html.escape(normalise(str(name)))}"' if name else ""
    return f"<{tag}{attribute}>{html.escape(text, quote=False)}</{tag}>"


def wrap_as_object(value: object, key: str) -> Mapping[str, Any]:
    """Return the JSON object that ``value`` is or contains as text, else an object with ``value`` under ``key``."""
    if isinstance(value, Mapping):
        return value
    try:
        read = json.loads(str(value or "{}"))
    except (ValueError, RecursionError):
        return {key: value}
    return read if isinstance(read, dict) else {key: read}


def render_vendor_request(vendor: str, messages: Sequence[Message], prefix_hash: str) -> Form:
    """Return the request's parts for a vendor of :data:`VENDORS`. Raises KeyError for another. ``prefix_hash``: SHA-256
    of message 0 in hex, as the answer of ``context`` has it."""
    return VENDORS[vendor](split_messages(messages, prefix_hash), prefix_hash)


def render_openai_request(parts: PromptParts, prefix_hash: str) -> Form:
    """Return ``messages`` of ``POST /v1/chat/completions``. OpenAI caches beginnings of 1,024 tokens and more by
    itself; the key sends requests that begin alike to the same machine.

    https://platform.openai.com/docs/guides/prompt-caching; a key has at most 64 characters, as a SHA-256 in hex has.
    """
    system = [{"role": "system", "content": text} for text in _list_system_texts(parts)]
    return {"messages": [*system, *map(dict, parts.turns)], **_key(parts, prefix_hash)}


def render_openai_responses_request(parts: PromptParts, prefix_hash: str) -> Form:
    """Return ``input`` of ``POST /v1/responses``: tool calls and their results are items of their own.

    https://developers.openai.com/api/reference/resources/responses/methods/create
    """
    items: list[Block] = [{"role": "system", "content": text} for text in _list_system_texts(parts)]
    for message in parts.turns:
        if message["role"] == "tool":
            output = {"call_id": message["tool_call_id"], "output": message["content"] or ""}
            items.append({"type": "function_call_output", **output})
            continue
        if message["content"] or not message.get("tool_calls"):
            items.append({"role": message["role"], "content": render_message_text(message)})
        for call in message.get("tool_calls", ()):
            function = call["function"]
            asked = {"call_id": call["id"], "name": function["name"], "arguments": function.get("arguments") or "{}"}
            items.append({"type": "function_call", **asked})
    return {"input": items, **_key(parts, prefix_hash)}


def render_anthropic_request(parts: PromptParts, _: str) -> Form:
    """Return ``system`` and ``messages`` of ``POST /v1/messages``; the cache ends at the prefix's block.

    User and assistant alternate, beginning with the user; results come first in the user's message after the call.
    https://docs.claude.com/en/docs/build-with-claude/prompt-caching
    https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use
    """
    cached: list[Block] = [{"type": "text", "text": parts.prefix, "cache_control": {"type": "ephemeral"}}]
    system = [*(cached if parts.prefix else []), *({"type": "text", "text": text} for text in parts.briefs)]
    sides = ("assistant" if message["role"] == "assistant" else "user" for message in parts.turns)
    turns = _merge_sides(
        zip(sides, map(_render_anthropic_blocks, parts.turns), strict=True), "assistant", _make_text_block
    )
    messages = [{"role": role, "content": blocks} for role, blocks in turns]
    return {**({"system": system} if system else {}), "messages": messages}


def render_gemini_request(parts: PromptParts, _: str) -> Form:
    """Return ``systemInstruction`` and ``contents`` of ``generateContent``; Gemini caches beginnings by itself.

    https://ai.google.dev/api/caching#Content and https://ai.google.dev/gemini-api/docs/function-calling
    """
    instruction = {"systemInstruction": {"parts": [{"text": text} for text in _list_system_texts(parts)]}}
    return {**(instruction if _list_system_texts(parts) else {}), "contents": _render_gemini_contents(parts.turns)}


def render_cached_gemini_request(messages: Sequence[Message], prefix_hash: str, name: str) -> Form:
    """Return the form where the prefix is the cached content called ``name``.

    The API refuses instructions beside it (400), so they open the conversation.
    https://cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-use
    """
    parts = split_messages(messages, prefix_hash)
    briefs = [{"role": "user", "content": text} for text in parts.briefs]
    return {"cachedContent": name, "contents": _render_gemini_contents([*briefs, *parts.turns])}


# The forms by their names in requests.
VENDORS: Mapping[str, Callable[[PromptParts, str], Form]] = {
    "openai": render_openai_request,
    "openai_responses": render_openai_responses_request,
    "anthropic": render_anthropic_request,
    "gemini": render_gemini_request,
}


def _list_system_texts(parts: PromptParts) -> list[str]:
    return [text for text in (parts.prefix, *parts.briefs) if text]


def _key(parts: PromptParts, prefix_hash: str) -> Form:
    return {"prompt_cache_key": prefix_hash} if parts.prefix else {}


def _make_text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def _render_anthropic_blocks(message: Message) -> list[Block]:
    if message["role"] == "tool":
        content = {"content": message["content"]} if message["content"] else {}
        return [{"type": "tool_result", "tool_use_id": _make_anthropic_id(message["tool_call_id"]), **content}]
    text = render_message_text(message)
    calls = [
        {"type": "tool_use", "id": _make_anthropic_id(call.id), "name": call.name, "input": call.arguments}
        for call in list_tool_calls(message)
    ]
    return [*([_make_text_block(text)] if text.strip() else []), *calls]


def _make_anthropic_id(name: str) -> str:
    """Return an id in the letters that Anthropic accepts, the same for call and result."""
    return name if _ANTHROPIC_ID.fullmatch(name) else f"call_{hashlib.sha256(name.encode()).hexdigest()[:24]}"


def _render_gemini_contents(turns: Iterable[Message]) -> list[Block]:
    names: dict[str, str] = {}
    sides = []
    for message in turns:
        names |= {call.id: call.name for call in list_tool_calls(message)}
        sides.append(("model" if message["role"] == "assistant" else "user", _render_gemini_parts(message, names)))
    return [{"role": role, "parts": parts} for role, parts in _merge_sides(sides, "model", lambda text: {"text": text})]


def _render_gemini_parts(message: Message, names: Mapping[str, str]) -> list[Block]:
    if message["role"] == "tool":
        response = wrap_as_object(message["content"] or "", "result")
        return [{"functionResponse": {"name": names[message["tool_call_id"]], "response": response}}]
    text = render_message_text(message)
    calls = [{"functionCall": {"name": call.name, "args": call.arguments}} for call in list_tool_calls(message)]
    return [*([{"text": text}] if text.strip() else []), *calls]


def _merge_sides(
    sides: Iterable[tuple[str, list[Block]]], answering: str, text: Callable[[str], Block]
) -> list[tuple[str, list[Block]]]:
    """Return the blocks, consecutive ones of one side joined; the ``answering`` side never begins."""
    joined: list[tuple[str, list[Block]]] = []
    for side, blocks in sides:
        if joined and joined[-1][0] == side:
            joined[-1][1].extend(blocks)
        elif blocks:
            joined.append((side, list(blocks)))
    if joined and joined[0][0] == answering:
        joined.insert(0, ("user", [text(MISSING_TURN)]))
    return joined
