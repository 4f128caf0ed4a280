"""``/v1/subjects/{subject_id}/tasks``: an agent's working memory, and the episodes that tasks become."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.config import KIB
from memory_platform.api.requests.fields import (
    JsonField,
    ListOfField,
    OneOfField,
    ProductIdField,
    TextField,
    WholeField,
    make_field_error,
)
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer, page_of
from memory_platform.api.v1.memories.common_memory_fields import make_texts_output
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.etags import IfMatch, build_etag_header
from memory_platform.api.views.idempotency import Reply, write_in_scopes, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Page, PageInput
from memory_platform.kernel.errors import NotFound, VersionMismatch
from profiles.selectors import subject_by_external_id
from profiles.services.subjects import ensure_subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.episodes.agent_tasks import begin_task, change_task, find_task, list_tasks
from snapshots.episodes.config import TASKS
from snapshots.episodes.finish_task import EpisodeWriter, find_episode, finish_task, list_episodes
from snapshots.episodes.values import (
    StepUnknown,
    TaskAddress,
    TaskChange,
    TaskEnding,
    TaskFinished,
    TaskUnknown,
    TooManySteps,
)
from snapshots.models import Episode, EpisodeOutcome, StepStatus, Task, TaskStatus
from snapshots.sensitive.detector import mask_sensitive
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx

GOAL_BYTES = 8 * KIB
STEP_BYTES = 4 * KIB
NOTE_BYTES = 16 * KIB
ENTRIES_MOST = 50
ITERATIONS_MOST = 2**31 - 1
STEP_MEMBERS = ("id", "text", "status", "result", "error", "tool")
BELOW = "subjects/<product_id:subject_id>/tasks"
ONE = f"{BELOW}/<own_id:task_id>"


class StepInput(StrictSerializer):
    """A step of a plan."""

    id = ProductIdField(required=False, help_text="Id of the step. With the id of an existing step, a change of it.")
    text = TextField(max_bytes=STEP_BYTES, required=False, help_text="What to do. A new step needs it.")
    status = OneOfField(choices=StepStatus.values, required=False, help_text="How far the step is.")
    result = TextField(max_bytes=NOTE_BYTES, required=False, help_text="Its result.")
    error = TextField(max_bytes=NOTE_BYTES, required=False, help_text="Why it failed.")
    tool = TextField(max_bytes=KIB, required=False, help_text="The tool that was used.")


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "minLength": 1},
            {
                "type": "object",
                "required": ["text"],
                "properties": {"text": {"type": "string", "description": "What to do."}},
            },
        ]
    }
)
class PlannedStepField(serializers.Field[Mapping[str, Any], Any, Any, Any]):
    """A step of a plan: its text, or an object with ``text`` and other details."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        step = dict(StepInput().run_validation({"text": data} if isinstance(data, str) else data))
        if "text" not in step:
            raise make_field_error("text", "required", "This field is required.")
        return step


def plan_field(help_text: str) -> ListOfField:
    return ListOfField(child=PlannedStepField(), most=TASKS.steps, required=False, help_text=help_text)


