"""Read memories row by row: columns, packed words and vectors."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.db import DatabaseError, transaction

from memory_platform.observability.logs import Event, log
from memory_platform.postgres.prepared_statements import Rows as Fetched
from memory_platform.postgres.prepared_statements import Statement, fetch_prepared, fetch_together
from memory_platform.providers.contracts import Embedder
from snapshots.embedding.embedding_spaces import Embedders, space_id
from snapshots.embedding.index_row_packing import Float32, is_whole_postings, pack_vector_rows
from snapshots.recall.values import DegradedReason, MemoryRow
from tenants.isolation import current_tenant_id

COLUMNS = """
s.id, s.kind, w.words, s.recorded_at, c.external_id, s.seq, s.name, s.said_at, s.valid_at, s.invalid_at,
s.retired_at, s.expires_at, s.last_validated_at, s.confidence, s.importance, s.provenance,
coalesce(n.judged, 0), coalesce(n.positive, 0), s.topics, coalesce(w.saying, 0), coalesce(o.vital, false)
"""
TABLES = """
snapshot s
JOIN snapshot_words w ON w.tenant_id = s.tenant_id AND w.snapshot_id = s.id
LEFT JOIN conversation c ON c.tenant_id = s.tenant_id AND c.id = s.conversation_id
LEFT JOIN snapshot_counter n ON n.tenant_id = s.tenant_id AND n.snapshot_id = s.id
LEFT JOIN LATERAL (
  SELECT true AS vital FROM note
  WHERE s.kind = 'note' AND tenant_id = s.tenant_id AND snapshot_id = s.id AND vital_class <> ''
  LIMIT 1
) o ON true
"""

ROWS = f"""
SELECT {COLUMNS} FROM {TABLES}
WHERE s.tenant_id = $1 AND s.subject_id = $2 AND s.position >= $3 AND s.position < $4
ORDER BY s.position
"""  # noqa: S608  # made of constants of this module; values are parameters

ROWS_OF = f"""
SELECT {COLUMNS} FROM {TABLES}
WHERE s.tenant_id = $1 AND s.subject_id = $2 AND s.id = ANY($3)
ORDER BY s.position
"""  # noqa: S608  # made of constants of this module; values are parameters

VECTORS = """
SELECT snapshot_id, halfvec_send(dated), halfvec_send(previous), space_id FROM snapshot_vector
WHERE tenant_id = $1 AND subject_id = $2 AND space_id = ANY($3)
"""

# A statement of its own: with one for both, Postgres reads all vectors of the subject to find a few.
VECTORS_OF = f"{VECTORS} AND snapshot_id = ANY($4)"

# Bytes before the numbers in pgvector's binary form: dimensions (i2) and an unused i2; then big-endian halves.
HALFVEC_HEADER = 4


class MemoryColumns(NamedTuple):
    """One row of COLUMNS, in their order."""

    id: UUID
    kind: str
    words: bytes
    recorded_at: datetime
    conversation: str | None
    seq: int | None
    name: str | None
    said_at: datetime
    valid_at: datetime
    invalid_at: datetime | None
    retired_at: datetime | None
    expires_at: datetime | None
    last_validated_at: datetime
    confidence: float
    importance: float
    provenance: str
    injected: int
    positive: int
    topics: Sequence[str]
    saying: int
    vital: bool


class PackedVectors(NamedTuple):
    """Both vectors of a memory as :mod:`snapshots.embedding.index_row_packing` packs them, and their space."""

    dense: bytes | None
    space: str


NO_VECTORS = PackedVectors(None, "")

# Positions: the first, and the one after the last.
PositionRange = tuple[int, int]


def load_rows_in_ranges(subject_id: UUID, stretches: Sequence[PositionRange]) -> list[list[MemoryColumns]]:
    own = [current_tenant_id(), subject_id]
    found = fetch_together([Statement(ROWS, [*own, first, end]) for first, end in stretches])
    return [[MemoryColumns(*row) for row in rows] for rows in found]


def load_rows(subject_id: UUID, memory_ids: Sequence[UUID]) -> list[MemoryColumns]:
    return [MemoryColumns(*row) for row in fetch_prepared(ROWS_OF, [current_tenant_id(), subject_id, memory_ids])]


def load_vectors(
    subject_id: UUID, embedders: Embedders, memory_ids: Sequence[UUID] | None
) -> tuple[dict[UUID, PackedVectors], frozenset[DegradedReason]]:
    """Return the vectors of ``memory_ids`` (None: of all memories) in the first listed space that has them. They are
    read under a savepoint: if pgvector fails, no vectors are returned, and the second value says so."""
    if not embedders:
        return {}, frozenset()
    try:
        with transaction.atomic():
            own = [current_tenant_id(), subject_id, list(map(space_id, embedders))]
            found = (
                fetch_prepared(VECTORS, own) if memory_ids is None else fetch_prepared(VECTORS_OF, [*own, memory_ids])
            )
    except DatabaseError as failed:
        log(Event.RECALL_DEGRADED, provider="pgvector", error=type(failed).__name__)
        return {}, frozenset({DegradedReason.PGVECTOR_UNAVAILABLE})
    return pack_vectors_by_memory(found, embedders), frozenset()


def pack_vectors_by_memory(vector_rows: Fetched, embedders: Embedders) -> dict[UUID, PackedVectors]:
    """Return the vectors in rows of VECTORS by memory, from the first listed space that has them."""
    packed: dict[UUID, PackedVectors] = {}
    for embedder in reversed(embedders):
        space = space_id(embedder)
        packed.update(_pack_space([row for row in vector_rows if row[3] == space], embedder))
    return packed


def _pack_space(vector_rows: Fetched, embedder: Embedder) -> dict[UUID, PackedVectors]:
    size = HALFVEC_HEADER + 2 * embedder.dimensions
    vector_rows = [row for row in vector_rows if len(row[1]) == len(row[2]) == size]
    if not vector_rows:
        return {}
    dated, previous = (_parse_halfvecs([row[column] for row in vector_rows], embedder.dimensions) for column in (1, 2))
    rows = pack_vector_rows(dated, previous)
    return {row[0]: PackedVectors(dense, embedder.name) for row, dense in zip(vector_rows, rows, strict=True)}


def _parse_halfvecs(values: Sequence[bytes], dimensions: int) -> Float32:
    """Return pgvector's binary halfvecs as float32, shape (n, dimensions)."""
    size = HALFVEC_HEADER + 2 * dimensions
    raw = np.frombuffer(b"".join(bytes(value) for value in values), np.uint8).reshape(-1, size)
    return np.ascontiguousarray(raw[:, HALFVEC_HEADER:]).view(">f2").astype(np.float32)


def drop_damaged_words(rows: Sequence[MemoryColumns]) -> tuple[list[MemoryColumns], list[UUID]]:
    """Return ``rows`` without damaged words, and the ids of the rows that had them."""
    damaged = [row.id for row in rows if not is_whole_postings(row.words)]
    if not damaged:
        return list(rows), damaged
    return [row if is_whole_postings(row.words) else row._replace(words=b"", saying=0) for row in rows], damaged


def make_memory_row(row: MemoryColumns, vectors: PackedVectors) -> MemoryRow:
    return MemoryRow(
        id=row.id,
        kind=row.kind,
        lex=bytes(row.words),
        created_at=row.recorded_at,
        dense=vectors.dense,
        space=vectors.space,
        conversation_id=row.conversation,
        seq=row.seq,
        name=row.name,
        said_at=row.said_at,
        valid_at=row.valid_at,
        invalid_at=row.invalid_at,
        retired_at=row.retired_at,
        expires_at=row.expires_at,
        last_validated_at=row.last_validated_at,
        confidence=row.confidence,
        importance=row.importance,
        provenance=row.provenance,
        injected=row.injected,
        positive=row.positive,
        topics=tuple(row.topics),
        saying=row.saying,
        vital=row.vital,
    )
