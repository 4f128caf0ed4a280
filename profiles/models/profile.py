"""Profile facts: one value per field of a subject's profile, with its past."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from profiles.models.belief import Belief

# Fields of the profile proper; everything else is a free attribute.
PROFILE_FIELDS = ("name", "occupation", "interests", "mbti", "age_range", "locale", "timezone")


class ProfileFact(Belief):
    """One field or free attribute of a subject's profile. The profile is the set of its current facts."""

    field = models.CharField(_("field"), max_length=200)
    is_attribute = models.BooleanField(_("free attribute"), default=False)

    class Meta(Belief.Meta):
        db_table = "profile_fact"
        ordering = ("is_attribute", "field", "-valid_at", "-recorded_at")
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "subject", "is_attribute", "field"),
                condition=models.Q(invalid_at__isnull=True, retired_at__isnull=True),
                name="one_current_fact_per_field",
            ),
        )
        indexes = (models.Index(fields=("tenant", "subject", "is_attribute", "field"), name="profile_fact_by_field"),)
        verbose_name = _("profile fact")
        verbose_name_plural = _("profile facts")

    def __str__(self) -> str:
        return self.field
