"""A task and its episode as they go in and out."""

from collections.abc import Mapping, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_platform.api.policy import KIB
from memory_platform.api.requests.faults import fault
from memory_platform.api.requests.fields import (
    JsonField,
    ListOfField,
    OneOfField,
    ProductIdField,
    TextField,
    WholeField,
    names,
)
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.views.pagination import PageInput
from snapshots.episodes.policy import TASKS
from snapshots.episodes.values import Ending, TaskChange
from snapshots.models import Episode, EpisodeOutcome, StepStatus, Task, TaskStatus

GOAL_BYTES = 8 * KIB
STEP_BYTES = 4 * KIB
NOTE_BYTES = 16 * KIB
ENTRIES_MOST = 50
ITERATIONS_MOST = 2**31 - 1


class StepInput(StrictSerializer):
    """A step: with the id of one that there is, a change of it; else, with a text, a new one."""

    id = ProductIdField(required=False)
    text = TextField(max_bytes=STEP_BYTES, required=False)
    status = OneOfField(choices=names(StepStatus.values), required=False)
    result = TextField(max_bytes=NOTE_BYTES, required=False)
    error = TextField(max_bytes=NOTE_BYTES, required=False)
    tool = TextField(max_bytes=KIB, required=False)


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "minLength": 1},
            {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        ]
    }
)
class PlannedStepField(serializers.Field[Mapping[str, Any], Any, Any, Any]):
    """A step of a plan: its text, or an object with ``text`` and perhaps id, status, result, error and tool."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the step. Raises ValidationError."""
        step = dict(StepInput().run_validation({"text": data} if isinstance(data, str) else data))
        if "text" not in step:
            raise fault("text", "required", "Is required.")
        return step


def plan_field() -> ListOfField:
    """Return a plan that may be left out."""
    return ListOfField(child=PlannedStepField(), most=TASKS.steps, required=False)


class TextsField(ListOfField):
    """Texts; a single one is a list of one."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=TextField(max_bytes=STEP_BYTES), most=ENTRIES_MOST, required=False, **kwargs)

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the texts. Raises ValidationError."""
        return super().to_internal_value([data] if isinstance(data, str) else data)


class TaskInput(Input):
    """A task to begin; the plan may come later."""

    goal = TextField(max_bytes=GOAL_BYTES)
    plan = plan_field()
    scratchpad = JsonField(required=False)


class TaskEditInput(Input):
    """Changes: what is not given stays. ``plan`` replaces all steps, ``steps`` changes or adds single ones."""

    goal = TextField(max_bytes=GOAL_BYTES, required=False)
    plan = plan_field()
    steps = ListOfField(child=StepInput(), most=TASKS.steps, required=False)
    scratchpad = JsonField(required=False)
    iteration = WholeField(least=0, most=ITERATIONS_MOST, required=False)

    @staticmethod
    def change_of(parsed: Mapping[str, Any]) -> TaskChange:
        """Return the change that a checked input asks for."""
        return TaskChange(**parsed)


class TaskListInput(PageInput):
    """Tasks of one status, or all."""

    status = OneOfField(choices=names(TaskStatus.values), required=False)


class FinishInput(Input):
    """How a task ended. What is left out is read from the steps: approach, tools, and lessons of those that failed."""

    outcome = OneOfField(choices=names(EpisodeOutcome.values))
    approach = TextField(max_bytes=NOTE_BYTES, required=False)
    feedback = TextField(max_bytes=NOTE_BYTES, required=False)
    key_decisions = TextsField()
    tools = TextsField()
    lessons = TextsField()

    @staticmethod
    def ending_of(parsed: Mapping[str, Any]) -> Ending:
        """Return the ending that a checked input tells."""
        said: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in parsed.items()
        }
        return Ending(**said)


class StepOutput(Output):
    """One step of a plan."""

    id = serializers.CharField()
    text = serializers.CharField()
    status = serializers.ChoiceField(choices=names(StepStatus.values))
    result = serializers.CharField(allow_null=True)
    error = serializers.CharField(allow_null=True)
    tool = serializers.CharField(allow_null=True)


class TaskOutput(Output):
    """Working memory of one task; ``episode_id`` once it is finished and as long as the episode is held."""

    id = serializers.UUIDField()
    goal = serializers.CharField()
    status = serializers.ChoiceField(choices=names(TaskStatus.values))
    steps = StepOutput(many=True)
    scratchpad = serializers.JSONField()
    iteration = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    episode_id = serializers.UUIDField(allow_null=True)
    version = serializers.IntegerField()


class EpisodeOutput(Output):
    """What a finished task taught; recall finds it as the snapshot ``snapshot_id`` of kind ``episode``."""

    id = serializers.UUIDField()
    task_id = serializers.UUIDField()
    snapshot_id = serializers.UUIDField()
    task = serializers.CharField()
    outcome = serializers.ChoiceField(choices=names(EpisodeOutcome.values))
    approach = serializers.CharField(allow_null=True)
    key_decisions = serializers.ListField(child=serializers.CharField())
    feedback = serializers.CharField(allow_null=True)
    tools = serializers.ListField(child=serializers.CharField())
    lessons = serializers.ListField(child=serializers.CharField())
    importance = serializers.FloatField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)


def serialize_task(task: Task, episode: Episode | None = None) -> dict[str, Any]:
    return {
        "id": task.id,
        "goal": task.goal,
        "status": task.status,
        "steps": serialize_steps(task.steps),
        "scratchpad": task.scratchpad,
        "iteration": task.iteration,
        "created_at": task.created_at,
        "updated_at": task.updated_at,
        "finished_at": task.finished_at,
        "episode_id": episode.id if episode else None,
        "version": task.version,
    }


def serialize_steps(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return steps with every member that a step may have."""
    return [{name: step.get(name) for name in ("id", "text", "status", "result", "error", "tool")} for step in steps]


def serialize_episode(episode: Episode) -> dict[str, Any]:
    """Return an episode as JSON; with its task and snapshot at hand."""
    return {
        "id": episode.id,
        "task_id": episode.task.id,
        "snapshot_id": episode.snapshot.id,
        "task": episode.task.goal,
        "outcome": episode.outcome,
        "approach": episode.approach or None,
        "key_decisions": episode.key_decisions,
        "feedback": episode.feedback or None,
        "tools": episode.tools,
        "lessons": episode.lessons,
        "importance": episode.importance,
        "text": episode.snapshot.text,
        "created_at": episode.created_at,
        "expires_at": episode.snapshot.expires_at,
    }
