"""What stands inside the arguments of methods.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from memory_platform_client.answers.vocabularies import (
    AboutInputKind,
    ClaimedProvenance,
    MemoryKind,
    MemorySignal,
    MessageInputRole,
    StepStatus,
)
from memory_platform_client.encoding import When

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class AboutInput(TypedDict):
    """The note's person or thing."""

    kind: AboutInputKind
    id: NotRequired[str | None]
    label: NotRequired[str | None]
    relation: NotRequired[str | None]


class ArmInput(TypedDict):
    """An arm of an experiment."""

    name: str
    policy_version: int
    percent: int


class BudgetInput(TypedDict):
    """How many tokens the context and its sections may have."""

    total: NotRequired[int | None]
    system: NotRequired[int | None]
    profile: NotRequired[int | None]
    memory: NotRequired[int | None]
    window: NotRequired[int | None]
    knowledge: NotRequired[int | None]


class MessageInput(TypedDict):
    """One message of a conversation."""

    message_id: NotRequired[str | None]
    role: MessageInputRole
    content: NotRequired[Sequence[Mapping[str, Any]] | str | None]
    name: NotRequired[str | None]
    tool_calls: NotRequired[Sequence[Mapping[str, Any]] | None]
    tool_call_id: NotRequired[str | None]
    said_at: NotRequired[When | None]
    metadata: NotRequired[Mapping[str, Any] | None]
    remember: NotRequired[bool | None]


class ProfileFields(TypedDict):
    """Values for a profile."""

    name: NotRequired[str | None]
    occupation: NotRequired[str | None]
    interests: NotRequired[Sequence[str] | None]
    mbti: NotRequired[str | None]
    age_range: NotRequired[str | None]
    locale: NotRequired[str | None]
    timezone: NotRequired[str | None]
    attributes: NotRequired[Any]
    remove: NotRequired[Sequence[str] | None]
    modes: NotRequired[Any]


class SnapshotInput(TypedDict):
    """A new memory."""

    category: NotRequired[str | None]
    topics: NotRequired[Sequence[str] | None]
    aliases: NotRequired[Sequence[str] | None]
    importance: NotRequired[float | None]
    confidence: NotRequired[float | None]
    provenance: NotRequired[ClaimedProvenance | None]
    said_at: NotRequired[When | None]
    expires_at: NotRequired[When | None]
    metadata: NotRequired[Mapping[str, Any] | None]
    text: str
    kind: NotRequired[MemoryKind | None]
    allow_forgotten: NotRequired[bool | None]


class StepInput(TypedDict):
    """A step of a plan."""

    id: NotRequired[str | None]
    text: NotRequired[str | None]
    status: NotRequired[StepStatus | None]
    result: NotRequired[str | None]
    error: NotRequired[str | None]
    tool: NotRequired[str | None]


TimeRangeInput = TypedDict("TimeRangeInput", {"from": "NotRequired[When | None]", "to": "NotRequired[When | None]"})


class VerdictInput(TypedDict):
    """Your product's own judgement of one memory in the context."""

    memory_id: str
    signal: MemorySignal
    reason: NotRequired[str | None]
