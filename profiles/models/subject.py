"""Subject: one end user of a tenant."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from tenants.models import TenantForeignKey, TenantOwned


class Subject(TenantOwned):
    """One person the tenant's product talks with, addressed by the product's own id (``external_id``).

    ``version`` grows with metadata, ``profile_version`` with profile facts: they are the ETags of the two objects.
    ``search_text`` is the console's normalised text (id, name, attributes, tags), updated by every writer. ``erasing``:
    an erasure was accepted; the row has lost its ``external_id`` and may not be read.
    """

    external_id = models.CharField(_("subject id"), max_length=200)
    metadata = models.JSONField(_("metadata"), default=dict, blank=True)
    search_text = models.TextField(_("search text"), blank=True, editable=False)
    version = models.PositiveBigIntegerField(default=1, editable=False)
    profile_version = models.PositiveBigIntegerField(default=1, editable=False)
    erasing = models.BooleanField(default=False, db_default=False, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    class Meta(TenantOwned.Meta):
        db_table = "subject"
        ordering = ("created_at", "id")
        constraints = (models.UniqueConstraint(fields=("tenant", "external_id"), name="one_subject_per_external_id"),)
        indexes = (models.Index(fields=("tenant", "created_at", "id"), name="subject_by_age"),)
        verbose_name = _("subject")
        verbose_name_plural = _("subjects")

    def __str__(self) -> str:
        return str(self.pk)


class SubjectOwned(TenantOwned):
    """A row about one subject; deleted with it by the database."""

    subject = TenantForeignKey(Subject, verbose_name=_("subject"))

    class Meta(TenantOwned.Meta):
        abstract = True
