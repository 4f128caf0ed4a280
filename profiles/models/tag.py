"""Tags: labelled places and contacts (row P6)."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from profiles.models.subject import SubjectOwned
from profiles.values import Provenance


class TagKind(models.TextChoices):
    """What a tag points at."""

    PLACE = "place", _("place")
    CONTACT = "contact", _("contact")


class Tag(SubjectOwned):
    """One labelled place or contact: "home", "妈妈"."""

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

    class Meta(SubjectOwned.Meta):
        db_table = "tag"
        ordering = ("created_at", "id")
        constraints = (models.UniqueConstraint(fields=("tenant", "subject", "label"), name="one_tag_per_label"),)
        verbose_name = _("tag")
        verbose_name_plural = _("tags")

    def __str__(self) -> str:
        return str(self.pk)
