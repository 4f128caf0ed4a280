"""The index of chunks: a row for each chunk, from which blocks of postings and cells of vectors are made.

A part of the index is one collection, or all documents without one (the tenant's own id): a search reads the parts that
it may, and nothing of the others, not even for the rarity of a word.
"""

from django.db import models
from pgvector.django import HalfVectorField

from snapshots.models.index import EmbeddingSpace
from snapshots.models.knowledge.chunk import Chunk
from tenants.models import TenantForeignKey, TenantOwned


class IndexPart(TenantOwned):
    """The contents of a part. Whoever writes to the part locks this row first."""

    part = models.UUIDField()
    next_number = models.BigIntegerField(default=0)
    next_segment = models.IntegerField(default=0)
    chunk_count = models.BigIntegerField(default=0)

    class Meta(TenantOwned.Meta):
        db_table = "knowledge_index_part"
        constraints = (models.UniqueConstraint(fields=("tenant", "part"), name="one_row_per_index_part"),)

    def __str__(self) -> str:
        return str(self.pk)


class IndexedChunk(TenantOwned):
    """The terms and the vector of one chunk, packed: see ``snapshots.knowledge.index``.

    ``number`` is the chunk's in its part, ``position`` its place in a ``segment`` whose postings stand in blocks; a
    chunk without a segment is fresh. ``cell`` holds a copy of its vector, NULL while it is fresh or has none.
    """

    chunk = TenantForeignKey(Chunk)
    part = models.UUIDField()
    number = models.BigIntegerField()
    segment = models.IntegerField(null=True)
    position = models.PositiveSmallIntegerField(null=True)
    terms = models.BinaryField()
    space = models.ForeignKey(EmbeddingSpace, models.DO_NOTHING, null=True, related_name="+", db_index=False)
    vector = models.BinaryField(null=True)
    cell = models.UUIDField(null=True)

    class Meta(TenantOwned.Meta):
        db_table = "indexed_chunk"
        constraints = (
            models.UniqueConstraint(fields=("tenant", "chunk"), name="one_index_row_per_chunk"),
            models.UniqueConstraint(fields=("tenant", "part", "number"), name="one_chunk_per_number"),
        )
        indexes = (
            models.Index(
                fields=("tenant", "part", "number"),
                condition=models.Q(segment__isnull=True),
                name="indexed_chunk_fresh",
            ),
            models.Index(
                fields=("tenant", "part", "segment", "position"),
                condition=models.Q(segment__isnull=False),
                name="indexed_chunk_by_place",
            ),
            models.Index(fields=("tenant", "space", "id"), name="indexed_chunk_by_space"),
        )

    def __str__(self) -> str:
        return str(self.pk)


class PostingBlock(TenantOwned):
    """The postings of some terms in one segment: :mod:`snapshots.knowledge.index.posting_blocks`. A copy: a change of
    one of the segment's chunks deletes all its blocks in the same transaction."""

    part = models.UUIDField()
    segment = models.IntegerField()
    bucket = models.PositiveSmallIntegerField()
    tier = models.PositiveSmallIntegerField()
    packed = models.BinaryField()

    class Meta(TenantOwned.Meta):
        db_table = "posting_block"
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "part", "bucket", "tier", "segment"), name="one_block_per_bucket_and_tier"
            ),
        )
        indexes = (models.Index(fields=("tenant", "part", "segment"), name="posting_block_by_segment"),)

    def __str__(self) -> str:
        return str(self.pk)


class VectorCell(TenantOwned):
    """Near vectors of one part and space: :mod:`snapshots.knowledge.index.vector_cells`. A copy, without the vectors of
    chunks that are gone."""

    part = models.UUIDField()
    space = models.ForeignKey(EmbeddingSpace, models.DO_NOTHING, related_name="+", db_index=False)
    centroid = HalfVectorField()
    packed = models.BinaryField()

    class Meta(TenantOwned.Meta):
        db_table = "vector_cell"
        indexes = (models.Index(fields=("tenant", "part", "space"), name="vector_cell_by_space"),)

    def __str__(self) -> str:
        return str(self.pk)
