"""Prompt prefixes cached at a vendor: their names, never their words."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned


class KeptPrefix(SubjectOwned):
    """One stable prefix at one endpoint. ``endpoint`` is the keeper's identity, ``prefix_hash`` the context's.

    ``name`` is the vendor's, empty until the vendor gives it; it may be used before ``expires_at``. The process that
    creates or extends it holds ``claim`` until ``claimed_until``. Content whose name we never learned may exist at the
    vendor until ``unnamed_until``; after ``gone_by`` the vendor holds nothing.
    """

    endpoint = models.CharField(_("endpoint"), max_length=64)
    prefix_hash = models.CharField(_("prefix hash"), max_length=64)
    name = models.CharField(_("name"), max_length=300, blank=True)
    tokens = models.PositiveIntegerField(_("tokens"), default=0)
    claim = models.UUIDField(null=True, editable=False)
    claimed_until = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("expires at"), default=timezone.now)
    unnamed_until = models.DateTimeField(default=timezone.now, editable=False)
    gone_by = models.DateTimeField(default=timezone.now, editable=False)

    class Meta(SubjectOwned.Meta):
        db_table = "kept_prefix"
        constraints = (
            models.UniqueConstraint(fields=("tenant", "endpoint", "prefix_hash"), name="one_kept_prefix_each"),
        )
        indexes = (
            models.Index(fields=("tenant", "subject"), name="kept_prefix_of_subject"),
            models.Index(fields=("tenant", "gone_by"), name="kept_prefix_by_end"),
        )
        verbose_name = _("cached prefix")
        verbose_name_plural = _("cached prefixes")

    def __str__(self) -> str:
        return str(self.pk)
