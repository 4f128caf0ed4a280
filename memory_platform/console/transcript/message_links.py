"""Links to a message in the transcript of its conversation."""

from typing import Any
from uuid import UUID

from django.utils.html import format_html

from memory_platform.console.shared.value_rendering import build_change_address
from snapshots.models import Conversation, Message

# Names the message that a page of a transcript is opened for.
MESSAGE_PARAMETER = "message"


def make_turn_anchor(message_id: Any) -> str:
    return f"turn-{message_id}"


def build_turn_address(conversation_id: Any, message_id: Any) -> str:
    """Return the address of a message in its transcript, where it is marked."""
    page = build_change_address(Conversation, conversation_id)
    return f"{page}?{MESSAGE_PARAMETER}={message_id}#{make_turn_anchor(message_id)}"


def render_turn_link(conversation_id: UUID, message_id: UUID, text: str) -> str:
    return format_html('<a href="{}"><bdi>{}</bdi></a>', build_turn_address(conversation_id, message_id), text)


def render_message_link(message: Message) -> str:
    """Return a link to a message in its transcript, named by the minute in which it was said."""
    return render_turn_link(message.conversation_id, message.id, f"{message.said_at:%Y-%m-%d %H:%M}")
