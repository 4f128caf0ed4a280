"""The chunks that either lane brought, with their index rows, and their scores in both lanes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import orjson

from memory_platform.postgres.prepared_statements import fetch_prepared
from snapshots.knowledge.index.vector_cells import unpack_vectors
from snapshots.knowledge.search.config import LANES_OF_DOCUMENTS, LaneConfig
from snapshots.knowledge.search.document_question import DocumentQuestion
from snapshots.knowledge.search.keyword_lane import ChunkPlace, Float64, score_chunks
from snapshots.knowledge.search.searched_parts import SearchedParts
from snapshots.knowledge.search.values import DocumentFilter
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
WHERE ($7::text[] IS NULL OR d.external_id = ANY($7)) AND ($8::text[] IS NULL OR d.content_type = ANY($8))
  AND ($9::jsonb IS NULL OR d.metadata @> $9)
"""
LOAD_FILTERED = """
SELECT i.part, i.number, i.chunk_id, i.terms, i.space_id, i.vector FROM document d
JOIN document_chunk c ON c.tenant_id = $1::uuid AND c.document_id = d.id
JOIN indexed_chunk i ON i.tenant_id = $1::uuid AND i.chunk_id = c.id AND i.part = ANY($2::uuid[])
WHERE d.tenant_id = $1::uuid AND ($4::text[] IS NULL OR d.external_id = ANY($4))
  AND ($5::text[] IS NULL OR d.content_type = ANY($5)) AND ($6::jsonb IS NULL OR d.metadata @> $6)
LIMIT $3::integer
"""


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
    places: Sequence[ChunkPlace], numbers: Sequence[tuple[UUID, int]], filters: DocumentFilter
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
    if filters:
        rows = fetch_prepared(LOAD_CANDIDATES_FILTERED, [*values, *_filter_values(filters)])
    else:
        rows = fetch_prepared(LOAD_CANDIDATES, values)
    return list({row[2]: ChunkCandidate(*row) for row in rows}.values())


def load_filtered_candidates(
    parts: SearchedParts, filters: DocumentFilter, config: LaneConfig = LANES_OF_DOCUMENTS
) -> list[ChunkCandidate] | None:
    """Return all chunks of the documents that pass the filter; None if they are too many to be read."""
    values = [current_tenant_id(), list(parts.parts), config.filtered + 1, *_filter_values(filters)]
    rows = fetch_prepared(LOAD_FILTERED, values)
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


def _filter_values(filters: DocumentFilter) -> list[Any]:
    metadata = orjson.dumps(dict(filters.metadata)).decode() if filters.metadata else None
    return [list(filters.document_ids) or None, list(filters.content_types) or None, metadata]
