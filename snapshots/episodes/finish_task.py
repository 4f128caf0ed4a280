"""Ends a task: it becomes an episode, stored as a snapshot like any other memory. The agent's ending is completed from
the steps, its importance rated, and the text written that recall finds."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict
from memory_platform.kernel.text import detect_language
from profiles.models import Subject
from profiles.selectors import subject_by_external_id
from profiles.services.subject_lock import lock_subject
from profiles.services.tombstones import ForgottenMemory
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.episodes.agent_tasks import Accept, find_task
from snapshots.episodes.config import EPISODES
from snapshots.episodes.values import TaskAddress, TaskEnding, TaskFinished
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers
from snapshots.lifecycle.write_types import NewSnapshot, SnapshotOffer
from snapshots.models import Episode, EpisodeOutcome, Snapshot, SnapshotKind, StepStatus, Task, TaskStatus
from tenants.isolation import tenant_tx

# Masks secrets in a text; returns it and their number.
Mask = Callable[[str], tuple[str, int]]
_LABELS = {
    "en": ("Task", "Outcome", "Approach", "Decisions", "Tools", "Feedback", "Lessons"),
    "zh": ("任务", "结果", "做法", "关键决定", "工具", "反馈", "经验"),
}
_OUTCOMES = {
    "en": {"success": "success", "partial": "partial success", "failure": "failure"},
    "zh": {"success": "成功", "partial": "部分成功", "failure": "失败"},
}


TRIES = 3


class TaskChangedMeanwhile(Exception):
    """Goal or steps of the task changed between reading and writing."""


@dataclass(frozen=True, slots=True)
class EpisodeDraft:
    """A task prepared to end, and its snapshot to be stored. ``goal`` and ``steps`` are those that the snapshot
    describes; other changes of the task since then do not matter."""

    goal: str
    steps: list[dict[str, Any]]
    ending: TaskEnding
    importance: float
    offer: SnapshotOffer


@dataclass(frozen=True, slots=True)
class EpisodeWriter:
    embedders: Embedders
    mask: Mask


def finish_task(
    tenant_id: UUID, address: TaskAddress, ending: TaskEnding, teller: EpisodeWriter, *, accept: Accept
) -> Episode:
    """End a task and return its episode; a repeated end with the same outcome returns the existing episode.

    Opens its own scopes, one to read, one to write, and embeds between them; a task whose goal or steps change
    meanwhile is read again. Raises TaskUnknown, TaskFinished for another outcome, ForgottenMemory, and the errors of
    ``accept``.
    """
    for _ in range(TRIES):
        with tenant_tx(tenant_id):
            task = find_task(subject_by_external_id(address.subject_id), address.task_id)
        told = _draft_episode(task, ending, teller)
        with tenant_tx(tenant_id), suppress(TaskChangedMeanwhile):
            return _finish_in_scope(address, told, ending, accept)
    raise Conflict("Other requests keep changing this task.")


def _draft_episode(task: Task, ending: TaskEnding, teller: EpisodeWriter) -> EpisodeDraft | None:
    """Return a task's episode, embedded but not stored; None if it is finished already. No scope may be open."""
    if task.status == TaskStatus.FINISHED:
        return None
    whole = mask_ending(complete_ending(ending, task), teller.mask)
    importance = rate_importance(whole, task)
    new = NewSnapshot(
        text=render_episode(teller.mask(task.goal)[0], whole),
        kind=SnapshotKind.EPISODE,
        importance=importance,
        metadata={"outcome": whole.outcome},
    )
    (offer,) = prepare_offers([new], teller.embedders, mask=teller.mask)
    return EpisodeDraft(task.goal, task.steps, whole, importance, offer)


def _finish_in_scope(address: TaskAddress, draft: EpisodeDraft | None, ending: TaskEnding, accept: Accept) -> Episode:
    """End the task with its prepared episode, in the open scope. Raises TaskMoved if the task has changed."""
    subject = subject_by_external_id(address.subject_id)
    lock_subject(subject)
    task = find_task(subject, address.task_id)
    if task.status == TaskStatus.FINISHED:
        episode = find_episode(task)
        if episode is None or episode.outcome != ending.outcome:
            raise TaskFinished
        return episode
    accept(task.id, task.version)
    if draft is None or (draft.goal, draft.steps) != (task.goal, task.steps):
        raise TaskChangedMeanwhile
    return _store_ending(subject, task, draft, utc_now())


