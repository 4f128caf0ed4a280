"""Preferences: one thing a subject likes, avoids or has set, with its past."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from profiles.models.belief import Belief


class Preference(Belief):
    """One value of (category, key). ``statement`` is the utterance, ``value`` the thing liked or set."""

    category = models.CharField(_("category"), max_length=100)
    key = models.CharField(_("key"), max_length=200)
    statement = models.TextField(_("statement"), blank=True)

    class Meta(Belief.Meta):
        db_table = "preference"
        ordering = ("category", "key", "-valid_at", "-recorded_at")
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "subject", "category", "key"),
                condition=models.Q(invalid_at__isnull=True, retired_at__isnull=True),
                name="one_current_preference_per_key",
            ),
        )
        indexes = (models.Index(fields=("tenant", "subject", "category", "key"), name="preference_by_key"),)
        verbose_name = _("preference")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return f"{self.category}/{self.key}"
