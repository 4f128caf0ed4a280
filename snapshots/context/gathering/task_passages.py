"""Tasks in progress as passages of a context: goal, steps with results, iteration, notes."""

from collections.abc import Iterator
from uuid import UUID

from memory_platform.kernel.text import collapse_spaces
from snapshots.context.gathering.candidate_items import mark_instructions
from snapshots.context.values import Passage
from snapshots.episodes.agent_tasks import list_active_tasks
from snapshots.episodes.values import ActiveStep, ActiveTask
from snapshots.recall.loading.stored_memory import SubjectReader


def load_task_passages(whose: SubjectReader, subject_id: UUID) -> tuple[Passage, ...]:
    """Return the subject's tasks in progress, the one changed last first, read in the scope of ``whose``."""
    with whose.scope():
        tasks = list_active_tasks(subject_id)
    return tuple(render_task_passage(task, rank) for rank, task in enumerate(tasks))


def render_task_passage(task: ActiveTask, rank: int = 0) -> Passage:
    """Return one task. Each part stays on its line, so that no text of one can pass for another."""
    steps = (f"- [{step.status}] {'; '.join(render_task_step(step))}" for step in task.steps)
    text = "\n".join((collapse_spaces(task.goal), *steps, *render_task_notes(task)))
    label = f"iteration {task.iteration}" if task.iteration else ""
    return mark_instructions(Passage(lane="tasks", id=str(task.id), text=text, label=label, score=-float(rank)))


def render_task_notes(task: ActiveTask) -> Iterator[str]:
    """Yield the notes whole, or how long they are where they are too long for a prompt."""
    if task.scratchpad:
        yield f"notes: {collapse_spaces(task.scratchpad)}"
    elif task.scratchpad_left_out:
        yield f"notes: left out, {task.scratchpad_left_out:,} characters"


def render_task_step(step: ActiveStep) -> Iterator[str]:
    yield collapse_spaces(step.text)
    if step.result:
        yield f"result: {collapse_spaces(step.result)}"
    if step.error:
        yield f"error: {collapse_spaces(step.error)}"
