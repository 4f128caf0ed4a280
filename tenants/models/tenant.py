"""Tenant: a company whose product uses the platform."""

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from memory_platform.kernel.ids import new_id


class Tenant(models.Model):
    """One company. Visible to all as a directory; only its own scope may change it; the app role never deletes it.

    ``policy_version`` is the active one. ``policy_epoch`` grows with every change of the policies in force: the check
    of a key returns it, so that every process knows at once when its cache is outdated. ``support_sessions``: members
    need a support session to see personal data, too; operators always do. ``locale`` (BCP 47, or "") is a part of the
    policies in force: it chooses the language of guide and headings.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.CharField(
        _("slug"),
        max_length=63,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9]+(?:-[a-z0-9]+)*$", _("Lower-case letters, digits and single hyphens."))],
    )
    name = models.CharField(_("name"), max_length=200)
    locale = models.CharField(
        _("locale"),
        max_length=35,
        blank=True,
        default="",
        db_default="",
        validators=[
            RegexValidator(r"^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$", _("A language tag, such as en-GB or zh-CN."))
        ],
        help_text=_("Default prompt language, used when neither the person nor the system prompt sets one."),
    )
    policy_version = models.PositiveIntegerField(_("policy version"), default=1)
    policy_epoch = models.PositiveBigIntegerField(default=1, db_default=1, editable=False)
    support_sessions = models.BooleanField(
        _("members need a support session"), default=False, db_default=False, editable=False
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        db_table = "tenant"
        ordering = ("slug",)
        verbose_name = _("tenant")
        verbose_name_plural = _("tenants")

    def __str__(self) -> str:
        return self.slug