def find_episode(task: Task) -> Episode | None:
    return list_episodes([task]).get(task.id)


def list_episodes(tasks: Sequence[Task]) -> dict[UUID, Episode]:
    """Return ``{task.id: episode}`` of the tasks that have one, in one query."""
    wanted = {"subject_id__in": {task.subject_id for task in tasks}, "task_id__in": [task.id for task in tasks]}
    rows = Episode.objects.filter(**wanted).select_related("snapshot", "task")
    return {episode.task_id: episode for episode in rows}


def _store_ending(subject: Subject, task: Task, draft: EpisodeDraft, now: datetime) -> Episode:
    (fate,) = create_snapshots(subject, [draft.offer])
    if fate.id is None:
        raise draft.offer.refusal or ForgottenMemory("The subject had this episode forgotten.")
    task.status, task.finished_at, task.updated_at = TaskStatus.FINISHED, now, now
    task.version += 1
    task.save(update_fields=["status", "finished_at", "updated_at", "version"])
    ending = draft.ending
    return Episode.objects.create(
        subject=subject,
        task=task,
        snapshot=Snapshot.objects.get(subject_id=subject.id, id=fate.id),
        outcome=ending.outcome,
        approach=ending.approach,
        key_decisions=list(ending.key_decisions),
        feedback=ending.feedback,
        tools=list(ending.tools),
        lessons=list(ending.lessons),
        importance=draft.importance,
        created_at=now,
    )


def complete_ending(ending: TaskEnding, task: Task) -> TaskEnding:
    """Return the ending, completed from the steps: approach, tools, lessons of failures."""
    steps = [step for step in task.steps if step["text"]]
    done = [step["text"] for step in steps if step["status"] == StepStatus.COMPLETED]
    failed = [f"{step['text']}: {step['error']}" for step in steps if _describe_failure(step) and step.get("error")]
    return replace(
        ending,
        approach=ending.approach or " → ".join(done),
        tools=ending.tools or tuple(dict.fromkeys(step["tool"] for step in steps if step.get("tool"))),
        lessons=ending.lessons or tuple(failed),
    )


def mask_ending(ending: TaskEnding, mask: Mask) -> TaskEnding:
    """Return the ending without secrets: an episode outlives its task."""
    return replace(
        ending,
        approach=mask(ending.approach)[0],
        feedback=mask(ending.feedback)[0],
        key_decisions=tuple(mask(one)[0] for one in ending.key_decisions),
        tools=tuple(mask(one)[0] for one in ending.tools),
        lessons=tuple(mask(one)[0] for one in ending.lessons),
    )


def rate_importance(ending: TaskEnding, task: Task) -> float:
    """Return the importance of the episode, 0..1: by outcome, raised by feedback and lessons."""
    ranges = {
        EpisodeOutcome.SUCCESS: EPISODES.success,
        EpisodeOutcome.PARTIAL: EPISODES.partial,
        EpisodeOutcome.FAILURE: EPISODES.failure,
    }
    least, most = EPISODES.feedback if ending.feedback else ranges[EpisodeOutcome(ending.outcome)]
    taught = len(ending.lessons) + len(ending.key_decisions) + sum(map(_describe_failure, task.steps))
    return round(least + (most - least) * min(1.0, taught / EPISODES.taught_all), 4)


def render_episode(goal: str, ending: TaskEnding) -> str:
    """Return the episode as one text in the language of its goal, each part cut to the configured length."""
    language = "zh" if detect_language(goal) == "zh" else "en"
    said = (
        goal,
        _OUTCOMES[language][ending.outcome],
        ending.approach,
        _join_texts(ending.key_decisions, language),
        _join_texts(ending.tools, language),
        ending.feedback,
        _join_texts(ending.lessons, language),
    )
    colon = ":" if language == "zh" else ": "
    parts = zip(_LABELS[language], said, strict=True)
    return "\n".join(f"{label}{colon}{text[: EPISODES.part_chars]}" for label, text in parts if text)


def _join_texts(texts: Iterable[str], language: str) -> str:
    return (";" if language == "zh" else "; ").join(texts)


def _describe_failure(step: Mapping[str, Any]) -> bool:
    return bool(step["status"] == StepStatus.FAILED)
