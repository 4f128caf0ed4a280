"""API keys (the id is readable, the secret is not), and the limits of a tenant or one of its keys."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from memory_platform.kernel.product_ids import ID_CHARS
from tenants.models.base import TenantForeignKey, TenantOwned


class Scope(models.TextChoices):
    MEMORY_READ = "memory:read", _("read memory")
    MEMORY_WRITE = "memory:write", _("write memory")
    KNOWLEDGE_WRITE = "knowledge:write", _("write knowledge")
    ADMIN = "admin", _("administer")


class ApiKey(TenantOwned):
    """The public half of a key. ``key_id`` is the prefix that logs and lists may show.

    ``bound_subject`` is the product's id of the only subject that the key may read and write; empty: all of the tenant.
    """

    key_id = models.CharField(_("key id"), max_length=12, unique=True, editable=False)
    name = models.CharField(_("name"), max_length=100)
    scopes = ArrayField(models.CharField(max_length=32, choices=Scope.choices), verbose_name=_("scopes"))
    bound_subject = models.CharField(_("for one person"), max_length=ID_CHARS, blank=True, default="", db_default="")
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires at"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(_("last used at"), null=True, blank=True, editable=False)
    rotated_to = TenantForeignKey("self", null=True, blank=True, editable=False, verbose_name=_("rotated to"))

    class Meta(TenantOwned.Meta):
        db_table = "api_key"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(
                fields=("tenant", "bound_subject"), condition=~models.Q(bound_subject=""), name="api_key_of_subject"
            ),
        )
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


class UsageLimit(TenantOwned):
    """The limits of a tenant, or with ``api_key`` of one key's requests. NULL: the tenant's limit, else the default.

    A key's own row bounds its requests only: the rest is counted for the tenant.
    """

    api_key = TenantForeignKey(ApiKey, null=True, blank=True, verbose_name=_("API key"))
    requests_per_second = models.PositiveIntegerField(
        _("requests a second"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    burst = models.PositiveIntegerField(_("requests at once"), null=True, blank=True, validators=[MinValueValidator(1)])
    messages_per_day = models.PositiveBigIntegerField(_("messages a day"), null=True, blank=True)
    stored_snapshots = models.PositiveBigIntegerField(_("stored snapshots"), null=True, blank=True)
    model_tokens_per_day = models.PositiveBigIntegerField(_("model tokens a day"), null=True, blank=True)
    stored_documents = models.PositiveBigIntegerField(_("stored documents"), null=True, blank=True)
    document_bytes = models.PositiveBigIntegerField(_("bytes of documents"), null=True, blank=True)
    stored_chunks = models.PositiveBigIntegerField(_("chunks of documents"), null=True, blank=True)

    class Meta(TenantOwned.Meta):
        db_table = "usage_limit"
        ordering = ("api_key", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "api_key"), nulls_distinct=False, name="one_limit_per_tenant_and_key"
            ),
            models.CheckConstraint(
                condition=models.Q(requests_per_second__gte=1) | models.Q(requests_per_second__isnull=True),
                name="a_second_has_a_request",
            ),
            models.CheckConstraint(
                condition=models.Q(burst__gte=1) | models.Q(burst__isnull=True), name="a_burst_has_a_request"
            ),
            models.CheckConstraint(
                condition=models.Q(api_key__isnull=True)
                | models.Q(
                    messages_per_day__isnull=True,
                    stored_snapshots__isnull=True,
                    model_tokens_per_day__isnull=True,
                    stored_documents__isnull=True,
                    document_bytes__isnull=True,
                    stored_chunks__isnull=True,
                ),
                name="a_key_limits_its_requests_only",
                violation_error_message=_("A key limits only its requests. Set other limits for the whole tenant."),
            ),
        )
        verbose_name = _("limit")
        verbose_name_plural = _("limits")

    def __str__(self) -> str:
        return str(self.api_key_id or self.tenant_id)
