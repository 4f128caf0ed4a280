"""Episodes: the lessons of finished tasks."""

from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned
from snapshots.models.snapshot import Snapshot
from snapshots.models.task import Task
from tenants.models import TenantForeignKey


class EpisodeOutcome(models.TextChoices):
    """How a task ended."""

    SUCCESS = "success", _("success")
    PARTIAL = "partial", _("partial success")
    FAILURE = "failure", _("failure")


class Episode(SubjectOwned):
    """The parts of one finished task; recall finds it through its snapshot, whose text contains all of them. Deleted
    with either."""

    task = TenantForeignKey(Task, verbose_name=_("task"))
    snapshot = TenantForeignKey(Snapshot, verbose_name=_("snapshot"))
    outcome = models.CharField(_("outcome"), max_length=16, choices=EpisodeOutcome.choices)
    approach = models.TextField(_("approach"), blank=True)
    key_decisions = ArrayField(models.TextField(), verbose_name=_("key decisions"), default=list, blank=True)
    feedback = models.TextField(_("feedback"), blank=True)
    tools = ArrayField(models.TextField(), verbose_name=_("tools"), default=list, blank=True)
    lessons = ArrayField(models.TextField(), verbose_name=_("lessons"), default=list, blank=True)
    importance = models.FloatField(_("importance"), validators=[MinValueValidator(0.0), MaxValueValidator(1.0)])
    created_at = models.DateTimeField(_("created at"), default=timezone.now)

    task_id: UUID  # for mypy: Django makes it from the key above

    class Meta(SubjectOwned.Meta):
        db_table = "episode"
        ordering = ("-created_at", "-id")
        constraints = (models.UniqueConstraint(fields=("tenant", "task"), name="one_episode_per_task"),)
        indexes = (models.Index(fields=("tenant", "subject", "-created_at"), name="episode_by_time"),)
        verbose_name = _("episode")
        verbose_name_plural = _("episodes")

    def __str__(self) -> str:
        return str(self.pk)
