"""Screens of agents' tasks, and of the episodes that finished tasks left."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.shared.display import EMPTY, column, line, link_to, part, share, value_whole, whole
from memory_platform.console.shared.filters import OfSubject
from snapshots.models import Episode, Snapshot, StepStatus, Task

STEP_STATUSES: dict[Any, Any] = dict(StepStatus.choices)
goal_line = column("goal", line, _("goal"), order="goal")


def steps_done(steps: Sequence[Any]) -> str:
    done = sum(step.get("status") == StepStatus.COMPLETED for step in steps)
    return f"{done}/{len(steps)}" if steps else EMPTY


def steps_whole(steps: Sequence[Any]) -> str:
    """Return a plan as HTML: text and status of each step, with its result or error."""
    shown = [
        (step.get("text", ""), STEP_STATUSES.get(step.get("status"), ""), _came_of(step))
        for step in steps
        if isinstance(step, dict)
    ]
    return format_html_join("", '<div class="stored"><bdi>{}</bdi> · {}{}</div>', shown) or EMPTY


def format_lines(texts: Sequence[str]) -> str:
    return format_html_join("", '<div class="stored" dir="auto">{}</div>', [(text,) for text in texts]) or EMPTY


@admin.display(description=_("episode"))
def episode_link(task: Task) -> str:
    episode = Episode.objects.filter(subject_id=task.subject_id, task_id=task.id).first()
    return link_to(Episode, episode.id) if episode else EMPTY


@admin.register(Task)
class TaskScreen(SubjectOwnedAdmin):
    """Running and finished tasks of agents."""

    list_display = (
        "created_at",
        subject_shown,
        goal_line,
        "status",
        column("steps", steps_done, _("steps done")),
        "iteration",
        "updated_at",
    )
    list_filter = (OfSubject, "status", "created_at")
    search_fields = ("subject__external_id", "goal")
    search_help_text = _("Subject id or goal")
    date_hierarchy = "created_at"
    ordering = ("-updated_at", "-id")
    fieldsets = (
        part(None, subject_shown, column("goal", whole, _("goal")), "status", "iteration", episode_link),
        part(_("Plan"), column("steps", steps_whole, _("steps"))),
        part(_("Scratchpad"), column("scratchpad", value_whole, _("scratchpad"))),
        part(_("Times"), "created_at", "updated_at", "finished_at"),
        part(_("More"), "id"),
    )

    def title_of(self, obj: Task) -> str:
        return obj.goal


@admin.register(Episode)
class EpisodeScreen(SubjectOwnedAdmin):
    """Lessons of finished tasks, each with its task and the snapshot that recall finds."""

    list_select_related = ("subject", "task", "snapshot")
    list_display = (
        "created_at",
        subject_shown,
        column("task.goal", line, _("task")),
        "outcome",
        column("importance", share, _("importance"), order="importance"),
        column("lessons", lambda lessons: line("; ".join(lessons)), _("lessons")),
    )
    list_filter = (OfSubject, "outcome", "created_at")
    search_fields = ("subject__external_id", "task__goal", "approach", "feedback")
    search_help_text = _("Subject id, task, approach or feedback")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        part(
            None,
            subject_shown,
            column("task", lambda task: link_to(Task, task.pk, task.goal), _("task")),
            column("snapshot", lambda snapshot: link_to(Snapshot, snapshot.pk), _("snapshot")),
            "outcome",
            column("importance", share, _("importance")),
        ),
        part(
            None,
            column("approach", whole, _("approach")),
            column("key_decisions", format_lines, _("key decisions")),
            column("tools", format_lines, _("tools")),
            column("feedback", whole, _("feedback")),
            column("lessons", format_lines, _("lessons")),
        ),
        part(_("More"), "id", "created_at"),
    )

    def title_of(self, obj: Episode) -> str:
        return str(obj.task.goal)


def _came_of(step: dict[str, Any]) -> str:
    said = step.get("error") or step.get("result")
    return format_html("<br>{}", said) if said else ""
