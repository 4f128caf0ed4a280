"""Beliefs: preferences and profile facts, with two clocks, confidence and provenance."""

from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models.subject import SubjectOwned
from profiles.provenance_and_verdict import Provenance
from tenants.models import TenantForeignKey


class Belief(SubjectOwned):
    """One value held about a subject, on two clocks.

    Valid time ``[valid_at, invalid_at)``: when it was true. Recorded time ``[recorded_at, retired_at)``: when the
    platform held this row. A row believed now has ``retired_at`` NULL, the current value ``invalid_at`` NULL too.

    A value keeps its ``id`` for life. When its valid time changes (superseded, retracted), the row is updated in place
    with ``recorded_at`` = now, and its image before the change is kept as a second row: same values, ``retired_at`` =
    now, ``version_of`` = the id. So ``known_at`` shows the past as it was believed, ``as_of`` as it is known today.
    """

    value = models.JSONField(_("value"))
    confidence = models.FloatField(_("confidence"), validators=[MinValueValidator(0.0), MaxValueValidator(1.0)])
    provenance = models.CharField(_("provenance"), max_length=20, choices=Provenance.choices)
    valid_at = models.DateTimeField(_("valid at"))
    invalid_at = models.DateTimeField(_("invalid at"), null=True, blank=True)
    recorded_at = models.DateTimeField(_("recorded at"), default=timezone.now)
    retired_at = models.DateTimeField(_("retired at"), null=True, blank=True)
    last_validated_at = models.DateTimeField(_("last validated at"), default=timezone.now)
    said_times = ArrayField(models.DateTimeField(), verbose_name=_("said at"), default=list, blank=True, editable=False)
    superseded_by = TenantForeignKey("self", null=True, blank=True, verbose_name=_("superseded by"))
    version_of = TenantForeignKey("self", null=True, blank=True, verbose_name=_("version of"))
    version = models.PositiveBigIntegerField(default=1, editable=False)

    superseded_by_id: UUID | None  # for mypy: Django makes both from the keys above
    version_of_id: UUID | None

    class Meta(SubjectOwned.Meta):
        abstract = True

    @property
    def value_id(self) -> UUID:
        """The value's lifelong id, also for an image from before a change."""
        return self.version_of_id or self.id

    @property
    def is_current(self) -> bool:
        return self.invalid_at is None and self.retired_at is None


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
