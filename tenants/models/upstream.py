"""Upstreams: the model endpoint to which a tenant's calls go on."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tenants.models.base import TenantOwned


class UpstreamKind(models.TextChoices):
    """The form of API that an upstream speaks."""

    OPENAI = "openai", _("OpenAI")


class Upstream(TenantOwned):
    """A tenant's own model endpoint.

    ``sealed_key``: its API key, encrypted; empty for an endpoint that takes none. ``key_end``: the last characters of
    the key, all of it that is ever shown.
    """

    kind = models.CharField(_("kind"), max_length=16, choices=UpstreamKind.choices, default=UpstreamKind.OPENAI)
    base_url = models.CharField(_("address"), max_length=500)
    sealed_key = models.BinaryField(editable=False)
    key_end = models.CharField(_("end of the key"), max_length=4, blank=True, editable=False)
    updated_at = models.DateTimeField(_("set at"), default=timezone.now, editable=False)

    class Meta(TenantOwned.Meta):
        db_table = "upstream"
        ordering = ("kind", "id")
        constraints = (models.UniqueConstraint(fields=("tenant", "kind"), name="one_upstream_of_a_kind"),)
        verbose_name = _("upstream")
        verbose_name_plural = _("upstreams")

    def __str__(self) -> str:
        return str(self.kind)
