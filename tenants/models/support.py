"""Support sessions: why somebody looks at a tenant's people, and until when."""

from datetime import datetime

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tenants.models.audit import ActorKind
from tenants.models.base import TenantForeignKey, TenantOwned


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
