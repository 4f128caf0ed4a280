"""Plain values of tasks and episodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.errors import Conflict, FieldFault, NotFound, Refused


class TaskUnknown(NotFound):
    """The subject has no task with this id, or the tenant no such subject."""

    def __init__(self) -> None:
        super().__init__("No task with this id.")


class TaskFinished(Conflict):
    """A finished task is history and cannot change. HTTP 409."""

    code = "task_finished"

    def __init__(self) -> None:
        super().__init__("This task is finished.")


class StepUnknown(Refused):
    """A change names an unknown step and has no text that would make it a new one. HTTP 422."""

    code = "step_unknown"

    def __init__(self, number: int) -> None:
        message = "Names no step of the plan; a new step has a text."
        super().__init__(message, faults=[FieldFault(f"steps.{number}.id", "unknown", message)])


class TooManySteps(Refused):
    """The plan would have too many steps. HTTP 422."""

    code = "too_many_steps"


@dataclass(frozen=True, slots=True)
class TaskAddress:
    """One task as outside programs name it: the product's own subject id, and the task's id."""

    subject_id: str
    task_id: UUID


@dataclass(frozen=True, slots=True)
class TaskChange:
    """Changes of a task; None is no change. ``plan`` replaces the steps, ``steps`` changes or adds single ones."""

    goal: str | None = None
    plan: Sequence[Mapping[str, Any]] | None = None
    steps: Sequence[Mapping[str, Any]] = ()
    scratchpad: Any = None
    iteration: int | None = None


@dataclass(frozen=True, slots=True)
class TaskEnding:
    """An agent's report at the end of a task; omitted parts are taken from the steps."""

    outcome: str
    approach: str = ""
    feedback: str = ""
    key_decisions: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActiveStep:
    """One step of a plan."""

    text: str
    status: str
    result: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ActiveTask:
    """A task in progress for a prompt. ``scratchpad`` is text, whole; one above the limit is "", and
    ``scratchpad_left_out`` is its number of characters."""

    id: UUID
    goal: str
    iteration: int
    updated_at: datetime
    steps: tuple[ActiveStep, ...] = field(default=())
    scratchpad: str = ""
    scratchpad_left_out: int = 0
