"""Versions of a tenant's policy, and experiments that run several side by side."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tenants.models.base import TenantOwned


class PolicyVersion(TenantOwned):
    """One version, never changed: overrides over the code's defaults, ``{section: {field: value}}``.

    ``number`` counts 1, 2, 3 within the tenant; version 1 overrides nothing. The tenant's row names the active one.
    """

    number = models.PositiveIntegerField(_("version"))
    document = models.JSONField(_("settings"), default=dict)
    based_on = models.PositiveIntegerField(_("based on"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    author = models.CharField(_("made by"), max_length=64, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta(TenantOwned.Meta):
        db_table = "policy_version"
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("tenant", "number"), name="one_policy_per_number"),)
        verbose_name = _("policy")
        verbose_name_plural = _("policies")

    def __str__(self) -> str:
        return str(self.number)


class ExperimentStatus(models.TextChoices):
    """The state of an experiment. An ended one does not run again."""

    DRAFT = "draft", _("draft")
    RUNNING = "running", _("running")
    ENDED = "ended", _("ended")


class Experiment(TenantOwned):
    """Several policy versions side by side. ``arms``: ``[{name, policy_version, percent, buckets}]``.

    ``buckets`` are the parts, of 100, of all subjects that get the arm's version; the rest get the active one.
    ``version`` counts the changes.
    """

    name = models.CharField(_("name"), max_length=64)
    arms = models.JSONField(_("arms"), default=list)
    status = models.CharField(
        _("status"), max_length=16, choices=ExperimentStatus.choices, default=ExperimentStatus.DRAFT
    )
    version = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    started_at = models.DateTimeField(_("started at"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)

    class Meta(TenantOwned.Meta):
        db_table = "experiment"
        ordering = ("-created_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=("tenant", "name"), name="one_experiment_per_name"),
            models.UniqueConstraint(
                fields=("tenant",), condition=Q(status=ExperimentStatus.RUNNING), name="one_running_experiment"
            ),
        )
        verbose_name = _("experiment")
        verbose_name_plural = _("experiments")

    def __str__(self) -> str:
        return self.name