class TextsField(ListOfField):
    """Texts; a single one is a list of one."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=TextField(max_bytes=STEP_BYTES), most=ENTRIES_MOST, required=False, **kwargs)

    def to_internal_value(self, data: Any) -> list[Any]:
        return super().to_internal_value([data] if isinstance(data, str) else data)


class TaskInput(Input):
    """A task to begin."""

    goal = TextField(max_bytes=GOAL_BYTES, help_text="What the task should achieve.")
    plan = plan_field("The steps, as texts or objects. They can be added later.")
    scratchpad = JsonField(required=False, help_text="Notes of the agent; any JSON.")


class TaskEditInput(Input):
    """Changes of a task. Omitted fields keep their values."""

    goal = TextField(max_bytes=GOAL_BYTES, required=False, help_text="A new goal.")
    plan = plan_field("New steps in place of all steps.")
    steps = ListOfField(
        child=StepInput(), most=TASKS.steps, required=False, help_text="Changes of single steps, or steps to add."
    )
    scratchpad = JsonField(required=False, help_text="New notes in place of the old ones; any JSON.")
    iteration = WholeField(least=0, most=ITERATIONS_MOST, required=False, help_text="How often the agent has tried.")

    @staticmethod
    def change_of(parsed: Mapping[str, Any]) -> TaskChange:
        return TaskChange(**parsed)


class TaskListInput(PageInput):
    """Which tasks to list."""

    status = OneOfField(choices=TaskStatus.values, required=False, help_text="Returns tasks with this status only.")


class FinishInput(Input):
    """The end of a task. Omitted fields are read from its steps."""

    outcome = OneOfField(choices=EpisodeOutcome.values, help_text="Whether the goal was reached.")
    approach = TextField(max_bytes=NOTE_BYTES, required=False, help_text="How it was done. Default: the steps.")
    feedback = TextField(max_bytes=NOTE_BYTES, required=False, help_text="What the user said about it.")
    key_decisions = TextsField(help_text="The most important decisions.")
    tools = TextsField(help_text="The tools that were used. Default: those of the steps.")
    lessons = TextsField(help_text="What to do better next time. Default: from the steps that failed.")

    @staticmethod
    def build_task_ending(parsed: Mapping[str, Any]) -> TaskEnding:
        members: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in parsed.items()
        }
        return TaskEnding(**members)


class StepOutput(Output):
    """A step of a plan."""

    id = serializers.CharField(help_text="Id of the step.")
    text = serializers.CharField(help_text="What to do.")
    status = serializers.ChoiceField(choices=StepStatus.values, help_text="How far the step is.")
    result = serializers.CharField(allow_null=True, help_text="Its result, if any.")
    error = serializers.CharField(allow_null=True, help_text="Why it failed, if it did.")
    tool = serializers.CharField(allow_null=True, help_text="The tool that was used, if any.")


class TaskOutput(Output):
    """The working memory of a task."""

    id = serializers.UUIDField(help_text="Id of the task.")
    goal = serializers.CharField(help_text="What the task should achieve.")
    status = serializers.ChoiceField(choices=TaskStatus.values, help_text="Whether it is in progress.")
    steps = StepOutput(many=True, help_text="The steps of its plan.")
    scratchpad = serializers.JSONField(help_text="Notes of the agent; any JSON.")
    iteration = serializers.IntegerField(help_text="How often the agent has tried.")
    created_at = serializers.DateTimeField(help_text="When it began.")
    updated_at = serializers.DateTimeField(help_text="When it last changed.")
    finished_at = serializers.DateTimeField(allow_null=True, help_text="When it ended; null while it is in progress.")
    episode_id = serializers.UUIDField(
        allow_null=True, help_text="Id of its episode; null while it is in progress, and after the episode was deleted."
    )
    version = serializers.IntegerField(help_text="Version of the task; grows with each change.")

    @staticmethod
    def render_steps(task: Task) -> list[dict[str, Any]]:
        return [{name: step.get(name) for name in STEP_MEMBERS} for step in task.steps]


class EpisodeOutput(Output):
    """A finished task's lessons. Recall finds them as a snapshot of the kind `episode`."""

    id = serializers.UUIDField(help_text="Id of the episode.")
    task_id = serializers.UUIDField(source="task.id", help_text="Id of the task.")
    snapshot_id = serializers.UUIDField(source="snapshot.id", help_text="Id of the snapshot that recall finds.")
    task = serializers.CharField(source="task.goal", help_text="The goal of the task.")
    outcome = serializers.ChoiceField(choices=EpisodeOutcome.values, help_text="Whether the goal was reached.")
    approach = serializers.CharField(allow_null=True, help_text="How it was done.")
    key_decisions = make_texts_output("The most important decisions.")
    feedback = serializers.CharField(allow_null=True, help_text="What the user said about it.")
    tools = make_texts_output("The tools that were used.")
    lessons = make_texts_output("What to do better next time.")
    importance = serializers.FloatField(help_text="How important the episode is, 0 to 1.")
    text = serializers.CharField(source="snapshot.text", help_text="The words that recall finds and returns.")
    created_at = serializers.DateTimeField(help_text="When the task ended.")
    expires_at = serializers.DateTimeField(
        source="snapshot.expires_at", allow_null=True, help_text="When the episode is deleted; null for never."
    )


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
        return Response(render_task(task, episode), headers=build_etag_header(task))

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
        return Response(render_task(task), headers=build_etag_header(task))


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
        ending, condition = FinishInput.build_task_ending(FinishInput.parse(request)), IfMatch.from_request(request)
        address = TaskAddress(subject_id, task_id)
        return write_in_scopes(request, partial(self.reply_to_finish, address, ending, condition))

    def reply_to_finish(self, address: TaskAddress, ending: TaskEnding, condition: IfMatch) -> Reply:
        """End a task in transactions of its own."""
        teller = EpisodeWriter(active_embedders(), mask_sensitive)

        def accept(task: UUID, version: int) -> None:
            condition.check(task, version)
            self.reserve_quota(snapshots=1)

        episode = finish_task(self.tenant_id, address, ending, teller, accept=accept)
        return Reply(EpisodeOutput.render(episode), subject_id=episode.subject_id)


def reply_to_begin(subject_id: str, body: dict[str, Any]) -> Reply:
    subject = ensure_subject(subject_id)
    task = begin_task(subject, body["goal"], body.get("plan", ()), scratchpad=body.get("scratchpad"))
    return Reply(render_task(task), status=201, headers=build_etag_header(task), subject_id=subject.id)


def render_task(task: Task, episode: Episode | None = None) -> dict[str, Any]:
    return TaskOutput.render(task, episode_id=episode.id if episode else None)


urlpatterns = [
    path(BELOW, TasksView.as_view(), name="tasks"),
    path(ONE, TaskView.as_view(), name="task"),
    path(f"{ONE}/finish", FinishView.as_view(), name="task-finish"),
]
