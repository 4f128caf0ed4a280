"""Records of scheduled care: joined memories, changes of confidence, reviews."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned


class MemoryLane(models.TextChoices):
    """The kind of memory that a row of care speaks of, by its name in receipts."""

    SNAPSHOTS = "snapshots", _("snapshots")
    PREFERENCES = "preferences", _("preferences")
    PROFILE = "profile", _("profile")
    TAGS = "tags", _("tags")


class Consolidation(SubjectOwned):
    """Memories that say nearly the same, joined into one. ``undone_at``: when the join was undone."""

    lane = models.CharField(_("kind of memory"), max_length=16, choices=MemoryLane.choices)
    memory_ref = models.UUIDField(_("memory"))
    members = ArrayField(models.UUIDField(), verbose_name=_("joined memories"))
    similarity = models.FloatField(_("least similarity"))
    created_at = models.DateTimeField(_("created at"), default=timezone.now)
    undone_at = models.DateTimeField(_("undone at"), null=True, blank=True)

    class Meta(SubjectOwned.Meta):
        db_table = "consolidation"
        ordering = ("-created_at", "-id")
        indexes = (models.Index(fields=("tenant", "subject", "-created_at"), name="consolidation_by_time"),)
        verbose_name = _("consolidation")
        verbose_name_plural = _("consolidations")

    def __str__(self) -> str:
        return str(self.pk)


class CalibrationRule(models.TextChoices):
    """Why a confidence changed."""

    LIKED = "liked", _("positive feedback")
    CORRECTED = "corrected", _("corrected")
    DISLIKED = "disliked", _("negative feedback")


class Calibration(SubjectOwned):
    """One change of one memory's confidence, with the counts behind it."""

    lane = models.CharField(_("kind of memory"), max_length=16, choices=MemoryLane.choices)
    memory_ref = models.UUIDField(_("memory"))
    rule = models.CharField(_("rule"), max_length=16, choices=CalibrationRule.choices)
    before = models.FloatField(_("confidence before"))
    after = models.FloatField(_("confidence after"))
    injected = models.PositiveIntegerField(_("included in prompts"))
    judged = models.PositiveIntegerField(_("judged"))
    positive = models.PositiveIntegerField(_("positive"))
    corrected = models.PositiveIntegerField(_("corrected"))
    created_at = models.DateTimeField(_("created at"), default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "calibration"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "subject", "-created_at"), name="calibration_by_subject"),
            models.Index(fields=("tenant", "memory_ref", "-created_at"), name="calibration_by_memory"),
        )
        verbose_name = _("calibration")
        verbose_name_plural = _("calibrations")

    def __str__(self) -> str:
        return str(self.pk)


class ReviewReason(models.TextChoices):
    """Why somebody should look at a memory."""

    UNSURE = "unsure", _("confidence too low")
    STALE = "stale", _("not validated for long")


class ReviewDecision(models.TextChoices):
    """The decision of a review."""

    RETIRED = "retired", _("retired")
    KEPT = "kept", _("kept")
    GONE = "gone", _("no longer in question")


class MemoryReview(SubjectOwned):
    """One memory that may be retired; a person decides. At most one open row per memory."""

    lane = models.CharField(_("kind of memory"), max_length=16, choices=MemoryLane.choices)
    memory_ref = models.UUIDField(_("memory"))
    reason = models.CharField(_("reason"), max_length=16, choices=ReviewReason.choices)
    effective_confidence = models.FloatField(_("effective confidence"))
    created_at = models.DateTimeField(_("created at"), default=timezone.now)
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    decision = models.CharField(_("decision"), max_length=16, choices=ReviewDecision.choices, blank=True)
    decided_by = models.CharField(_("decided by"), max_length=200, blank=True)

    class Meta(SubjectOwned.Meta):
        db_table = "memory_review"
        ordering = ("-created_at", "-id")
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "lane", "memory_ref"),
                condition=models.Q(decided_at__isnull=True),
                name="one_open_review_per_memory",
            ),
        )
        indexes = (models.Index(fields=("tenant", "-created_at"), name="memory_review_by_time"),)
        verbose_name = _("memory to review")
        verbose_name_plural = _("memories to review")

    def __str__(self) -> str:
        return str(self.pk)


class ActVerb(models.TextChoices):
    """The kinds of staff actions on a memory."""

    CONFIRMED = "confirmed", _("confirmed")
    CORRECTED = "corrected", _("corrected")
    MERGED = "merged", _("merged")
    RETIRED = "retired", _("retired")
    ADDED = "added", _("added")
    KEPT = "kept", _("kept after a review")
    VITAL_CHANGED = "vital_changed", _("vital changed")


class MemoryAct(SubjectOwned):
    """A staff action on one memory, with the data for its undo: ids and times, and of a tag its columns and past.
    ``other_ref`` is the memory that a merge ended, or the value that a correction replaced, maybe under another key."""

    lane = models.CharField(_("kind of memory"), max_length=16, choices=MemoryLane.choices)
    memory_ref = models.UUIDField(_("memory"))
    other_ref = models.UUIDField(null=True, blank=True)
    verb = models.CharField(_("staff action"), max_length=16, choices=ActVerb.choices)
    before = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(_("created at"), default=timezone.now)
    undone_at = models.DateTimeField(_("undone at"), null=True, blank=True)

    class Meta(SubjectOwned.Meta):
        db_table = "memory_act"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "subject", "memory_ref", "-created_at"), name="memory_act_by_memory"),
            models.Index(fields=("tenant", "created_at"), name="memory_act_by_time"),
        )
        verbose_name = _("staff action")
        verbose_name_plural = _("staff actions")

    def __str__(self) -> str:
        return str(self.pk)
