"""``/v1/subjects/{subject_id}/tasks``: an agent's working memory, and the episodes that tasks become."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.requests.serializers import page_of
from memory_platform.api.v1.memories.task_serializers import (
    EpisodeOutput,
    FinishInput,
    TaskEditInput,
    TaskInput,
    TaskListInput,
    TaskOutput,
)
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.etags import IfMatch, etag_header
from memory_platform.api.views.idempotency import Reply, write_in_scopes, write_once
from memory_platform.api.views.operations import operation
from memory_platform.api.views.pagination import Page
from memory_platform.kernel.errors import NotFound, VersionMismatch
from profiles.selectors import subject_by_external_id
from profiles.services.subjects import ensure_subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.episodes.agent_tasks import begin_task, change_task, find_task, list_tasks
from snapshots.episodes.finish import EpisodeWriter, find_episode, finish_task, list_episodes
from snapshots.episodes.values import StepUnknown, TaskAddress, TaskEnding, TaskFinished, TaskUnknown, TooManySteps
from snapshots.models import Episode, Task
from snapshots.sensitive.detector import mask_sensitive
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx

BELOW = "subjects/<product_id:subject_id>/tasks"
ONE = f"{BELOW}/<own_id:task_id>"


class TasksView(SubjectView):
    noun = "tasks"
    required_scope = READS_AND_WRITES

    @operation("list_tasks", query=TaskListInput, answer=page_of(TaskOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the tasks, oldest first. With `status=active`, those in progress."""
        query = TaskListInput.parse(request)
        page = Page.from_request(request, query)
        with tenant_tx(self.tenant_id):
            kept, cursor = page.load_page(list_tasks(subject_by_external_id(subject_id), status=query.get("status")))
            episodes = list_episodes(kept)
        data = [render_task(task, episodes.get(task.id)) for task in kept]
        return Response({"data": data, "next_cursor": cursor})

    @operation("create_task", request=TaskInput, answer=TaskOutput, status=201, errors=[TooManySteps])
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Begin a task. The subject is created if it is unknown."""
        return write_once(request, partial(reply_to_begin, subject_id, TaskInput.parse(request)))


class TaskView(SubjectView):
    noun = "tasks"
    versioned = True
    required_scope = READS_AND_WRITES

    @operation("get_task", answer=TaskOutput, errors=[TaskUnknown])
    def get(self, request: Request, subject_id: str, task_id: UUID) -> Response:
        """Get a task with its plan and notes."""
        with tenant_tx(self.tenant_id):
            task = find_task(subject_by_external_id(subject_id), task_id)
            episode = find_episode(task)
        return Response(render_task(task, episode), headers=etag_header(task))

    @operation(
        "update_task",
        request=TaskEditInput,
        answer=TaskOutput,
        errors=[TaskUnknown, TaskFinished, StepUnknown, TooManySteps],
    )
    def patch(self, request: Request, subject_id: str, task_id: UUID) -> Response:
        """Change a task: single steps by id, or the whole plan or scratchpad. A finished task is 409."""
        change = TaskEditInput.change_of(TaskEditInput.parse(request))
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            task = change_task(subject_by_external_id(subject_id), task_id, change, accept=condition.check)
        return Response(render_task(task), headers=etag_header(task))


class FinishView(SubjectView):
    noun = "tasks"
    required_scope = MEMORY_WRITE

    @operation(
        "finish_task",
        request=FinishInput,
        answer=EpisodeOutput,
        errors=[NotFound, TaskUnknown, TaskFinished, VersionMismatch, QuotaExceeded],
    )
    def post(self, request: Request, subject_id: str, task_id: UUID) -> HttpResponse:
        """End a task and return its episode, which recall finds from now on.

        The same outcome again returns the same episode; another one is 409 `task_finished`. Card and identity numbers
        and secrets in it are masked. Above the limit `stored_snapshots` this is 429, and the task stays in progress.
        """
        ending, condition = FinishInput.ending_of(FinishInput.parse(request)), IfMatch.from_request(request)
        address = TaskAddress(subject_id, task_id)
        return write_in_scopes(request, partial(self.reply_to_finish, address, ending, condition))

    def reply_to_finish(self, address: TaskAddress, ending: TaskEnding, condition: IfMatch) -> Reply:
        """End a task in transactions of its own."""
        teller = EpisodeWriter(active_embedders(), mask_sensitive)

        def accept(task: UUID, version: int) -> None:
            condition.check(task, version)
            self.make_room(snapshots=1)

        episode = finish_task(self.tenant_id, address, ending, teller, accept=accept)
        return Reply(EpisodeOutput.render(episode), subject_id=episode.subject_id)


def reply_to_begin(subject_id: str, given: dict[str, Any]) -> Reply:
    subject = ensure_subject(subject_id)
    task = begin_task(subject, given["goal"], given.get("plan", ()), scratchpad=given.get("scratchpad"))
    return Reply(render_task(task), status=201, headers=etag_header(task), subject_id=subject.id)


def render_task(task: Task, episode: Episode | None = None) -> dict[str, Any]:
    return TaskOutput.render(task, episode_id=episode.id if episode else None)


urlpatterns = [
    path(BELOW, TasksView.as_view(), name="tasks"),
    path(ONE, TaskView.as_view(), name="task"),
    path(f"{ONE}/finish", FinishView.as_view(), name="task-finish"),
]
