"""Fields of a task and its episode in requests and answers."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_platform.api.config import KIB
from memory_platform.api.requests.fields import (
    JsonField,
    ListOfField,
    OneOfField,
    ProductIdField,
    TextField,
    WholeField,
)
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.requests.validation_faults import make_field_error
from memory_platform.api.v1.memories.shared_serializers import texts_output
from memory_platform.api.views.pagination import PageInput
from snapshots.episodes.config import TASKS
from snapshots.episodes.values import TaskChange, TaskEnding
from snapshots.models import EpisodeOutcome, StepStatus, Task, TaskStatus

GOAL_BYTES = 8 * KIB
STEP_BYTES = 4 * KIB
NOTE_BYTES = 16 * KIB
ENTRIES_MOST = 50
ITERATIONS_MOST = 2**31 - 1
STEP_MEMBERS = ("id", "text", "status", "result", "error", "tool")


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
            {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        ]
    }
)
class PlannedStepField(serializers.Field[Mapping[str, Any], Any, Any, Any]):
    """A step of a plan: its text, or an object with ``text`` and other details."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        step = dict(StepInput().run_validation({"text": data} if isinstance(data, str) else data))
        if "text" not in step:
            raise make_field_error("text", "required", "Is required.")
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
        """Return the change that a checked input describes."""
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
    def ending_of(parsed: Mapping[str, Any]) -> TaskEnding:
        """Return the ending that a checked input describes."""
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
    key_decisions = texts_output("The most important decisions.")
    feedback = serializers.CharField(allow_null=True, help_text="What the user said about it.")
    tools = texts_output("The tools that were used.")
    lessons = texts_output("What to do better next time.")
    importance = serializers.FloatField(help_text="How important the episode is, 0 to 1.")
    text = serializers.CharField(source="snapshot.text", help_text="The words that recall finds and returns.")
    created_at = serializers.DateTimeField(help_text="When the task ended.")
    expires_at = serializers.DateTimeField(
        source="snapshot.expires_at", allow_null=True, help_text="When the episode is deleted; null for never."
    )
