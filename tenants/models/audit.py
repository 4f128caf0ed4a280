"""The audit trail: actor, act, time, reason; never the content; and its seals. Support sessions: why somebody looks,
until when."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tenants.models.base import TenantForeignKey, TenantOwned


class ActorKind(models.TextChoices):
    """On whose behalf something was done."""

    STAFF = "staff", _("staff")
    OPERATOR = "operator", _("operator")
    API_KEY = "api_key", _("API key")
    JOB = "job", _("job")


class AuditRecord(TenantOwned):
    """One act or refusal. Append-only for the app role; holds ids, never content, and outlives its objects."""

    at = models.DateTimeField(_("at"), auto_now_add=True)
    actor_kind = models.CharField(_("actor kind"), max_length=16, choices=ActorKind.choices)
    actor_id = models.CharField(_("actor"), max_length=64)
    action = models.CharField(_("action"), max_length=64)
    object_kind = models.CharField(_("object kind"), max_length=64, blank=True)
    object_id = models.CharField(_("object"), max_length=64, blank=True)
    subject_ref = models.UUIDField(_("subject"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    refused = models.BooleanField(_("refused"), default=False)
    request_id = models.CharField(_("request"), max_length=64, blank=True)

    class Meta(TenantOwned.Meta):
        db_table = "audit_record"
        ordering = ("-at", "-id")
        indexes = (
            models.Index(fields=("tenant", "-at"), name="audit_record_by_time"),
            models.Index(fields=("tenant", "subject_ref", "-at"), name="audit_record_by_subject"),
        )
        verbose_name = _("audit record")
        verbose_name_plural = _("audit records")

    def __str__(self) -> str:
        return f"{self.action} {self.object_kind}"


class AuditSeal(TenantOwned):
    """A piece of the chain of hashes over a tenant's audit records. Append-only for the app role.

    ``records`` are the ids of its records in the order of the chain, ``marks`` the first 8 bytes of each one's hash,
    ``last_at`` the newest of their times. ``previous_head`` and ``head`` are the hashes before its first and of its
    last record. Number 1 is the tenant's first seal.
    """

    number = models.PositiveIntegerField()
    records = ArrayField(models.UUIDField())
    count = models.PositiveIntegerField()
    marks = models.BinaryField()
    last_at = models.DateTimeField()
    previous_head = models.CharField(max_length=64)
    head = models.CharField(max_length=64)
    at = models.DateTimeField()
    signature = models.CharField(max_length=96)

    class Meta(TenantOwned.Meta):
        db_table = "audit_seal"
        indexes = (models.Index(fields=("tenant", "-last_at"), name="audit_seal_by_time"),)
        constraints = (models.UniqueConstraint(fields=("tenant", "number"), name="one_seal_per_number"),)

    def __str__(self) -> str:
        return str(self.number)


class SupportSession(TenantOwned):
    """One person's permission to see personal data of the tenant, for a reason and a time. Append-only for the app
    role.

    ``actor_kind`` and ``actor_id`` are as in the audit trail. It ends at ``ends_at``, or at the moment of its
    :class:`SupportEnd`.
    """

    actor_kind = models.CharField(_("actor kind"), max_length=16, choices=ActorKind.choices)
    actor_id = models.CharField(_("actor"), max_length=64)
    reason = models.CharField(_("reason"), max_length=500)
    started_at = models.DateTimeField(_("started at"), default=timezone.now)
    ends_at = models.DateTimeField(_("ends at"))

    class Meta(TenantOwned.Meta):
        db_table = "support_session"
        ordering = ("-started_at", "-id")
        indexes = (models.Index(fields=("tenant", "actor_id", "-ends_at"), name="support_session_by_actor"),)
        verbose_name = _("support session")
        verbose_name_plural = _("support sessions")

    def __str__(self) -> str:
        return str(self.pk)

    def minutes_left(self, now: datetime) -> int:
        """Return the minutes until it ends by itself, rounded up."""
        return max(0, -int((now - self.ends_at).total_seconds() // 60))


class SupportEnd(TenantOwned):
    """A session that was ended before its time."""

    session = TenantForeignKey(SupportSession)
    at = models.DateTimeField(default=timezone.now)

    class Meta(TenantOwned.Meta):
        db_table = "support_end"
        constraints = (models.UniqueConstraint(fields=("tenant", "session"), name="one_end_per_support_session"),)

    def __str__(self) -> str:
        return str(self.session_id)
