"""Snapshots: mid-term memory."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memory_platform.kernel.clock import MOST_MINUTES, at_offset
from profiles.models import SubjectOwned
from profiles.provenance_and_verdict import Provenance
from snapshots.models.conversation import Conversation
from tenants.models import TenantForeignKey


class SnapshotKind(models.TextChoices):
    """The origin of a snapshot."""

    CONVERSATION = "conversation", _("conversation")
    SEGMENT = "segment", _("segment")
    STATEMENT = "statement", _("statement")
    EPISODE = "episode", _("episode")
    CONSOLIDATED = "consolidated", _("consolidated")
    MANUAL = "manual", _("manual")
    NOTE = "note", _("note")
    REPLY = "reply", _("assistant's words")


# Kinds that are cut out of a message and deleted with it. Recall has a lane for each, lists show them on request.
CUT_OUT = frozenset({SnapshotKind.NOTE, SnapshotKind.REPLY})


class Snapshot(SubjectOwned):
    """One piece of memory. ``text`` is shown; the index is in ``SnapshotWords`` and ``SnapshotVector``.

    ``position`` orders a subject's snapshots; ``seq`` is the message's order inside its conversation (statements).
    ``name`` is the named speaker, NULL for the subject's own words. A retired one (``retired_at``) is no longer used.
    ``said_offset`` is the speaker's offset in minutes east of UTC, NULL if unknown.
    """

    kind = models.CharField(_("kind"), max_length=16, choices=SnapshotKind.choices)
    text = models.TextField(_("text"))
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=200, null=True, blank=True)  # noqa: DJ001 - own words
    conversation = TenantForeignKey(Conversation, null=True, blank=True, verbose_name=_("conversation"))
    seq = models.PositiveBigIntegerField(_("order"), null=True, blank=True)
    position = models.BigIntegerField(_("position"), editable=False)
    category = models.CharField(_("category"), max_length=100, blank=True)
    topics = ArrayField(models.CharField(max_length=100), verbose_name=_("topics"), default=list, blank=True)
    aliases = ArrayField(
        models.CharField(max_length=100), verbose_name=_("other names"), default=list, db_default=[], blank=True
    )
    importance = models.FloatField(
        _("importance"), default=0.5, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    confidence = models.FloatField(
        _("confidence"), default=0.6, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    provenance = models.CharField(
        _("provenance"), max_length=20, choices=Provenance.choices, default=Provenance.OBSERVATION
    )
    metadata = models.JSONField(_("metadata"), default=dict, blank=True)
    content_hash = models.BinaryField(editable=False)
    masked = models.BooleanField(_("masked"), default=False)
    raw_fallback = models.BooleanField(_("raw fallback"), default=False)
    said_at = models.DateTimeField(_("said at"))
    said_offset = models.SmallIntegerField(
        null=True,
        blank=True,
        editable=False,
        validators=[MinValueValidator(-MOST_MINUTES), MaxValueValidator(MOST_MINUTES)],
    )
    valid_at = models.DateTimeField(_("valid at"))
    invalid_at = models.DateTimeField(_("invalid at"), null=True, blank=True)
    recorded_at = models.DateTimeField(_("recorded at"), default=timezone.now)
    retired_at = models.DateTimeField(_("retired at"), null=True, blank=True)
    expires_at = models.DateTimeField(_("expires at"), null=True, blank=True)
    last_validated_at = models.DateTimeField(_("last validated at"), default=timezone.now)
    superseded_by = TenantForeignKey("self", null=True, blank=True, verbose_name=_("superseded by"))
    version = models.PositiveBigIntegerField(default=1, editable=False)

    class Meta(SubjectOwned.Meta):
        db_table = "snapshot"
        ordering = ("recorded_at", "id")
        indexes = (
            models.Index(fields=("tenant", "subject", "position"), name="snapshot_by_position"),
            models.Index(fields=("tenant", "subject", "recorded_at", "id"), name="snapshot_by_age"),
            models.Index(fields=("tenant", "recorded_at", "id"), name="snapshot_by_recording"),
            models.Index(
                fields=("tenant", "expires_at"), condition=models.Q(expires_at__isnull=False), name="snapshot_expiry"
            ),
        )
        verbose_name = _("snapshot")
        verbose_name_plural = _("snapshots")

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def said_locally(self) -> datetime:
        return at_offset(self.said_at, self.said_offset)


class SnapshotVersion(SubjectOwned):
    """A snapshot before one change: every changed field's earlier value, and how long it was held."""

    snapshot = TenantForeignKey(Snapshot)
    version = models.PositiveBigIntegerField()
    fields = models.JSONField(_("fields"))
    recorded_at = models.DateTimeField(_("recorded at"))
    retired_at = models.DateTimeField(_("retired at"), default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "snapshot_version"
        ordering = ("snapshot", "version")
        constraints = (
            models.UniqueConstraint(fields=("tenant", "snapshot", "version"), name="one_image_per_snapshot_version"),
        )

    def __str__(self) -> str:
        return str(self.pk)


# Positions in one :class:`snapshots.models.MemoryBlock`: block `k` has those from `500 k` up to `500 (k + 1)`. Existing
# blocks were packed with this number: changing it needs a migration that empties the table.
BLOCK_POSITIONS = 500


class SubjectMemory(SubjectOwned):
    """The state of all snapshots of a subject. Every change to any of them raises ``version`` in its transaction.

    ``epoch`` rises with every change but the addition of snapshots: an image of the same epoch only lacks the snapshots
    after its last position. ``next_position`` numbers them; the row's lock orders the writers of one subject.
    ``sealed`` counts the subject's :class:`snapshots.models.MemoryBlock` rows. ``noted_*`` and ``noting_*`` are the
    marks of :mod:`snapshots.understanding.note_backfill`: the reader and the acceptance time up to which messages
    were read for notes, and of a running pass its bound and the last message that it has read.
    """

    version = models.PositiveBigIntegerField(default=1)
    epoch = models.PositiveBigIntegerField(default=1, db_default=1)
    next_position = models.BigIntegerField(default=1)
    sealed = models.PositiveIntegerField(default=0, db_default=0)
    noted_by = models.CharField(max_length=32, blank=True, default="", db_default="")
    noted_until = models.DateTimeField(null=True, blank=True)
    noting_until = models.DateTimeField(null=True, blank=True)
    noting_said_at = models.DateTimeField(null=True, blank=True)
    noting_message = models.UUIDField(null=True, blank=True)

    class Meta(SubjectOwned.Meta):
        db_table = "subject_memory"
        constraints = (models.UniqueConstraint(fields=("tenant", "subject"), name="one_memory_per_subject"),)
        indexes = (
            models.Index(
                fields=("tenant", "subject"),
                name="subject_memory_in_blocks",
                condition=models.Q(next_position__gte=BLOCK_POSITIONS),
            ),
        )

    def __str__(self) -> str:
        return str(self.pk)
