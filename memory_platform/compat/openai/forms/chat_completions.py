"""Chat completions: messages with roles, choices with deltas."""

from collections.abc import Mapping, Sequence
from typing import Any

from memory_platform.compat.openai.config import PROXY
from memory_platform.compat.openai.forms.spoken_items import (
    ASSISTANT,
    TOOL,
    USER,
    BoundedText,
    ModelReply,
    SpokenItem,
    keep_text_parts,
)

INSTRUCTIONS = ("system", "developer")
# What `function` calls the role that is `tool` now.
ROLES = {USER: USER, ASSISTANT: ASSISTANT, TOOL: TOOL, "function": TOOL}
TEXT_TYPES = ("text", "refusal")


def list_items(body: Mapping[str, Any]) -> list[SpokenItem]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        return []
    return [_make_item(one) for one in messages if one.get("role") in ROLES]


def _make_item(message: dict[str, Any]) -> SpokenItem:
    values: dict[str, Any] = {"content": keep_text_parts(message.get("content"), TEXT_TYPES)}
    for name in ("name", "tool_calls", "tool_call_id"):
        if message.get(name):
            values[name] = message[name]
    return SpokenItem(ROLES[message["role"]], values, message)


def insert_memory(body: Mapping[str, Any], memory: str) -> dict[str, Any]:
    """Return the body with ``memory`` as a message behind the client's own first instructions, in their role."""
    messages = list(body["messages"])
    place = next((at for at, one in enumerate(messages) if one.get("role") not in INSTRUCTIONS), len(messages))
    role = messages[place - 1]["role"] if place else INSTRUCTIONS[0]
    return {**body, "messages": [*messages[:place], {"role": role, "content": memory}, *messages[place:]]}


def read_answer(answer: Any) -> ModelReply | None:
    """Return the reply of the first choice."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    for choice in choices if isinstance(choices, list) else ():
        message = choice.get("message") if isinstance(choice, dict) and choice.get("index", 0) == 0 else None
        if isinstance(message, dict):
            return _make_reply(message)
    return None


def _make_reply(message: Mapping[str, Any]) -> ModelReply | None:
    said = message.get("content") or message.get("refusal")
    calls = message.get("tool_calls")
    reply = ModelReply(said if isinstance(said, str) else "", calls if isinstance(calls, list) else ())
    return reply if len(reply.text.encode("utf-8", "replace")) <= PROXY.reply_bytes else None


class ChatListener:
    """Puts the first choice together from its deltas. It is complete once it says why it ended."""

    def __init__(self) -> None:
        self._text = BoundedText(PROXY.reply_bytes)
        self._refusal = BoundedText(PROXY.reply_bytes)
        self._calls: dict[int, _CallParts] = {}
        self._is_complete = False

    def hear(self, event: Mapping[str, Any]) -> None:
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                self._hear_choice(choice)

    def _hear_choice(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        if isinstance(delta, dict):
            self._text.add(delta.get("content"))
            self._refusal.add(delta.get("refusal"))
            calls = delta.get("tool_calls")
            for call in calls if isinstance(calls, list) else ():
                if isinstance(call, dict):
                    place = call.get("index", len(self._calls))
                    self._calls.setdefault(place if isinstance(place, int) else 0, _CallParts()).add(call)
        self._is_complete = self._is_complete or choice.get("finish_reason") is not None

    @property
    def reply(self) -> ModelReply | None:
        parts = [self._calls[place] for place in sorted(self._calls)]
        texts = (self._text, self._refusal, *(part.arguments for part in parts))
        if not self._is_complete or not all(text.is_whole for text in texts):
            return None
        calls: Sequence[Mapping[str, Any]] = [part.make_call() for part in parts]
        return _make_reply({"content": str(self._text), "refusal": str(self._refusal), "tool_calls": list(calls)})


class _CallParts:
    """The pieces of one call of a tool."""

    def __init__(self) -> None:
        self.identity = ""
        self.kind = "function"
        self.name = ""
        self.arguments = BoundedText(PROXY.reply_bytes)

    def add(self, delta: Mapping[str, Any]) -> None:
        self.identity = self.identity or str(delta.get("id") or "")
        self.kind = str(delta.get("type") or self.kind)
        function = delta.get("function")
        if isinstance(function, dict):
            self.name += str(function.get("name") or "")
            self.arguments.add(function.get("arguments"))

    def make_call(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": str(self.arguments)}
        return {"id": self.identity, "type": self.kind, "function": function}
