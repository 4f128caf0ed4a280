"""The lane of vectors: the cells nearest to the question, and the fresh chunks, compared one by one."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np

from memory_platform.postgres.prepared_statements import Statement
from snapshots.embedding.index_row_packing import Float32
from snapshots.embedding.snapshot_store import WrittenVector
from snapshots.knowledge.index.vector_cells import CellRows, join_cells, unpack_cell, unpack_vectors
from snapshots.knowledge.search.config import LANES_OF_DOCUMENTS, LaneConfig
from snapshots.knowledge.search.searched_parts import SearchedParts
from snapshots.recall.ranking.memory_scores import compute_cosines
from tenants.isolation import current_tenant_id

# One statement, so that a chunk which is sealed meanwhile is read once.
READ_CELLS = """
SELECT c.part, NULL::bigint, c.packed FROM (
  SELECT v.part, v.packed FROM vector_cell v
  WHERE v.tenant_id = $1::uuid AND v.part = ANY($2::uuid[]) AND v.space_id = $3::uuid
  ORDER BY v.centroid <#> $4::halfvec LIMIT $5::integer
) c
UNION ALL
SELECT i.part, i.number, i.vector FROM indexed_chunk i
WHERE i.tenant_id = $1::uuid AND i.part = ANY($2::uuid[]) AND i.segment IS NULL AND i.cell IS NULL
  AND i.space_id = $3::uuid
"""
# Part, number of a fresh chunk or None, packed vectors.
CellRow = tuple[UUID, int | None, bytes]


def build_cell_statement(
    space: UUID, vector: Float32, parts: SearchedParts, config: LaneConfig = LANES_OF_DOCUMENTS
) -> Statement:
    centre = WrittenVector(vector).to_text()
    return Statement(READ_CELLS, [current_tenant_id(), list(parts.parts), space, centre, config.cells])


def rank_vectors(rows: Sequence[CellRow], vector: Float32, *, depth: int) -> list[tuple[UUID, int]]:
    """Return part and number of the best ``depth`` chunks that the statement read, best first."""
    found: list[tuple[float, UUID, int]] = []
    for part in sorted({part for part, _, _ in rows}, key=str):
        held = join_cells(_unpack_rows([row for row in rows if row[0] == part], len(vector)))
        cosines = compute_cosines(held.rows, held.scales, vector)
        best = np.argpartition(-cosines, min(depth, len(cosines)) - 1)[:depth]
        found += [(float(cosines[i]), part, int(held.numbers[i])) for i in best]
    found.sort(key=lambda one: -one[0])
    return [(part, number) for _, part, number in found[:depth]]


def _unpack_rows(rows: Sequence[CellRow], dimensions: int) -> list[CellRows]:
    cells = [unpack_cell(packed, dimensions) for _, number, packed in rows if number is None]
    fresh = [(number, packed) for _, number, packed in rows if number is not None]
    if fresh:
        numbers, packed = zip(*fresh, strict=True)
        cells.append(unpack_vectors(numbers, packed))
    return cells
