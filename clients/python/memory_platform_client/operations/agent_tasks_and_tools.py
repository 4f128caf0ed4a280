"""Tasks of agents, and tools for models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_platform_client.answers.inputs import StepInput
from memory_platform_client.answers.tasks import Episode, Task, ToolAnswer
from memory_platform_client.answers.vocabularies import TaskOutcome, TaskStatus
from memory_platform_client.call_declarations import Scope, Way, call, listing
from memory_platform_client.decoding import Page

TASKS = "/v1/subjects/{subject_id}/tasks"
TASK = f"{TASKS}/{{task_id}}"
TOOLS = "/v1/subjects/{subject_id}/tools"


class Tasks(Scope[Way]):
    """What an agent is doing for a subject."""

    @listing(TASKS)
    def list(self, *, status: TaskStatus | None = None, limit: int | None = None) -> Page[Task]:
        """List the tasks, oldest first."""

    @call("POST", TASKS)
    def add(self, goal: str, *, plan: Sequence[str | Mapping[str, str]] | None = None, scratchpad: Any = None) -> Task:
        """Begin a task."""

    @call("GET", TASK)
    def get(self, task_id: str) -> Task:
        """Get a task with its plan and notes."""

    @call("PATCH", TASK)
    def update(
        self,
        task_id: str,
        *,
        goal: str | None = None,
        plan: Sequence[str | Mapping[str, str]] | None = None,
        steps: Sequence[StepInput] | None = None,
        scratchpad: Any = None,
        iteration: int | None = None,
        if_match: str | None = None,
    ) -> Task:
        """Change a task."""

    @call("POST", f"{TASK}/finish")
    def finish(
        self,
        task_id: str,
        outcome: TaskOutcome,
        *,
        approach: str | None = None,
        feedback: str | None = None,
        key_decisions: Sequence[str] | None = None,
        tools: Sequence[str] | None = None,
        lessons: Sequence[str] | None = None,
    ) -> Episode:
        """End a task; the answer is its episode, which recall finds from now on."""


class Tools(Scope[Way]):
    """What a model calls; ``Memory.tools`` defines the tools for it."""

    @call("POST", f"{TOOLS}/{{tool}}")
    def run(self, tool: str, arguments: Any, *, conversation: str | None = None) -> ToolAnswer:
        """Run a tool that saves or forgets, with the arguments as the model gave them."""

    @call("POST", f"{TOOLS}/recall", reads=True)
    def recall(self, arguments: Any, *, conversation: str | None = None) -> ToolAnswer:
        """Run the tool ``recall``: find memories in a short form for the model."""
