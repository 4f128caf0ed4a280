"""Notes: lasting things in the user's own words. A note is a snapshot of kind ``note`` with one row here."""

from uuid import UUID

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from profiles.models import Preference, ProfileFact, SubjectOwned, Tag
from snapshots.models.snapshot import Snapshot
from tenants.models import TenantForeignKey


class NoteGrade(models.TextChoices):
    """The kinds of lasting things."""

    FACT = "fact", _("fact")
    ABOUT_OTHER = "about_other", _("fact about another")
    HABIT = "habit", _("habit")
    LIMIT = "limit", _("limit")
    PLAN = "plan", _("plan")


class AboutKind(models.TextChoices):
    """The person or thing that a note is about."""

    SELF = "self", _("the user")
    CONTACT = "contact", _("a contact")
    THING = "thing", _("a thing")


class VitalClass(models.TextChoices):
    """Why a note is in every context: getting it wrong can hurt somebody or break a law. The list is closed."""

    ALLERGY = "allergy", _("allergy or intolerance")
    ILLNESS = "illness", _("illness or medicine")
    ACCESSIBILITY = "accessibility", _("accessibility")
    SAFETY = "safety", _("safety of a child or in traffic")
    EMERGENCY = "emergency", _("emergency contact")
    LEGAL = "legal", _("legal or contractual bar")


class Note(SubjectOwned):
    """The details of a note; its snapshot holds its words, clocks, confidence and sources.

    ``grade_probability`` (0..1) says how likely the clause lasts, the snapshot's ``confidence`` how sure it is true.
    ``about_tag`` is the contact that it is about, if any; ``about_label`` and ``relation`` are the user's words for it.
    ``vital_class`` is empty for a note that is not vital. ``context`` is the preceding turn, kept if the note alone
    does not name its subject. ``span_start`` and ``span_end`` are its characters in the source message; NULL for a note
    that nobody said. ``statement_id`` is the id of the whole message's snapshot, once it is stored and while it exists.
    ``changed_by`` is the id of the message that ended the note or made it possibly outdated. ``newer`` is the id of the
    snapshot of a later note that may be about the same thing: contexts show both or none.
    """

    snapshot = TenantForeignKey(Snapshot, verbose_name=_("snapshot"))
    grade = models.CharField(_("grade"), max_length=16, choices=NoteGrade.choices)
    grade_probability = models.FloatField(
        _("probability that it lasts"), validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    about_kind = models.CharField(_("about"), max_length=8, choices=AboutKind.choices, default=AboutKind.SELF)
    about_label = models.CharField(_("about whom or what"), max_length=100, blank=True)
    relation = models.CharField(_("relation"), max_length=100, blank=True)
    about_tag = TenantForeignKey(Tag, null=True, blank=True, verbose_name=_("contact"))
    vital_class = models.CharField(_("vital"), max_length=16, choices=VitalClass.choices, blank=True)
    possibly_outdated = models.BooleanField(_("possibly outdated"), default=False)
    review_by = models.DateTimeField(_("review by"), null=True, blank=True)
    context = models.TextField(_("turn before"), blank=True)
    span_start = models.PositiveIntegerField(null=True, blank=True, editable=False)
    span_end = models.PositiveIntegerField(null=True, blank=True, editable=False)
    changed_by = models.UUIDField(null=True, blank=True, editable=False)
    newer = models.UUIDField(null=True, blank=True, editable=False)
    statement_id = models.UUIDField(null=True, blank=True, editable=False)
    reader_version = models.CharField(_("reader"), max_length=32, blank=True)

    snapshot_id: UUID  # for mypy: Django makes these from the keys above
    about_tag_id: UUID | None

    class Meta(SubjectOwned.Meta):
        db_table = "note"
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("tenant", "snapshot"), name="one_note_per_snapshot"),)
        indexes = (
            models.Index(fields=("tenant", "subject"), condition=~models.Q(vital_class=""), name="note_that_is_vital"),
            models.Index(fields=("tenant", "statement_id"), name="note_of_statement"),
        )
        verbose_name = _("note")
        verbose_name_plural = _("notes")

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def is_vital(self) -> bool:
        return bool(self.vital_class)


class NoteSlot(SubjectOwned):
    snapshot = TenantForeignKey(Snapshot)
    preference = TenantForeignKey(Preference, null=True)
    fact = TenantForeignKey(ProfileFact, null=True)
    tag = TenantForeignKey(Tag, null=True)

    snapshot_id: UUID  # for mypy: Django makes it from the key above

    class Meta(SubjectOwned.Meta):
        db_table = "note_slot"
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "snapshot", "preference", "fact", "tag"),
                nulls_distinct=False,
                name="one_link_of_note_and_slot",
            ),
            models.CheckConstraint(
                condition=models.Q(preference__isnull=False, fact__isnull=True, tag__isnull=True)
                | models.Q(preference__isnull=True, fact__isnull=False, tag__isnull=True)
                | models.Q(preference__isnull=True, fact__isnull=True, tag__isnull=False),
                name="link_to_one_slot",
            ),
        )

    def __str__(self) -> str:
        return str(self.pk)
