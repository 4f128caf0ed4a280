"""Fresh chunks are sealed into a segment: their terms into blocks, their vectors into cells."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F

from memory_platform.kernel.ids import stable_id
from snapshots.knowledge.index.cell_store import FreshVector, store_vectors_in_cells
from snapshots.knowledge.index.config import SIZES, BlockConfig, IndexSizes
from snapshots.knowledge.index.posting_blocks import pack_blocks
from snapshots.models import IndexedChunk, IndexPart, PostingBlock
from tenants.isolation import current_tenant_id

LOCK_PART = """
INSERT INTO knowledge_index_part (tenant_id, id, part, next_number, next_segment, chunk_count)
VALUES (%s, %s, %s, 0, 0, 0)
ON CONFLICT (tenant_id, part) DO UPDATE SET part = EXCLUDED.part
RETURNING next_number, next_segment
"""

COUNT_FRESH = """
SELECT count(*), coalesce(sum(octet_length(terms)), 0) FROM indexed_chunk
WHERE tenant_id = %s AND part = %s AND segment IS NULL
"""

STORE_BLOCKS = """
INSERT INTO posting_block (tenant_id, id, part, segment, bucket, tier, packed)
SELECT %s, uuidv7(), %s, %s, b.bucket, b.tier, b.packed
FROM unnest(%s::smallint[], %s::smallint[], %s::bytea[]) AS b(bucket, tier, packed)
"""

PLACE_CHUNKS = """
UPDATE indexed_chunk i SET segment = %s, position = n.position - 1
FROM unnest(%s::uuid[]) WITH ORDINALITY AS n(id, position)
WHERE i.tenant_id = %s AND i.id = n.id
"""


@dataclass(frozen=True, slots=True)
class PartState:
    """The next number and the next segment of a part."""

    next_number: int
    next_segment: int


@dataclass(frozen=True, slots=True)
class FreshChunk:
    """A chunk that no segment holds yet."""

    id: UUID
    number: int
    terms: bytes
    space_id: UUID | None
    vector: bytes | None


def lock_part(part: UUID) -> PartState:
    """Lock a part of the index until the transaction ends; create it if new."""
    tenant = current_tenant_id()
    with connection.cursor() as cursor:
        cursor.execute(LOCK_PART, [tenant, stable_id("index-part", tenant, part), part])
        return PartState(*cursor.fetchone())


def count_chunks(part: UUID, *, added: int, numbers: int = 0) -> None:
    """Count chunks of a locked part: ``added`` came (or left, below 0), and so many ``numbers`` were given."""
    IndexPart.objects.filter(part=part).update(
        chunk_count=F("chunk_count") + added, next_number=F("next_number") + numbers
    )


def seal_full_segments(part: UUID, sizes: IndexSizes = SIZES) -> None:
    """Seal the fresh chunks of a locked part while they fill a segment."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_FRESH, [current_tenant_id(), part])
        count, held_bytes = cursor.fetchone()
    if count < sizes.blocks.chunks and held_bytes < sizes.blocks.term_bytes:
        return
    fresh = list(_load_fresh_chunks(part))
    while taken := _take_full_segment(fresh, sizes.blocks):
        _seal_segment(part, fresh[:taken], sizes)
        fresh = fresh[taken:]


def break_segments(part: UUID, segments: set[int]) -> None:
    """Delete the blocks of segments of a locked part; their chunks are fresh again."""
    if segments:
        PostingBlock.objects.filter(part=part, segment__in=segments).delete()
        IndexedChunk.objects.filter(part=part, segment__in=segments).update(segment=None, position=None)


def _load_fresh_chunks(part: UUID) -> Sequence[FreshChunk]:
    rows = IndexedChunk.objects.filter(part=part, segment__isnull=True).order_by("number")
    return [
        FreshChunk(row_id, number, bytes(terms), space, None if cell or vector is None else bytes(vector))
        for row_id, number, terms, space, vector, cell in rows.values_list(
            "id", "number", "terms", "space_id", "vector", "cell"
        )
    ]


def _take_full_segment(fresh: Sequence[FreshChunk], config: BlockConfig) -> int:
    """Return how many of the first chunks fill a segment; 0 if all do not."""
    held_bytes = 0
    for count, one in enumerate(fresh, 1):
        held_bytes += len(one.terms)
        if count == config.chunks or held_bytes >= config.term_bytes:
            return count
    return 0


def _seal_segment(part: UUID, chunks: Sequence[FreshChunk], sizes: IndexSizes) -> None:
    segment = lock_part(part).next_segment
    IndexPart.objects.filter(part=part).update(next_segment=segment + 1)
    blocks = list(pack_blocks([one.terms for one in chunks], sizes.blocks))
    tenant = current_tenant_id()
    columns: list[Any] = [
        [one.bucket for one in blocks],
        [one.tier for one in blocks],
        [one.packed for one in blocks],
    ]
    with connection.cursor() as cursor:
        cursor.execute(STORE_BLOCKS, [tenant, part, segment, *columns])
        cursor.execute(PLACE_CHUNKS, [segment, [one.id for one in chunks], tenant])
    vectors = [
        FreshVector(one.number, one.space_id, one.vector) for one in chunks if one.vector is not None and one.space_id
    ]
    store_vectors_in_cells(part, vectors, sizes.cells)
