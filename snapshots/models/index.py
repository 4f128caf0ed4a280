"""The index of recall: words beside the snapshot, vectors in a table of their own.

No model of the keyword path has a pgvector column, so that keyword search works while pgvector fails.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from memory_platform.kernel.ids import new_id
from profiles.models import SubjectOwned
from snapshots.models.snapshot import Snapshot
from tenants.models import TenantForeignKey


class SnapshotWords(SubjectOwned):
    """The indexed words of one snapshot, packed: see ``snapshots.embedding.index_row_packing`` for the format.

    ``language`` tells which memories a model could embed: the job that adds missing vectors needs it. Two memories with
    one ``saying`` repeat each other, see ``snapshots.embedding.near_duplicates``; 0 repeats nothing, NULL is not
    computed yet.
    """

    snapshot = TenantForeignKey(Snapshot)
    position = models.BigIntegerField()
    words = models.BinaryField()
    language = models.CharField(max_length=8, db_default="", default="")
    saying = models.BigIntegerField(null=True)

    class Meta(SubjectOwned.Meta):
        db_table = "snapshot_words"
        constraints = (models.UniqueConstraint(fields=("tenant", "snapshot"), name="one_word_row_per_snapshot"),)
        indexes = (
            models.Index(fields=("tenant", "subject", "position"), name="snapshot_words_by_position"),
            models.Index(
                fields=("tenant", "subject"), condition=models.Q(saying__isnull=True), name="snapshot_words_unread"
            ),
        )

    def __str__(self) -> str:
        return str(self.pk)


class EmbeddingSpace(models.Model):
    """One model's space; vectors of different spaces are never compared. Holds no tenant data.

    The counts are of all tenants together, as of ``counted_at``; see ``snapshots.embedding.upkeep.space_completeness``.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(_("name"), max_length=200, unique=True)
    dimensions = models.PositiveIntegerField(_("dimensions"))
    languages = ArrayField(models.CharField(max_length=16), verbose_name=_("languages"), default=list, blank=True)
    is_listed = models.BooleanField(_("listed"), null=True, editable=False)
    held = models.PositiveBigIntegerField(_("memories included"), null=True, editable=False)
    belonging = models.PositiveBigIntegerField(_("memories expected"), null=True, editable=False)
    missing = models.PositiveBigIntegerField(_("memories missing"), null=True, editable=False)
    oldest_missing_at = models.DateTimeField(_("oldest missing memory"), null=True, editable=False)
    counted_at = models.DateTimeField(_("counted at"), null=True, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        db_table = "embedding_space"
        ordering = ("name",)
        verbose_name = _("embedding space")
        verbose_name_plural = _("embedding spaces")

    def __str__(self) -> str:
        return self.name


class SnapshotVector(SubjectOwned):
    """A snapshot's vectors in one space: of its text with speaker and date, and of its text after the turn before."""

    snapshot = TenantForeignKey(Snapshot)
    space = models.ForeignKey(EmbeddingSpace, models.DO_NOTHING, related_name="+", db_index=False)
    dated = HalfVectorField()
    previous = HalfVectorField()

    class Meta(SubjectOwned.Meta):
        db_table = "snapshot_vector"
        constraints = (
            models.UniqueConstraint(fields=("tenant", "snapshot", "space"), name="one_vector_row_per_space"),
        )
        indexes = (models.Index(fields=("tenant", "subject", "space"), name="snapshot_vector_by_space"),)

    def __str__(self) -> str:
        return str(self.pk)


class MemoryBlock(SubjectOwned):
    """The index rows of 500 positions of a large memory, packed as one value for fast loading.

    ``packed`` is :func:`snapshots.recall.memory_indexes.block_format.pack_block` of ``format``, with the vectors of
    ``spaces`` (ordered names, separated by blanks). A copy: a change of one of its memories deletes it in the same
    transaction. Processes of different configurations or releases have their own blocks.
    """

    block = models.BigIntegerField()
    spaces = models.TextField()
    format = models.PositiveSmallIntegerField()
    packed = models.BinaryField()
    sealed_at = models.DateTimeField(db_default=Now())

    class Meta(SubjectOwned.Meta):
        db_table = "memory_block"
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "subject", "block", "spaces", "format"), name="one_row_per_block_and_reader"
            ),
        )

    def __str__(self) -> str:
        return str(self.pk)
