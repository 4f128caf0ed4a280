"""An assembled context in each vendor's format, with the cache breakpoint. Pure.

A form holds the parts of a request that come from the context; model, tools and limits are the product's own.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memory_platform.providers.prompt_cache.messages import (
    MISSING_TURN,
    Message,
    PromptParts,
    as_object,
    list_tool_calls,
    message_text,
    split_messages,
)

Form = dict[str, Any]
Block = dict[str, Any]

_ANTHROPIC_ID = re.compile(r"[A-Za-z0-9_-]+")


def vendor_form(vendor: str, messages: Sequence[Message], prefix_hash: str) -> Form:
    """Return the request's parts for a vendor of :data:`VENDORS`. Raises KeyError for another.

    ``prefix_hash``: SHA-256 of message 0 in hex, as the answer of ``context`` has it.
    """
    return VENDORS[vendor](split_messages(messages, prefix_hash), prefix_hash)


def openai_form(parts: PromptParts, prefix_hash: str) -> Form:
    """Return ``messages`` of ``POST /v1/chat/completions``. OpenAI caches beginnings of 1,024 tokens and more by
    itself; the key sends requests that begin alike to the same machine.

    https://platform.openai.com/docs/guides/prompt-caching; a key has at most 64 characters, as a SHA-256 in hex has.
    """
    system = [{"role": "system", "content": text} for text in _system(parts)]
    return {"messages": [*system, *map(dict, parts.turns)], **_key(parts, prefix_hash)}


def openai_responses_form(parts: PromptParts, prefix_hash: str) -> Form:
    """Return ``input`` of ``POST /v1/responses``: tool calls and their results are items of their own.

    https://developers.openai.com/api/reference/resources/responses/methods/create
    """
    items: list[Block] = [{"role": "system", "content": text} for text in _system(parts)]
    for message in parts.turns:
        if message["role"] == "tool":
            output = {"call_id": message["tool_call_id"], "output": message["content"] or ""}
            items.append({"type": "function_call_output", **output})
            continue
        if message["content"] or not message.get("tool_calls"):
            items.append({"role": message["role"], "content": message_text(message)})
        for call in message.get("tool_calls", ()):
            function = call["function"]
            asked = {"call_id": call["id"], "name": function["name"], "arguments": function.get("arguments") or "{}"}
            items.append({"type": "function_call", **asked})
    return {"input": items, **_key(parts, prefix_hash)}


def anthropic_form(parts: PromptParts, _: str) -> Form:
    """Return ``system`` and ``messages`` of ``POST /v1/messages``; the cache ends at the prefix's block.

    User and assistant alternate, beginning with the user; results come first in the user's message after the call.
    https://docs.claude.com/en/docs/build-with-claude/prompt-caching
    https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use
    """
    cached: list[Block] = [{"type": "text", "text": parts.prefix, "cache_control": {"type": "ephemeral"}}]
    system = [*(cached if parts.prefix else []), *({"type": "text", "text": text} for text in parts.briefs)]
    sides = ("assistant" if message["role"] == "assistant" else "user" for message in parts.turns)
    turns = _merge_sides(zip(sides, map(_anthropic_blocks, parts.turns), strict=True), "assistant", _text)
    messages = [{"role": role, "content": blocks} for role, blocks in turns]
    return {**({"system": system} if system else {}), "messages": messages}


def gemini_form(parts: PromptParts, _: str) -> Form:
    """Return ``systemInstruction`` and ``contents`` of ``generateContent``; Gemini caches beginnings by itself.

    https://ai.google.dev/api/caching#Content and https://ai.google.dev/gemini-api/docs/function-calling
    """
    instruction = {"systemInstruction": {"parts": [{"text": text} for text in _system(parts)]}}
    return {**(instruction if _system(parts) else {}), "contents": _contents(parts.turns)}


def gemini_cached_form(messages: Sequence[Message], prefix_hash: str, name: str) -> Form:
    """Return the form where the prefix is the cached content called ``name``.

    The API refuses instructions beside it (400), so they open the conversation.
    https://cloud.google.com/vertex-ai/generative-ai/docs/context-cache/context-cache-use
    """
    parts = split_messages(messages, prefix_hash)
    briefs = [{"role": "user", "content": text} for text in parts.briefs]
    return {"cachedContent": name, "contents": _contents([*briefs, *parts.turns])}


# The forms by their names in requests.
VENDORS: Mapping[str, Callable[[PromptParts, str], Form]] = {
    "openai": openai_form,
    "openai_responses": openai_responses_form,
    "anthropic": anthropic_form,
    "gemini": gemini_form,
}


def _system(parts: PromptParts) -> list[str]:
    return [text for text in (parts.prefix, *parts.briefs) if text]


def _key(parts: PromptParts, prefix_hash: str) -> Form:
    return {"prompt_cache_key": prefix_hash} if parts.prefix else {}


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _anthropic_blocks(message: Message) -> list[Block]:
    if message["role"] == "tool":
        content = {"content": message["content"]} if message["content"] else {}
        return [{"type": "tool_result", "tool_use_id": _anthropic_id(message["tool_call_id"]), **content}]
    text = message_text(message)
    calls = [
        {"type": "tool_use", "id": _anthropic_id(call.id), "name": call.name, "input": call.arguments}
        for call in list_tool_calls(message)
    ]
    return [*([_text(text)] if text.strip() else []), *calls]


def _anthropic_id(name: str) -> str:
    """Return an id in the letters that Anthropic accepts, the same for call and result."""
    return name if _ANTHROPIC_ID.fullmatch(name) else f"call_{hashlib.sha256(name.encode()).hexdigest()[:24]}"


def _contents(turns: Iterable[Message]) -> list[Block]:
    names: dict[str, str] = {}
    sides = []
    for message in turns:
        names |= {call.id: call.name for call in list_tool_calls(message)}
        sides.append(("model" if message["role"] == "assistant" else "user", _gemini_parts(message, names)))
    return [{"role": role, "parts": parts} for role, parts in _merge_sides(sides, "model", lambda text: {"text": text})]


def _gemini_parts(message: Message, names: Mapping[str, str]) -> list[Block]:
    if message["role"] == "tool":
        response = as_object(message["content"] or "", "result")
        return [{"functionResponse": {"name": names[message["tool_call_id"]], "response": response}}]
    text = message_text(message)
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
