"""Tags: labelled places and contacts, with the past of each of their details."""

from datetime import datetime
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from profiles.models.belief import Belief
from profiles.models.subject import SubjectOwned
from profiles.provenance_and_verdict import Provenance
from tenants.models import TenantForeignKey


class TagKind(models.TextChoices):
    PLACE = "place", _("place")
    CONTACT = "contact", _("contact")
    THING = "thing", _("thing")


class Tag(SubjectOwned):
    """One labelled place, contact or thing as it is now: "home", "妈妈", the cat "Miso".

    Its past is in :class:`TagDetail`.
    """

    label = models.CharField(_("label"), max_length=200)
    kind = models.CharField(_("kind"), max_length=16, choices=TagKind.choices)
    address = models.TextField(_("address"), blank=True)
    poi_id = models.CharField(_("POI id"), max_length=200, blank=True)
    lat = models.FloatField(
        _("latitude"), null=True, blank=True, validators=[MinValueValidator(-90), MaxValueValidator(90)]
    )
    lon = models.FloatField(
        _("longitude"), null=True, blank=True, validators=[MinValueValidator(-180), MaxValueValidator(180)]
    )
    phone = models.CharField(_("phone"), max_length=64, blank=True)
    relation = models.CharField(_("relation"), max_length=100, blank=True)
    aliases = ArrayField(models.CharField(max_length=200), verbose_name=_("aliases"), default=list, blank=True)
    use_count = models.PositiveIntegerField(_("use count"), default=0)
    last_used_at = models.DateTimeField(_("last used at"), null=True, blank=True)
    confidence = models.FloatField(
        _("confidence"), default=1.0, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    provenance = models.CharField(
        _("provenance"), max_length=20, choices=Provenance.choices, default=Provenance.CONFIRMED_BY_USER
    )
    version = models.PositiveBigIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    # Since when its details are as they are: no column, set where tags are read with it.
    valid_at: datetime | None = None
    # Whether it is no longer in the table: no column, set where a retired tag is shown as it was.
    was_retired: bool = False

    class Meta(SubjectOwned.Meta):
        db_table = "tag"
        ordering = ("created_at", "id")
        constraints = (models.UniqueConstraint(fields=("tenant", "subject", "label"), name="one_tag_per_label"),)
        verbose_name = _("tag")
        verbose_name_plural = _("tags")

    def __str__(self) -> str:
        return str(self.pk)


class DetailName(models.TextChoices):
    LABEL = "label", _("label")
    KIND = "kind", _("kind")
    ADDRESS = "address", _("address")
    POI_ID = "poi_id", _("POI id")
    LAT = "lat", _("latitude")
    LON = "lon", _("longitude")
    PHONE = "phone", _("phone")
    RELATION = "relation", _("relation")
    ALIASES = "aliases", _("aliases")


class TagDetail(Belief):
    """One value of one detail of a tag, on two clocks. The tag's columns are its current values.

    A tag that was created before details were kept, and never changed, may have no such row.
    """

    tag = TenantForeignKey(Tag, verbose_name=_("tag"))
    detail = models.CharField(_("detail"), max_length=16, choices=DetailName.choices)

    tag_id: UUID  # for mypy: Django makes it from the key above

    class Meta(Belief.Meta):
        db_table = "tag_detail"
        ordering = ("detail", "-valid_at", "-recorded_at")
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "tag", "detail"),
                condition=models.Q(invalid_at__isnull=True, retired_at__isnull=True),
                name="one_current_value_per_detail",
            ),
        )
        indexes = (models.Index(fields=("tenant", "tag", "detail"), name="tag_detail_by_tag"),)
        verbose_name = _("detail of a tag")
        verbose_name_plural = _("details of tags")

    def __str__(self) -> str:
        return self.detail
