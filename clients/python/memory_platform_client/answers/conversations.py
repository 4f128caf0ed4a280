"""Answers: conversations.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory_platform_client.answers.shared import FastLane
from memory_platform_client.answers.vocabularies import ConversationStatus, FateReason, FateVerdict, MessageRole
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class Accepted(Answer):
    """Messages that are stored and committed."""

    conversation_id: str
    accepted: list[Fate]
    window: WindowSize
    fast_lane: list[FastLane]


@dataclass(kw_only=True)
class Conversation(Answer):
    """A conversation."""

    conversation_id: str
    status: ConversationStatus
    remember: bool
    last_seq: int
    summary: str | None
    created_at: datetime
    last_accepted_at: datetime
    ended_at: datetime | None


@dataclass(kw_only=True)
class End(Answer):
    """The end of a conversation, and the job that makes its memories."""

    conversation_id: str
    status: ConversationStatus
    job_id: str


@dataclass(kw_only=True)
class Fate(Answer):
    """The fate of one message.  With the reason `special_category` the tenant's policy forbids learning from it: it is
    `stored` for its own conversation alone, or `rejected`, which means not stored."""

    message_id: str
    seq: int | None
    verdict: FateVerdict
    reason: FateReason | None = None


@dataclass(kw_only=True)
class Message(Answer):
    """One stored message."""

    message_id: str
    seq: int
    role: MessageRole
    name: str | None
    content: str
    tool_calls: list[dict[str, Any]] | None
    tool_call_id: str | None
    said_at: datetime
    tokens: int
    parts: list[dict[str, Any]] | None
    metadata: dict[str, Any]
    remember: bool
    accepted_at: datetime


@dataclass(kw_only=True)
class Pending(Answer):
    """Work for a subject that is due and not done."""

    pending: int
    dead: int
    oldest_seconds: float | None


@dataclass(kw_only=True)
class Restored(Answer):
    """The messages of a conversation that came back from the archive."""

    conversation_id: str
    restored: int


@dataclass(kw_only=True)
class Turn(Answer):
    """One message of the window."""

    message_id: str
    seq: int
    role: MessageRole
    name: str | None
    content: str
    tool_calls: list[dict[str, Any]] | None
    tool_call_id: str | None
    said_at: datetime
    tokens: int


@dataclass(kw_only=True)
class Window(Answer):
    """The recent messages of a conversation, oldest first."""

    messages: list[Turn]
    tokens: int
    summary: str | None
    degraded_reason: Literal["redis_unavailable"] | None


@dataclass(kw_only=True)
class WindowSize(Answer):
    """The size of the window after this write."""

    messages: int
    tokens: int
