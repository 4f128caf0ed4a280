"""Fresh chunks are sealed: their terms into blocks of a segment, their vectors into cells. A segment grows until it is
full; a chunk that leaves takes its postings with it, and its position stays empty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import F

from memory_platform.kernel.ids import stable_id
from snapshots.knowledge.index.cell_store import FreshVector, store_vectors_in_cells
from snapshots.knowledge.index.chunk_terms import unpack_chunk_terms
from snapshots.knowledge.index.config import SIZES, BlockConfig, IndexSizes
from snapshots.knowledge.index.posting_blocks import PackedBlock, drop_positions, pack_blocks
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
ON CONFLICT (tenant_id, part, bucket, tier, segment) DO UPDATE SET packed = posting_block.packed || EXCLUDED.packed
"""

FIND_END = """
SELECT coalesce(max(position) + 1, 0) FROM indexed_chunk WHERE tenant_id = %s AND part = %s AND segment = %s
"""

PLACE_CHUNKS = """
UPDATE indexed_chunk i SET segment = %s, position = %s + n.position - 1
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
        _seal_chunks(part, fresh[:taken], sizes)
        fresh = fresh[taken:]


def remove_postings(part: UUID, gone: Mapping[int, Mapping[int, bytes]], sizes: IndexSizes = SIZES) -> None:
    """Remove chunks of a locked part from the blocks of their segments: packed terms by segment and position."""
    for segment, chunks in sorted(gone.items()):
        terms = unpack_chunk_terms(b"".join(chunks.values()))["term"]
        buckets = np.unique(terms % sizes.blocks.buckets).tolist()
        held = PostingBlock.objects.filter(part=part, segment=segment, bucket__in=buckets)
        blocks = [
            PackedBlock(bucket, tier, bytes(packed))
            for bucket, tier, packed in held.values_list("bucket", "tier", "packed")
        ]
        held.delete()
        store_blocks(part, segment, list(drop_positions(blocks, chunks.keys(), sizes.blocks)))


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


def _seal_chunks(part: UUID, chunks: Sequence[FreshChunk], sizes: IndexSizes) -> None:
    segment, first = _choose_segment(part, len(chunks), sizes.blocks)
    store_blocks(part, segment, list(pack_blocks([one.terms for one in chunks], sizes.blocks, first=first)))
    with connection.cursor() as cursor:
        cursor.execute(PLACE_CHUNKS, [segment, first, [one.id for one in chunks], current_tenant_id()])
    vectors = [
        FreshVector(one.number, one.space_id, one.vector) for one in chunks if one.vector is not None and one.space_id
    ]
    store_vectors_in_cells(part, vectors, sizes.cells)


def _choose_segment(part: UUID, count: int, config: BlockConfig) -> tuple[int, int]:
    """Return the segment that so many chunks are added to, the newest or a new one, and their first position in it."""
    newest = lock_part(part).next_segment - 1
    if newest >= 0:
        with connection.cursor() as cursor:
            cursor.execute(FIND_END, [current_tenant_id(), part, newest])
            (end,) = cursor.fetchone()
        if end + count <= config.positions:
            return newest, end
    IndexPart.objects.filter(part=part).update(next_segment=newest + 2)
    return newest + 1, 0


def store_blocks(part: UUID, segment: int, blocks: Sequence[PackedBlock]) -> None:
    """Add blocks to those of a segment of a locked part."""
    columns = [one.bucket for one in blocks], [one.tier for one in blocks], [one.packed for one in blocks]
    with connection.cursor() as cursor:
        cursor.execute(STORE_BLOCKS, [current_tenant_id(), part, segment, *columns])
