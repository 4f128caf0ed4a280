"""Answers: tasks.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_platform_client.answers.vocabularies import (
    StepStatus,
    TaskOutcome,
    TaskStatus,
    ToolAnswerReason,
    ToolAnswerVerdict,
    ToolFormat,
    ToolLanguage,
)
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class Episode(Answer):
    """A finished task's lessons."""

    id: str
    task_id: str
    snapshot_id: str
    task: str
    outcome: TaskOutcome
    approach: str | None
    key_decisions: list[str]
    feedback: str | None
    tools: list[str]
    lessons: list[str]
    importance: float
    text: str
    created_at: datetime
    expires_at: datetime | None


@dataclass(kw_only=True)
class Step(Answer):
    """A step of a plan."""

    id: str
    text: str
    status: StepStatus
    result: str | None
    error: str | None
    tool: str | None


@dataclass(kw_only=True)
class Task(Answer):
    """The working memory of a task."""

    id: str
    goal: str
    status: TaskStatus
    steps: list[Step]
    scratchpad: Any
    iteration: int
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    episode_id: str | None
    version: int


@dataclass(kw_only=True)
class ToolAnswer(Answer):
    """The result of a call."""

    tool: str
    verdict: ToolAnswerVerdict
    reason: ToolAnswerReason | None
    result: dict[str, Any] | None


@dataclass(kw_only=True)
class Tools(Answer):
    """Definitions of the tools for one vendor."""

    format: ToolFormat
    language: ToolLanguage
    tools: list[dict[str, Any]]
    guidance: str
