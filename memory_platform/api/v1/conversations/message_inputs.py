"""Messages as a request holds them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from memory_platform.api.config import API_CONFIG
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
    make_field_error,
    raise_field_error,
)
from memory_platform.api.requests.serializers import Input, StrictSerializer
from memory_platform.kernel.clock import utc_now
from snapshots.models import MessageRole

MESSAGES_MOST = 200
PARTS_MOST = 1_000
IMAGES_LEFT_OUT = "images_left_out"
# How OpenAI and Anthropic call parts with an image.
IMAGE_TYPES = ("image_url", "input_image", "image")
DEVELOPER = "developer"
FUTURE_MOST = timedelta(days=1)
PART = {
    "type": "object",
    "required": ["type", "text"],
    "properties": {
        "type": {"const": "text", "description": "A part of text."},
        "text": {"type": "string", "description": "The text."},
    },
    "additionalProperties": False,
}
IMAGE = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"enum": list(IMAGE_TYPES), "description": "An image. It is left out."}},
    "additionalProperties": True,
}


class PartInput(StrictSerializer):
    """One part of a content that is a list."""

    type = OneOfField(choices=["text"], help_text="A part of text.")
    text = TextField(max_bytes=API_CONFIG.string_bytes, allow_empty=True, help_text="The text.")


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string"},
            {"type": "array", "items": {"oneOf": [PART, IMAGE]}, "maxItems": PARTS_MOST},
            {"type": "null"},
        ]
    }
)
class ContentField(Direct, serializers.Field[Any, Any, Any, Any]):
    """A text, or a list of text parts that together keep the text's limit. Either may be empty."""

    text = TextField(max_bytes=API_CONFIG.string_bytes, allow_empty=True)
    parts = ListOfField(child=PartInput(), most=PARTS_MOST)

    def to_internal_value(self, data: Any) -> str | list[dict[str, Any]]:
        if isinstance(data, str):
            return str(self.text.to_internal_value(data))
        if not isinstance(data, list):
            raise_field_error("not_a_text", "Must be a string or a list of text parts.")
        parts: list[dict[str, Any]] = self.parts.to_internal_value([part for part in data if not is_image(part)])
        if sum(len(part["text"].encode()) for part in parts) > API_CONFIG.string_bytes:
            raise_field_error("too_long", f"Has at most {API_CONFIG.string_bytes} bytes in all parts.")
        return parts


@extend_schema_field({"type": "array", "items": {"type": "object", "additionalProperties": {}}})
class ToolCallsField(JsonField):
    """A list of objects, stored as given."""

    def to_internal_value(self, data: Any) -> list[dict[str, Any]]:
        if not isinstance(data, list):
            raise_field_error("not_a_list", "Must be a list of objects.")
        faults = {
            str(index): [ErrorDetail("Must be a JSON object.", code="not_an_object")]
            for index, item in enumerate(data)
            if not isinstance(item, dict)
        }
        if faults:
            raise ValidationError(faults)
        calls: list[dict[str, Any]] = super().to_internal_value(data)
        return calls


class RoleField(OneOfField):
    """A role; OpenAI's `developer` means `system`."""

    def to_internal_value(self, data: Any) -> str:
        role = super().to_internal_value(data)
        return MessageRole.SYSTEM.value if role == DEVELOPER else role


class SaidAtField(InstantField):
    """When something was said: at most a day in the future, which allows for wrong clocks."""

    def to_internal_value(self, value: Any) -> datetime:
        said_at = super().to_internal_value(value)
        if said_at > utc_now() + FUTURE_MOST:
            raise_field_error("in_future", "Must be at most one day in the future: it is when the message was said.")
        return said_at


class MessageInput(StrictSerializer):
    """One message of a conversation."""

    message_id = ProductIdField(
        required=False, help_text="Your id of the message, unique within the conversation. A retry with it is safe."
    )
    role = RoleField(choices=[*MessageRole.values, DEVELOPER], help_text="Who said it. `developer` means `system`.")
    content = ContentField(
        required=False,
        help_text="A text of at most 64 KiB, or a list of parts. Parts of text are kept, images are left out. It may "
        "be empty when there are `tool_calls`.",
    )
    name = TextField(
        max_bytes=API_CONFIG.id_bytes, max_length=API_CONFIG.id_chars, required=False, help_text="Name of the speaker."
    )
    tool_calls = ToolCallsField(required=False, help_text="Tool calls of the assistant, stored as they are.")
    tool_call_id = TextField(
        max_bytes=API_CONFIG.id_bytes,
        max_length=API_CONFIG.id_chars,
        required=False,
        help_text="The tool call that this message answers.",
    )
    said_at = SaidAtField(
        required=False,
        local=True,
        help_text="When it was said; now by default, at most a day in the future. The offset is that of the speaker's "
        "clock and decides what `tomorrow` means; `Z` says nothing about it.",
    )
    metadata = JsonObjectField(
        required=False,
        help_text="Your own data about the message. A member `memory` is about what is remembered of it: "
        "`memory.metadata`, an object, becomes the metadata of these memories, and `memory.expires_at` their end.",
    )
    remember = FlagField(default=True, help_text="False: learn nothing from this message.")

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        value = super().to_internal_value(data)
        if not value.get("content") and not value.get("tool_calls"):
            hint = " Images are not stored." if has_images(data) else ""
            raise make_field_error("content", "required", f"Must not be empty, unless there are tool_calls.{hint}")
        return value


class MessagesInput(Input):
    """Messages of one conversation."""

    messages = ListOfField(
        child=MessageInput(), least=1, most=MESSAGES_MOST, help_text="In the order in which they were said."
    )


def has_images(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(map(is_image, content))


def is_image(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in IMAGE_TYPES
