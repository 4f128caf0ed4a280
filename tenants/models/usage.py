"""The cost ledger: each tenant's usage by UTC day, and model prices."""

from typing import TYPE_CHECKING, Any

from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from memory_platform.kernel.ids import new_id
from tenants.models.base import TenantOwned

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

THREE_LETTERS = _("Three capital letters, such as USD.")


class UsageEvent(TenantOwned):
    """One acceptance of messages or one context, written in its transaction, until the roll-up adds it to its day.

    It names no subject, so that usage stays counted after an erasure. ``sections`` as in a receipt: a list of
    ``{"name", "tokens", ...}``.
    """

    at = models.DateTimeField(db_default=Now())
    messages = models.PositiveIntegerField(default=0)
    contexts = models.PositiveIntegerField(default=0)
    tokens_in_context = models.PositiveBigIntegerField(default=0)
    tokens_full_history = models.PositiveBigIntegerField(default=0)
    sections = models.JSONField(default=list)

    class Meta(TenantOwned.Meta):
        db_table = "usage_event"
        ordering = ("id",)

    def __str__(self) -> str:
        return str(self.pk)


class UsageRequests(TenantOwned):
    """The requests counted by Redis on one UTC day since ``epoch``, the microsecond of its first count. A Redis that
    lost its counts begins another epoch; a day's requests are the sum of its epochs."""

    day = models.DateField()
    epoch = models.CharField(max_length=20)
    requests = models.PositiveBigIntegerField(default=0)
    refused = models.PositiveBigIntegerField(default=0)

    class Meta(TenantOwned.Meta):
        db_table = "usage_requests"
        ordering = ("day", "epoch")
        constraints = (models.UniqueConstraint(fields=("tenant", "day", "epoch"), name="one_count_per_day_and_epoch"),)

    def __str__(self) -> str:
        return f"{self.day} {self.epoch}"


class UsageDay(TenantOwned):
    """A tenant's usage on one UTC day. ``sections``: ``{section: tokens}`` of all contexts together."""

    day = models.DateField(_("day"))
    requests = models.PositiveBigIntegerField(_("requests"), default=0)
    refused = models.PositiveBigIntegerField(_("refused"), default=0)
    messages = models.PositiveBigIntegerField(_("messages"), default=0)
    contexts = models.PositiveBigIntegerField(_("contexts"), default=0)
    tokens_in_context = models.PositiveBigIntegerField(_("tokens in contexts"), default=0)
    tokens_full_history = models.PositiveBigIntegerField(_("tokens of the full history"), default=0)
    sections = models.JSONField(_("tokens by section"), default=dict)

    class Meta(TenantOwned.Meta):
        db_table = "usage_day"
        ordering = ("-day",)
        constraints = (models.UniqueConstraint(fields=("tenant", "day"), name="one_usage_per_day"),)
        verbose_name = _("day of use")
        verbose_name_plural = _("usage and cost")

    def __str__(self) -> str:
        return str(self.day)


class ModelTier(models.TextChoices):
    """How strong a model is."""

    LIGHT = "light", _("light")
    MIDDLE = "middle", _("middle")
    STRONG = "strong", _("strong")


def _price(name: "StrPromise") -> "models.DecimalField[Any, Any]":
    return models.DecimalField(name, max_digits=12, decimal_places=6, validators=[MinValueValidator(0)])


class ModelPrice(models.Model):
    """The price of a model from a day on, in money per million tokens. Platform-wide; the operator keeps it.

    The youngest valid row of a tier prices the contexts of a day.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tier = models.CharField(_("tier"), max_length=16, choices=ModelTier.choices)
    model = models.CharField(_("model"), max_length=200)
    currency = models.CharField(_("currency"), max_length=3, validators=[RegexValidator(r"^[A-Z]{3}$", THREE_LETTERS)])
    input = _price(_("input, per 1M tokens"))
    cached_input = _price(_("cached input, per 1M tokens"))
    output = _price(_("output, per 1M tokens"))
    storage = models.DecimalField(
        _("cache storage, per 1M tokens and hour"),
        max_digits=12,
        decimal_places=6,
        validators=[MinValueValidator(0)],
        default=0,
        db_default=0,
    )
    valid_from = models.DateField(_("valid from"))
    source = models.CharField(_("source"), max_length=300, blank=True)
    is_example = models.BooleanField(_("example"), default=False)

    class Meta:
        db_table = "model_price"
        ordering = ("tier", "-valid_from", "model")
        constraints = (models.UniqueConstraint(fields=("tier", "model", "valid_from"), name="one_price_per_day"),)
        verbose_name = _("model price")
        verbose_name_plural = _("model prices")

    def __str__(self) -> str:
        return f"{self.model} {self.valid_from}"
