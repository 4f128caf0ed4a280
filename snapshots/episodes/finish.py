"""Ends a task: it becomes an episode, stored as a snapshot like any other memory."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict
from profiles.models import Subject
from profiles.selectors import subject_by_external_id
from profiles.services.locking import lock_subject
from profiles.services.tombstones import ForgottenMemory
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.episodes.agent_tasks import Accept, find_task
from snapshots.episodes.episode_text import Mask, complete_ending, mask_ending, rate_importance, render_episode
from snapshots.episodes.values import TaskAddress, TaskEnding, TaskFinished
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers
from snapshots.lifecycle.values import NewSnapshot, SnapshotOffer
from snapshots.models import Episode, Snapshot, SnapshotKind, Task, TaskStatus
from tenants.isolation import tenant_tx

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


def _finish_in_scope(address: TaskAddress, told: EpisodeDraft | None, ending: TaskEnding, accept: Accept) -> Episode:
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
    if told is None or (told.goal, told.steps) != (task.goal, task.steps):
        raise TaskChangedMeanwhile
    return _store_ending(subject, task, told, utc_now())


def find_episode(task: Task) -> Episode | None:
    return list_episodes([task]).get(task.id)


def list_episodes(tasks: Sequence[Task]) -> dict[UUID, Episode]:
    """Return ``{task.id: episode}`` of the tasks that have one, in one query."""
    wanted = {"subject_id__in": {task.subject_id for task in tasks}, "task_id__in": [task.id for task in tasks]}
    rows = Episode.objects.filter(**wanted).select_related("snapshot", "task")
    return {episode.task_id: episode for episode in rows}


def _store_ending(subject: Subject, task: Task, told: EpisodeDraft, now: datetime) -> Episode:
    (fate,) = create_snapshots(subject, [told.offer])
    if fate.id is None:
        raise told.offer.refusal or ForgottenMemory("The subject had this episode forgotten.")
    task.status, task.finished_at, task.updated_at = TaskStatus.FINISHED, now, now
    task.version += 1
    task.save(update_fields=["status", "finished_at", "updated_at", "version"])
    ending = told.ending
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
        importance=told.importance,
        created_at=now,
    )
