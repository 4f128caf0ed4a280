"""Chat models of a tenant: its routes, daily bounds, and usage."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from tenants.models.base import TenantOwned


class ModelPurpose(models.TextChoices):
    """The purposes of chat models."""

    SUMMARISE = "summarise", _("summarise")
    EXTRACT = "extract", _("extract")
    JUDGE = "judge", _("judge")
    REWRITE = "rewrite", _("rewrite")


# Caching of prompt prefixes at a vendor: no chat model's purpose, so no route leads there.
CACHE = "cache"


class ModelRoute(TenantOwned):
    """A tenant's deviation from the platform's settings for one purpose.

    ``endpoint`` names one of the operator's configured endpoints; empty: no model does this for the tenant. No row: the
    platform's own route. ``daily_tokens`` bounds the tokens read and written for this purpose in a UTC day; NULL: the
    default.
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
    """The use of one model on one UTC day: calls and tokens, never content. ``token_hours``: tokens cached at its
    vendor, times hours, booked when they are bought."""

    day = models.DateField(_("day"))
    purpose = models.CharField(
        _("purpose"), max_length=16, choices=[*ModelPurpose.choices, (CACHE, _("cache prefixes"))]
    )
    model = models.CharField(_("model"), max_length=200)
    calls = models.PositiveBigIntegerField(_("calls"), default=0)
    failures = models.PositiveBigIntegerField(_("failures"), default=0)
    input_tokens = models.PositiveBigIntegerField(_("tokens read"), default=0)
    output_tokens = models.PositiveBigIntegerField(_("tokens written"), default=0)
    token_hours = models.DecimalField(_("cached tokens × hours"), max_digits=18, decimal_places=3, db_default=0)

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
