"""Tasks: an agent's working memory."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned


class TaskStatus(models.TextChoices):
    """Whether a task is in progress."""

    ACTIVE = "active", _("active")
    FINISHED = "finished", _("finished")


class StepStatus(models.TextChoices):
    """The progress of one step of a plan."""

    PENDING = "pending", _("pending")
    IN_PROGRESS = "in_progress", _("in progress")
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")


class Task(SubjectOwned):
    """An agent's task for a subject. ``steps`` is the plan as one array: ``{"id", "text", "status", "result", "error",
    "tool"}``; ``scratchpad`` is any JSON of the agent."""

    goal = models.TextField(_("goal"))
    status = models.CharField(_("status"), max_length=16, choices=TaskStatus.choices, default=TaskStatus.ACTIVE)
    steps = models.JSONField(_("steps"), default=list, blank=True)
    scratchpad = models.JSONField(_("scratchpad"), null=True, blank=True)
    iteration = models.PositiveIntegerField(_("iteration"), default=0)
    created_at = models.DateTimeField(_("created at"), default=timezone.now)
    updated_at = models.DateTimeField(_("updated at"), default=timezone.now)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)
    version = models.PositiveBigIntegerField(default=1, editable=False)

    class Meta(SubjectOwned.Meta):
        db_table = "task"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "subject", "created_at", "id"), name="task_by_age"),
            models.Index(
                fields=("tenant", "subject", "-updated_at"),
                condition=models.Q(status="active"),
                name="task_in_progress",
            ),
            models.Index(fields=("tenant", "updated_at"), name="task_by_change"),
        )
        verbose_name = _("task")
        verbose_name_plural = _("tasks")

    def __str__(self) -> str:
        return str(self.pk)
