"""The window as its readers see it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from snapshots.models import Message, MessageRole
from snapshots.window.config import WINDOW_CONFIG, WindowConfig


@dataclass(frozen=True, slots=True)
class WindowMessage:
    """One recent message. ``id`` is the row's, which sources of memories name; ``message_id`` the product's own."""

    id: UUID
    message_id: str
    seq: int
    role: str
    name: str | None
    content: str
    said_at: datetime
    tokens: int
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None

    @property
    def is_forgotten(self) -> bool:
        """Whether its words were forgotten. Only tools and callers of tools may say nothing otherwise."""
        return not self.content and not self.tool_calls and self.role != MessageRole.TOOL


@dataclass(frozen=True, slots=True)
class Window:
    """The recent turns, oldest first. ``degraded``: Redis did not answer, Postgres did."""

    turns: tuple[WindowMessage, ...]
    tokens: int
    summary: str | None = None
    degraded: bool = False

    @property
    def remembered_turns(self) -> Iterator[WindowMessage]:
        """Yield the turns without forgotten ones and their answers: an answer may repeat forgotten words, and the roles
        would no longer alternate."""
        forgotten = False
        for turn in self.turns:
            if turn.role == MessageRole.USER:
                forgotten = turn.is_forgotten
            if not forgotten and not turn.is_forgotten:
                yield turn


def build_window_message(message: Message) -> WindowMessage:
    return WindowMessage(
        id=message.id,
        message_id=message.external_id,
        seq=message.seq,
        role=str(message.role),
        name=message.name,
        content=message.content,
        said_at=message.said_at,
        tokens=message.tokens,
        tool_calls=message.tool_calls,
        tool_call_id=message.tool_call_id or None,
    )


def choose_newest_turns(
    turns: Sequence[WindowMessage], config: WindowConfig = WINDOW_CONFIG
) -> tuple[WindowMessage, ...]:
    """Return the longest run of newest turns within both limits; ``turns`` and the result are oldest first. A turn is
    never cut or left out in the middle: the first turn that does not fit ends the run."""
    kept: list[WindowMessage] = []
    left = config.tokens
    for turn in reversed(turns[-config.messages :]):
        left -= turn.tokens
        if left < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))
