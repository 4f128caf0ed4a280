"""What was said in a call, whichever form it came in, and its texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rest_framework.exceptions import ValidationError

from memory_platform.api.v1.conversations.message_inputs import MessageInput
from snapshots.intake.values import IncomingMessage

USER, ASSISTANT, TOOL = "user", "assistant", "tool"


@dataclass(frozen=True, slots=True)
class SpokenItem:
    """One thing that was said in a call, instructions aside. ``values`` are those of a message as the REST API takes
    it; ``sent`` is the item as the client sent it."""

    role: str
    values: Mapping[str, Any]
    sent: Any


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The model's words at the end of its answer."""

    text: str = ""
    tool_calls: Sequence[Mapping[str, Any]] = ()

    def __bool__(self) -> bool:
        return bool(self.text or self.tool_calls)


def read_message(values: Mapping[str, Any]) -> IncomingMessage | None:
    """Return a message as the REST API reads it; None for one that it refuses: too long, or without any text."""
    try:
        return IncomingMessage(**MessageInput().run_validation(dict(values)))
    except ValidationError:
        return None


def join_text(content: Any) -> str:
    """Return the text parts of a content, each on its line."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def keep_text_parts(content: Any, types: Sequence[str]) -> list[dict[str, str]] | str | None:
    """Return a content without its parts that are no text: pictures, sounds, files."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else None
    return [
        {"type": "text", "text": part["text"]}
        for part in content
        if isinstance(part, dict) and part.get("type") in types and isinstance(part.get("text"), str)
    ]


@dataclass(slots=True)
class BoundedText:
    """A text that is put together from pieces; ``is_whole`` is False once it is longer than ``most`` characters."""

    most: int
    pieces: list[str] = field(default_factory=list)
    length: int = 0

    @property
    def is_whole(self) -> bool:
        return self.length <= self.most

    def add(self, piece: Any) -> None:
        if isinstance(piece, str) and self.is_whole:
            self.length += len(piece)
            self.pieces.append(piece)

    def __str__(self) -> str:
        return "".join(self.pieces)
