"""The chunks that either lane brought, with their index rows, and their scores in both lanes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from memory_platform.postgres.prepared_statements import Statement, fetch_together
from snapshots.knowledge.index.vector_cells import unpack_vectors
from snapshots.knowledge.search.config import LANES_OF_DOCUMENTS, LaneConfig
from snapshots.knowledge.search.document_filter import build_document_condition
from snapshots.knowledge.search.document_question import DocumentQuestion
from snapshots.knowledge.search.keyword_lane import ChunkPlace, Float64, score_chunks
from snapshots.knowledge.search.searched_parts import SearchedParts
from snapshots.recall.filtering.filter_grammar import FilterNode
from tenants.isolation import current_tenant_id

LOAD_CANDIDATES = """
WITH wanted AS (
  SELECT i.* FROM unnest($2::uuid[], $3::integer[], $4::smallint[]) AS w(part, segment, position)
  JOIN indexed_chunk i ON i.tenant_id = $1::uuid AND i.part = w.part AND i.segment = w.segment
    AND i.position = w.position
  UNION ALL
  SELECT i.* FROM unnest($5::uuid[], $6::bigint[]) AS w(part, number)
  JOIN indexed_chunk i ON i.tenant_id = $1::uuid AND i.part = w.part AND i.number = w.number
)
SELECT i.part, i.number, i.chunk_id, i.terms, i.space_id, i.vector FROM wanted i
"""
# A search without a filter does not look at the documents.
LOAD_CANDIDATES_FILTERED = f"""{LOAD_CANDIDATES}
JOIN document_chunk c ON c.tenant_id = $1::uuid AND c.id = i.chunk_id
JOIN document d ON d.tenant_id = $1::uuid AND d.id = c.document_id
WHERE """
LOAD_FILTERED = """
SELECT i.part, i.number, i.chunk_id, i.terms, i.space_id, i.vector FROM document d
JOIN document_chunk c ON c.tenant_id = $1::uuid AND c.document_id = d.id
JOIN indexed_chunk i ON i.tenant_id = $1::uuid AND i.chunk_id = c.id AND i.part = ANY($2::uuid[])
WHERE d.tenant_id = $1::uuid AND """
MOST_FILTERED = " LIMIT $3::integer"


@dataclass(frozen=True, slots=True)
class ChunkCandidate:
    """A chunk as the index holds it."""

    part: UUID
    number: int
    chunk_id: UUID
    terms: bytes
    space_id: UUID | None
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class LaneScores:
    """Of each candidate: BM25, share of the question's rare words, cosine (0 in another space); shapes (n,)."""

    keyword: Float64
    coverage: Float64
    cosine: Float64


def load_candidates(
    places: Sequence[ChunkPlace], numbers: Sequence[tuple[UUID, int]], node: FilterNode | None
) -> list[ChunkCandidate]:
    """Return the chunks at ``places`` and of ``numbers`` whose documents pass the filter, each once."""
    sealed = [one for one in places if one.segment is not None]
    wanted = dict.fromkeys([*numbers, *((one.part, one.number) for one in places if one.segment is None)])
    values = [
        current_tenant_id(),
        [one.part for one in sealed],
        [one.segment for one in sealed],
        [one.number for one in sealed],
        [part for part, _ in wanted],
        [number for _, number in wanted],
    ]
    statement = Statement(LOAD_CANDIDATES, values)
    if node is not None:
        condition = build_document_condition(node, values)
        statement = Statement(LOAD_CANDIDATES_FILTERED + condition, values, is_constant=False)
    (rows,) = fetch_together([statement])
    return list({row[2]: ChunkCandidate(*row) for row in rows}.values())


def load_filtered_candidates(
    parts: SearchedParts, node: FilterNode, config: LaneConfig = LANES_OF_DOCUMENTS
) -> list[ChunkCandidate] | None:
    """Return all chunks of the documents that pass the filter; None if they are too many to be read."""
    values = [current_tenant_id(), list(parts.parts), config.filtered + 1]
    sql = LOAD_FILTERED + build_document_condition(node, values) + MOST_FILTERED
    (rows,) = fetch_together([Statement(sql, values, is_constant=False)])
    return [ChunkCandidate(*row) for row in rows] if len(rows) <= config.filtered else None


def score_candidates(
    candidates: Sequence[ChunkCandidate], term_weights: Mapping[int, float], question: DocumentQuestion
) -> LaneScores:
    keyword, coverage = score_chunks([one.terms for one in candidates], term_weights, question.own_terms)
    cosine = np.zeros(len(candidates))
    for space, vector in question.vectors.items():
        own = [i for i, one in enumerate(candidates) if one.space_id == space and one.vector is not None]
        if own:
            rows = unpack_vectors(own, [candidates[i].vector or b"" for i in own])
            cosine[own] = rows.restore_vectors() @ vector
    return LaneScores(keyword, coverage, cosine)
