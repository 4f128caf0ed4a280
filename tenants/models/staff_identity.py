"""Who a member of staff is at an OpenID provider. Platform-wide: a log-in comes before any tenant."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class StaffIdentity(models.Model):
    """One person at one provider, known by issuer and subject alone: names and addresses can be changed there."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, verbose_name=_("user"), related_name="+")
    issuer = models.CharField(_("issuer"), max_length=255)
    subject = models.CharField(_("id at the provider"), max_length=255)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        db_table = "staff_identity"
        constraints = (models.UniqueConstraint(fields=("issuer", "subject"), name="one_user_per_identity"),)
        verbose_name = _("identity at a provider")
        verbose_name_plural = _("identities at providers")

    def __str__(self) -> str:
        return f"{self.issuer}:{self.subject}"
