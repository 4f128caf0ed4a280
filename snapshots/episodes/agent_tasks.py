"""Working memory of an agent's task: begin it, change its steps, read it. Inside an open ``tenant_tx``."""

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import count
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from profiles.provenance_and_verdict import describe_value
from profiles.services.subject_lock import lock_subject
from snapshots.episodes.config import TASKS
from snapshots.episodes.values import (
    ActiveStep,
    ActiveTask,
    StepUnknown,
    TaskChange,
    TaskFinished,
    TaskUnknown,
    TooManySteps,
)
from snapshots.models import StepStatus, Task, TaskStatus

# Raises if the caller does not accept this version of a row.
Accept = Callable[[UUID, int], None]
SAID_OF_STEP = ("text", "status", "result", "error", "tool")


def begin_task(subject: Subject, goal: str, plan: Sequence[Mapping[str, Any]] = (), *, scratchpad: Any = None) -> Task:
    """Begin a task. Steps of ``plan`` have a ``text`` and perhaps more of ``SAID_OF_STEP``. Raises TooManySteps."""
    lock_subject(subject)
    return Task.objects.create(subject=subject, goal=goal, steps=_apply_step_changes([], plan), scratchpad=scratchpad)


def change_task(subject: Subject, task_id: UUID, change: TaskChange, *, accept: Accept) -> Task:
    """Change a task in progress; omitted parts stay. Raises TaskUnknown, TaskFinished, StepUnknown, TooManySteps, and
    the errors of ``accept``."""
    task = lock_task(subject, task_id, accept=accept)
    if change.goal is not None:
        task.goal = change.goal
    if change.plan is not None:
        task.steps = _apply_step_changes([], change.plan)
    task.steps = _apply_step_changes(task.steps, change.steps)
    if change.scratchpad is not None:
        task.scratchpad = change.scratchpad
    if change.iteration is not None:
        task.iteration = change.iteration
    task.updated_at = utc_now()
    task.version += 1
    task.save(update_fields=["goal", "steps", "scratchpad", "iteration", "updated_at", "version"])
    return task


def lock_task(subject: Subject, task_id: UUID, *, accept: Accept) -> Task:
    """Return a task in progress with its subject locked. Raises as :func:`change_task`."""
    lock_subject(subject)
    task = find_task(subject, task_id)
    accept(task.id, task.version)
    if task.status == TaskStatus.FINISHED:
        raise TaskFinished
    return task


def list_tasks(subject: Subject, *, status: str | None = None) -> QuerySet[Task]:
    rows = Task.objects.filter(subject_id=subject.id).order_by()
    return rows if status is None else rows.filter(status=status)


def find_task(subject: Subject, task_id: UUID) -> Task:
    """Return one task of the subject. Raises TaskUnknown."""
    task = list_tasks(subject).filter(id=task_id).first()
    if task is None:
        raise TaskUnknown
    return task


def list_active_tasks(subject_id: UUID) -> list[ActiveTask]:
    rows = Task.objects.filter(subject_id=subject_id, status=TaskStatus.ACTIVE).order_by("-updated_at", "-id")
    return [_build_active_task(task) for task in rows[: TASKS.shown]]


def _apply_step_changes(
    steps: Sequence[Mapping[str, Any]], changes: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    kept = {str(step["id"]): dict(step) for step in steps}
    by_text = {step["text"]: str(step["id"]) for step in steps}
    for number, change in enumerate(changes):
        known = kept.get(change["id"] if "id" in change else by_text.get(change.get("text", ""), ""))
        if known is None and "text" not in change:
            raise StepUnknown(number)
        if known is None:
            known = _build_step(change, kept)
            kept[known["id"]] = known
        known.update({name: change[name] for name in SAID_OF_STEP if name in change})
    if len(kept) > TASKS.steps:
        raise TooManySteps(f"A task has at most {TASKS.steps} steps.")
    return list(kept.values())


def _build_step(change: Mapping[str, Any], step_ids: Collection[str]) -> dict[str, Any]:
    free = next(str(number) for number in count(len(step_ids) + 1) if str(number) not in step_ids)
    nothing = dict.fromkeys(("result", "error", "tool"))
    return {"id": change.get("id", free), "text": "", "status": StepStatus.PENDING.value, **nothing}


def _build_active_task(task: Task) -> ActiveTask:
    notes = describe_value(task.scratchpad)
    too_long = len(notes) > TASKS.scratchpad_chars
    return ActiveTask(
        id=task.id,
        goal=task.goal,
        iteration=task.iteration,
        updated_at=task.updated_at,
        steps=tuple(
            ActiveStep(step["text"], step["status"], step.get("result"), step.get("error")) for step in task.steps
        ),
        scratchpad="" if too_long else notes,
        scratchpad_left_out=len(notes) if too_long else 0,
    )
