"""Screens of agents' tasks, and of the episodes that finished tasks left."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.code_labels import render_step_counts
from memory_platform.console.shared.list_filters import SubjectFilter
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    make_column,
    make_fieldset,
    render_line,
    render_link,
    render_share_bar,
    render_text,
    render_value,
)
from snapshots.models import Episode, Snapshot, StepStatus, Task

STEP_STATUS_LABELS: dict[Any, Any] = dict(StepStatus.choices)
goal_column = make_column("goal", render_line, _("goal"), order="goal")


def render_steps(steps: Sequence[Any]) -> str:
    """Return a plan as HTML: text and status of each step, with its result or error."""
    shown = [
        (step.get("text", ""), STEP_STATUS_LABELS.get(step.get("status"), ""), _render_step_outcome(step))
        for step in steps
        if isinstance(step, dict)
    ]
    return format_html_join("", '<div class="stored"><bdi>{}</bdi> · {}{}</div>', shown) or EMPTY_VALUE


def render_lines(texts: Sequence[str]) -> str:
    return format_html_join("", '<div class="stored" dir="auto">{}</div>', [(text,) for text in texts]) or EMPTY_VALUE


@admin.display(description=_("episode"))
def render_episode_link(task: Task) -> str:
    episode = Episode.objects.filter(subject_id=task.subject_id, task_id=task.id).first()
    return render_link(Episode, episode.id) if episode else EMPTY_VALUE


@admin.register(Task)
class TaskScreen(SubjectOwnedAdmin):
    """Running and finished tasks of agents."""

    list_display = (
        "created_at",
        subject_column,
        goal_column,
        "status",
        make_column("steps", render_step_counts, _("steps done")),
        "iteration",
        "updated_at",
    )
    count_text = ngettext_lazy("%(count)d task", "%(count)d tasks", "count")
    empty_text = _("An agent that works in steps keeps its plan here. No task has begun yet.")
    list_filter = (SubjectFilter, "status", "created_at")
    search_fields = ("subject__external_id", "goal")
    search_help_text = _("Id of a person or goal")
    ordering = ("-updated_at", "-id")
    fieldsets = (
        make_fieldset(
            None,
            subject_column,
            make_column("goal", render_text, _("goal")),
            "status",
            "iteration",
            render_episode_link,
        ),
        make_fieldset(_("Plan"), make_column("steps", render_steps, _("steps"))),
        make_fieldset(_("Scratchpad"), make_column("scratchpad", render_value, _("scratchpad"))),
        make_fieldset(_("Times"), "created_at", "updated_at", "finished_at"),
        make_fieldset(_("More"), "id"),
    )

    def title_of(self, obj: Task) -> str:
        return obj.goal


@admin.register(Episode)
class EpisodeScreen(SubjectOwnedAdmin):
    """Lessons of finished tasks, each with its task and the snapshot that recall finds."""

    list_select_related = ("subject", "task", "snapshot")
    list_display = (
        "created_at",
        subject_column,
        make_column("task.goal", render_line, _("task")),
        "outcome",
        make_column("importance", render_share_bar, _("importance"), order="importance"),
        make_column("lessons", lambda lessons: render_line("; ".join(lessons)), _("lessons")),
    )
    count_text = ngettext_lazy("%(count)d episode", "%(count)d episodes", "count")
    empty_text = _("What agents learned from finished tasks stands here. No task is finished yet.")
    list_filter = (SubjectFilter, "outcome", "created_at")
    search_fields = ("subject__external_id", "task__goal", "approach", "feedback")
    search_help_text = _("Id of a person, task, approach or feedback")
    ordering = ("-created_at", "-id")
    fieldsets = (
        make_fieldset(
            None,
            subject_column,
            make_column("task", lambda task: render_link(Task, task.pk, task.goal), _("task")),
            make_column("snapshot", lambda snapshot: render_link(Snapshot, snapshot.pk), _("snapshot")),
            "outcome",
            make_column("importance", render_share_bar, _("importance")),
        ),
        make_fieldset(
            None,
            make_column("approach", render_text, _("approach")),
            make_column("key_decisions", render_lines, _("key decisions")),
            make_column("tools", render_lines, _("tools")),
            make_column("feedback", render_text, _("feedback")),
            make_column("lessons", render_lines, _("lessons")),
        ),
        make_fieldset(_("More"), "id", "created_at"),
    )

    def title_of(self, obj: Episode) -> str:
        return str(obj.task.goal)


def _render_step_outcome(step: dict[str, Any]) -> str:
    said = step.get("error") or step.get("result")
    return format_html("<br>{}", said) if said else ""
