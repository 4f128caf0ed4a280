"""Outcomes of injected memories: counters, timely corrections, indicators by the day."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned
from snapshots.models.snapshot import Snapshot
from tenants.models import TenantForeignKey, TenantOwned


class Tally(SubjectOwned):
    """How often one memory was injected, and the reactions; rolled up from receipts by a job.

    ``judged`` counts the injections with any feedback: shares are taken of these. ``calibrated_...`` are the counts at
    the last calibration: the next one looks at the growth since then.
    """

    injected = models.PositiveIntegerField(_("included in prompts"), default=0)
    utilised = models.PositiveIntegerField(_("used in the reply"), default=0, db_default=0)
    judged = models.PositiveIntegerField(_("judged"), default=0, db_default=0)
    positive = models.PositiveIntegerField(_("positive"), default=0)
    negative = models.PositiveIntegerField(_("negative"), default=0, db_default=0)
    corrected = models.PositiveIntegerField(_("corrected"), default=0)
    calibrated_injected = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    calibrated_judged = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    calibrated_positive = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    calibrated_corrected = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta(SubjectOwned.Meta):
        abstract = True


class SnapshotCounter(Tally):
    """The tally of a snapshot."""

    snapshot = TenantForeignKey(Snapshot)

    class Meta(Tally.Meta):
        db_table = "snapshot_counter"
        constraints = (models.UniqueConstraint(fields=("tenant", "snapshot"), name="one_counter_per_snapshot"),)

    def __str__(self) -> str:
        return str(self.pk)


class BeliefCounter(Tally):
    """The tally of a preference, a profile fact or a tag. ``memory_ref`` is its lifelong id."""

    lane = models.CharField(_("kind of memory"), max_length=16)
    memory_ref = models.UUIDField(_("memory"))

    class Meta(Tally.Meta):
        db_table = "belief_counter"
        constraints = (models.UniqueConstraint(fields=("tenant", "lane", "memory_ref"), name="one_counter_per_belief"),)

    def __str__(self) -> str:
        return str(self.pk)


class FastLaneChange(SubjectOwned):
    """One correction of the fast lane, and its time from acceptance to commit (milliseconds)."""

    memory_ref = models.UUIDField(_("memory"), null=True, blank=True)
    took_ms = models.FloatField(_("milliseconds"))
    created_at = models.DateTimeField(_("created at"), default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "fast_lane_change"
        indexes = (models.Index(fields=("tenant", "created_at"), name="fast_lane_change_by_age"),)

    def __str__(self) -> str:
        return str(self.pk)


class Indicator(TenantOwned):
    """How well memory served on one UTC day, by policy version and arm of an experiment; counts, no shares."""

    day = models.DateField(_("day"))
    policy_version = models.CharField(_("policy version"), max_length=32)
    experiment = models.CharField(_("experiment"), max_length=64, blank=True, default="", db_default="")
    arm = models.CharField(_("arm"), max_length=64, blank=True)
    contexts = models.PositiveBigIntegerField(_("contexts"), default=0)
    degraded = models.PositiveBigIntegerField(_("degraded answers"), default=0)
    injected = models.PositiveBigIntegerField(_("included in prompts"), default=0)
    replied = models.PositiveBigIntegerField(_("included, reply known"), default=0)
    utilised = models.PositiveBigIntegerField(_("used in the reply"), default=0)
    judged = models.PositiveBigIntegerField(_("judged"), default=0)
    positive = models.PositiveBigIntegerField(_("positive"), default=0)
    negative = models.PositiveBigIntegerField(_("negative"), default=0)
    corrected = models.PositiveBigIntegerField(_("corrected"), default=0)
    stale = models.PositiveBigIntegerField(_("stale"), default=0)
    tokens = models.PositiveBigIntegerField(_("tokens in contexts"), default=0)
    tokens_full_history = models.PositiveBigIntegerField(_("tokens of full histories"), default=0)
    fast_lane_changes = models.PositiveBigIntegerField(_("immediate corrections"), default=0)
    fast_lane_p95_ms = models.FloatField(_("correction delay, p95 in ms"), null=True, blank=True)

    class Meta(TenantOwned.Meta):
        db_table = "indicator"
        ordering = ("-day", "policy_version", "experiment", "arm")
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "day", "policy_version", "experiment", "arm"), name="one_indicator_per_day"
            ),
        )
        verbose_name = _("indicator")
        verbose_name_plural = _("indicators")

    def __str__(self) -> str:
        return f"{self.day}"
