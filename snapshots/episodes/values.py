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
    """A finished task is history: nothing of it changes. HTTP 409."""

    code = "task_finished"

    def __init__(self) -> None:
        super().__init__("This task is finished.")


class StepUnknown(Refused):
    """A change names a step that the plan does not have, and says no text that would make it one. HTTP 422."""

    code = "step_unknown"

    def __init__(self, number: int) -> None:
        message = "Names no step of the plan; a new step has a text."
        super().__init__(message, faults=[FieldFault(f"steps.{number}.id", "unknown", message)])


class TooManySteps(Refused):
    """A plan cannot grow for ever. HTTP 422."""

    code = "too_many_steps"


@dataclass(frozen=True, slots=True)
class TaskAddress:
    """One task as outside programs name it: the product's own subject id, and the task's id."""

    subject_id: str
    task_id: UUID


@dataclass(frozen=True, slots=True)
class TaskChange:
    """What is new of a task; None is no news. ``plan`` replaces the steps, ``steps`` changes or adds single ones."""

    goal: str | None = None
    plan: Sequence[Mapping[str, Any]] | None = None
    steps: Sequence[Mapping[str, Any]] = ()
    scratchpad: Any = None
    iteration: int | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """What an agent says of a task that it ends; what it leaves out is read from the steps."""

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
    """A task in progress as a prompt needs it. ``scratchpad`` is text, whole; one longer than the policy allows is "",
    and ``scratchpad_left_out`` tells its characters."""

    id: UUID
    goal: str
    iteration: int
    updated_at: datetime
    steps: tuple[ActiveStep, ...] = field(default=())
    scratchpad: str = ""
    scratchpad_left_out: int = 0
