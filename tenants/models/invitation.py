"""Invitations: a role in a tenant, offered to whoever has the link."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tenants.models.audit import ActorKind
from tenants.models.base import TenantForeignKey, TenantOwned
from tenants.models.member import Role


class Invitation(TenantOwned):
    """An offer of membership with one link that works once. It ends when it is accepted, revoked or expired.

    ``invitee`` is the manager's own note, a name or an e-mail address: nobody is looked up by it. ``actor_kind`` and
    ``actor_id`` are as in the audit trail.
    """

    role = models.CharField(_("role"), max_length=16, choices=Role.choices)
    invitee = models.CharField(_("for whom"), max_length=200)
    actor_kind = models.CharField(_("actor kind"), max_length=16, choices=ActorKind.choices, editable=False)
    actor_id = models.CharField(_("invited by"), max_length=64, editable=False)
    created_at = models.DateTimeField(_("created at"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("expires at"), editable=False)
    accepted_at = models.DateTimeField(_("accepted at"), null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True, editable=False)

    class Meta(TenantOwned.Meta):
        db_table = "invitation"
        ordering = ("-created_at", "-id")
        constraints = (
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(revoked_at__isnull=True), name="accepted_or_revoked"
            ),
        )
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")

    def __str__(self) -> str:
        return str(self.pk)


class InvitationDigest(TenantOwned):
    """The keyed hash of a link's secret. The app role may insert it, never read it."""

    invitation = TenantForeignKey(Invitation)
    digest = models.BinaryField()

    class Meta(TenantOwned.Meta):
        db_table = "invitation_digest"
        constraints = (models.UniqueConstraint(fields=("tenant", "invitation"), name="one_digest_per_invitation"),)

    def __str__(self) -> str:
        return str(self.pk)
