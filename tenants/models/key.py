"""API keys: the id is readable, the secret is not."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from tenants.models.base import TenantForeignKey, TenantOwned


class Scope(models.TextChoices):
    MEMORY_READ = "memory:read", _("read memory")
    MEMORY_WRITE = "memory:write", _("write memory")
    KNOWLEDGE_WRITE = "knowledge:write", _("write knowledge")
    ADMIN = "admin", _("administer")


class ApiKey(TenantOwned):
    """The public half of a key. ``key_id`` is the prefix that logs and lists may show."""

    key_id = models.CharField(_("key id"), max_length=12, unique=True, editable=False)
    name = models.CharField(_("name"), max_length=100)
    scopes = ArrayField(models.CharField(max_length=32, choices=Scope.choices), verbose_name=_("scopes"))
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires at"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(_("last used at"), null=True, blank=True, editable=False)
    rotated_to = TenantForeignKey("self", null=True, blank=True, editable=False, verbose_name=_("rotated to"))

    class Meta(TenantOwned.Meta):
        db_table = "api_key"
        ordering = ("-created_at", "-id")
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")

    def __str__(self) -> str:
        return self.key_id


class ApiKeyDigest(TenantOwned):
    """The keyed hash of a key's secret. The app role may insert and delete it, never read it."""

    api_key = TenantForeignKey(ApiKey)
    digest = models.BinaryField()

    class Meta(TenantOwned.Meta):
        db_table = "api_key_digest"
        constraints = (models.UniqueConstraint(fields=("tenant", "api_key"), name="one_digest_per_api_key"),)

    def __str__(self) -> str:
        return str(self.pk)
