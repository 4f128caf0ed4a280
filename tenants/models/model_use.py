"""Chat models of a tenant: which endpoint does what, how much a day may cost, and what was used (row L1)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from tenants.models.base import TenantOwned


class ModelPurpose(models.TextChoices):
    """What a chat model is asked for."""

    SUMMARISE = "summarise", _("summarise")
    EXTRACT = "extract", _("extract")
    JUDGE = "judge", _("judge")
    REWRITE = "rewrite", _("rewrite")


CACHE = "cache"
"""What a vendor is asked for that keeps beginnings of prompts: no chat model's purpose, so no route leads there."""


class ModelRoute(TenantOwned):
    """What one tenant has different from the platform's settings for one purpose.

    ``endpoint`` names one of the operator's configured endpoints; empty: no model does this for the tenant. No row: the
    platform's own route. ``daily_tokens`` bounds what this purpose may read and write in a UTC day; NULL: the policy's.
    """

    purpose = models.CharField(_("purpose"), max_length=16, choices=ModelPurpose.choices)
    endpoint = models.CharField(_("endpoint"), max_length=64, blank=True)
    daily_tokens = models.PositiveBigIntegerField(_("tokens a day"), null=True, blank=True)

    class Meta(TenantOwned.Meta):
        db_table = "model_route"
        ordering = ("purpose",)
        constraints = (models.UniqueConstraint(fields=("tenant", "purpose"), name="one_route_per_purpose"),)
        verbose_name = _("model route")
        verbose_name_plural = _("model routes")

    def __str__(self) -> str:
        return self.purpose


class ModelUsage(TenantOwned):
    """What one model was used for on one UTC day: calls and tokens, never content.

    ``token_hours``: what its vendor keeps on request, tokens times hours, booked when they are bought.
    """

    day = models.DateField(_("day"))
    purpose = models.CharField(
        _("purpose"), max_length=16, choices=[*ModelPurpose.choices, (CACHE, _("keep prefixes"))]
    )
    model = models.CharField(_("model"), max_length=200)
    calls = models.PositiveBigIntegerField(_("calls"), default=0)
    failures = models.PositiveBigIntegerField(_("failures"), default=0)
    input_tokens = models.PositiveBigIntegerField(_("tokens read"), default=0)
    output_tokens = models.PositiveBigIntegerField(_("tokens written"), default=0)
    token_hours = models.DecimalField(_("tokens kept, times hours"), max_digits=18, decimal_places=3, db_default=0)

    class Meta(TenantOwned.Meta):
        db_table = "model_usage"
        ordering = ("-day", "purpose", "model")
        constraints = (
            models.UniqueConstraint(fields=("tenant", "day", "purpose", "model"), name="one_usage_per_day_and_model"),
        )
        verbose_name = _("model usage")
        verbose_name_plural = _("model usage")

    def __str__(self) -> str:
        return f"{self.day} {self.purpose}"
