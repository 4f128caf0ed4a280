"""Members: staff and their role in one tenant."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tenants.models.base import TenantOwned


class Role(models.TextChoices):
    """Roles of staff members in a tenant, weakest first."""

    VIEWER = "viewer", _("viewer")
    SUPPORT = "support", _("support")
    MANAGER = "manager", _("manager")


class Member(TenantOwned):
    """One staff member's role in one tenant. The platform operator (superuser) needs none."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.DO_NOTHING, verbose_name=_("user"), related_name="+", db_index=False
    )
    role = models.CharField(_("role"), max_length=16, choices=Role.choices, default=Role.VIEWER)
    # Made by a group of the OpenID provider: the groups change and end it. What a person gives, only a person takes.
    from_groups = models.BooleanField(_("given by a group"), default=False, db_default=False, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta(TenantOwned.Meta):
        db_table = "member"
        ordering = ("created_at", "id")
        constraints = (models.UniqueConstraint(fields=("tenant", "user"), name="one_role_per_user_and_tenant"),)
        verbose_name = _("member")
        verbose_name_plural = _("members")

    def __str__(self) -> str:
        return f"{self.user_id}:{self.role}"
