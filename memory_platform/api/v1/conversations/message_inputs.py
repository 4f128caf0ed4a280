"""A message as the product posts it: the checks of every door that messages come through."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from memory_platform.api.policy import POLICY
from memory_platform.api.requests.faults import fault
from memory_platform.api.requests.fields import (
    Direct,
    FlagField,
    InstantField,
    JsonField,
    JsonObjectField,
    ListOfField,
    OneOfField,
    ProductIdField,
    TextField,
    names,
    refuse,
)
from memory_platform.api.requests.serializers import Input, StrictSerializer
from snapshots.models import MessageRole

MESSAGES_MOST = 200
PARTS_MOST = 1_000
PART = {
    "type": "object",
    "required": ["type", "text"],
    "properties": {"type": {"const": "text"}, "text": {"type": "string"}},
    "additionalProperties": False,
}


class PartInput(StrictSerializer):
    """One part of a content that comes as a list."""

    type = OneOfField(choices=names(["text"]))
    text = TextField(max_bytes=POLICY.string_bytes, allow_empty=True)


@extend_schema_field(
    {"oneOf": [{"type": "string"}, {"type": "array", "items": PART, "maxItems": PARTS_MOST}], "nullable": True}
)
class ContentField(Direct, serializers.Field[Any, Any, Any, Any]):
    """A text, or a list of text parts whose texts together keep the text's limit. Either may be empty."""

    text = TextField(max_bytes=POLICY.string_bytes, allow_empty=True)
    parts = ListOfField(child=PartInput(), most=PARTS_MOST)

    def to_internal_value(self, data: Any) -> str | list[dict[str, Any]]:
        """Return the text or the parts. Raises ValidationError."""
        if isinstance(data, str):
            return str(self.text.to_internal_value(data))
        if not isinstance(data, list):
            refuse("not_a_text", "Must be a string or a list of text parts.")
        parts: list[dict[str, Any]] = self.parts.to_internal_value(data)
        if sum(len(part["text"].encode()) for part in parts) > POLICY.string_bytes:
            refuse("too_long", f"Has at most {POLICY.string_bytes} bytes in all parts.")
        return parts


@extend_schema_field({"type": "array", "items": {"type": "object", "additionalProperties": {}}})
class ToolCallsField(JsonField):
    """A list of objects, stored as given."""

    def to_internal_value(self, data: Any) -> list[dict[str, Any]]:
        """Return the list. Raises ValidationError."""
        if not isinstance(data, list):
            refuse("not_a_list", "Must be a list of objects.")
        faults = {
            str(index): [ErrorDetail("Must be a JSON object.", code="not_an_object")]
            for index, item in enumerate(data)
            if not isinstance(item, dict)
        }
        if faults:
            raise ValidationError(faults)
        calls: list[dict[str, Any]] = super().to_internal_value(data)
        return calls


class MessageInput(StrictSerializer):
    """One message as the product posts it."""

    message_id = ProductIdField(required=False)
    role = OneOfField(choices=names(MessageRole.values))
    content = ContentField(required=False)
    name = TextField(max_bytes=POLICY.id_bytes, max_length=POLICY.id_chars, required=False)
    tool_calls = ToolCallsField(required=False)
    tool_call_id = TextField(max_bytes=POLICY.id_bytes, max_length=POLICY.id_chars, required=False)
    said_at = InstantField(
        required=False,
        local=True,
        help_text="Now unless named. Its offset is the speaker's clock, by which they say `tomorrow`; `Z` tells none.",
    )
    metadata = JsonObjectField(required=False)
    remember = FlagField(default=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a message that says nothing and calls no tool."""
        if not attrs.get("content") and not attrs.get("tool_calls"):
            raise fault("content", "required", "Must not be empty, unless there are tool_calls.")
        return attrs


class MessagesInput(Input):
    """A batch of messages, in the order in which they were said."""

    messages = ListOfField(child=MessageInput(), least=1, most=MESSAGES_MOST)
