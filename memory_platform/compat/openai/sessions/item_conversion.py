"""Items of a session, as JSON texts: each becomes one message, and comes back as it was.

A message has the words of the item, in the form that the REST API takes, and in its metadata the whole item. Where
words of the message were forgotten, its item is gone: one is made of the words left.
"""

import json
from collections.abc import Iterator
from typing import Any

from rest_framework import serializers

from memory_platform.api.config import MIB
from memory_platform.api.requests.fields import Direct, raise_field_error
from memory_platform.compat.openai.forms.responses_api import CALL, CALL_OUTPUT, list_items
from memory_platform.compat.openai.forms.spoken_items import ASSISTANT, TOOL, read_message
from snapshots.intake.values import IncomingMessage
from snapshots.models import AGENTS_ITEM, Message

ITEM_BYTES = 2 * MIB


class ItemField(Direct, serializers.Field[Any, Any, Any, Any]):
    """The text of a JSON object. It is stored as it is: as an object it would lose the order of its members."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or len(data.encode()) > ITEM_BYTES:
            raise_field_error("too_long", f"Must be the text of a JSON object of at most {ITEM_BYTES} bytes.")
        if not isinstance(_parse(data), dict):
            raise_field_error("not_an_object", "Must be the text of a JSON object.")
        return data


def make_message(item_id: str, text: str) -> IncomingMessage:
    """Return the message of a checked item. One without words, or with too many for a message, teaches nothing."""
    kept: dict[str, Any] = {"message_id": item_id, "metadata": {AGENTS_ITEM: text}}
    spoken = list_items({"input": [_parse(text)]})
    message = read_message({"role": spoken[0].role, **spoken[0].values}) if spoken else None
    if message is None:
        return IncomingMessage(role=ASSISTANT, remember=False, **kept)
    said = {name: getattr(message, name) for name in ("content", "tool_calls", "tool_call_id")}
    return IncomingMessage(role=message.role, **said, **kept)


def render_items(message: Message) -> list[str]:
    """Return the items of a message: the one that was stored, else those of its words; none of a forgotten one."""
    stored = message.metadata.get(AGENTS_ITEM)
    if isinstance(stored, str) and isinstance(_parse(stored), dict):
        return [stored]
    return [json.dumps(one, ensure_ascii=False) for one in _make_items(message)]


def _make_items(message: Message) -> Iterator[dict[str, Any]]:
    if message.role == TOOL:
        if message.tool_call_id:
            yield {"type": CALL_OUTPUT, "call_id": message.tool_call_id, "output": message.content}
        return
    if message.content:
        yield {"role": message.role, "content": message.content}
    for call in message.tool_calls or ():
        function = call.get("function")
        if isinstance(function, dict) and call.get("id"):
            named = {name: str(function.get(name) or "") for name in ("name", "arguments")}
            yield {"type": CALL, "call_id": call["id"], **named}


def _parse(text: str) -> Any:
    """Return the parsed value of a JSON text, None for another text. Unlike in a body, characters that Postgres could
    not store as such are welcome: they stay escaped."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
