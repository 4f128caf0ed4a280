"""From the tables to an image: all SQL of recall's search stands here. The rows are the truth, an image is a copy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db import DatabaseError, transaction

from memory_platform.observability.logs import Event, log
from memory_platform.postgres.prepared import Rows, Statement, fetch_prepared, fetch_together
from memory_platform.providers.contracts import Embedder
from snapshots.embedding.contextual import IndexedText, Turn, index_text
from snapshots.embedding.rows import Float32, pack_dense, reworded
from snapshots.embedding.spaces import Embedders, space_id
from snapshots.embedding.versions import INDEXED, HeldThen, changed_since
from snapshots.models import Snapshot
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.image import Image, build_image, extend_image
from snapshots.recall.values import MemoryRow
from tenants.isolation import current_tenant_id

STATE = "SELECT version, epoch, next_position FROM subject_memory WHERE tenant_id = $1 AND subject_id = $2"

ROWS = """
SELECT s.id, s.kind, w.words, s.recorded_at, c.external_id, s.seq, s.name, s.said_at, s.valid_at, s.invalid_at,
       s.retired_at, s.expires_at, s.last_validated_at, s.confidence, s.importance, s.provenance,
       coalesce(n.injected, 0), coalesce(n.positive, 0), s.topics, s.metadata
FROM snapshot s
JOIN snapshot_words w ON w.tenant_id = s.tenant_id AND w.snapshot_id = s.id
LEFT JOIN conversation c ON c.tenant_id = s.tenant_id AND c.id = s.conversation_id
LEFT JOIN snapshot_counter n ON n.tenant_id = s.tenant_id AND n.snapshot_id = s.id
WHERE s.tenant_id = $1 AND s.subject_id = $2 AND s.position >= $3 AND s.position < $4
ORDER BY s.position
"""

VECTORS = """
SELECT snapshot_id, halfvec_send(dated), halfvec_send(previous), space_id FROM snapshot_vector
WHERE tenant_id = $1 AND subject_id = $2 AND space_id = ANY($3) AND ($4::uuid[] IS NULL OR snapshot_id = ANY($4))
"""

HALFVEC_HEADER = 4
"""Bytes before the numbers in pgvector's binary form: dimensions (i2) and an unused i2; then big-endian halves."""


class _Row(NamedTuple):
    """One row of ROWS, in its order."""

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
    metadata: Mapping[str, object]


class PackedVectors(NamedTuple):
    """Both dense texts of a memory as :func:`snapshots.embedding.rows.pack_dense` packs them, and their space."""

    dense: bytes | None
    space: str


NO_VECTORS = PackedVectors(None, "")
BEYOND_ALL = 2**62
"""A position that no memory has."""


@dataclass(frozen=True, slots=True)
class MemoryState:
    """Where a subject's memory stands: see :class:`snapshots.models.SubjectMemory`. All 0 while there is none."""

    version: int = 0
    epoch: int = 0
    next_position: int = 0


@dataclass(frozen=True, slots=True)
class LoadedImage:
    """An image, the state of the memory it shows, and what was missing while it was built."""

    image: Image
    state: MemoryState
    degraded: frozenset[DegradedReason] = frozenset()


@dataclass(frozen=True, slots=True)
class HeldImage:
    """An image of an earlier moment, what was missing while it was built, and which memories were changed since."""

    image: Image
    degraded: frozenset[DegradedReason]
    earlier: Mapping[UUID, HeldThen] = field(default_factory=dict)


def memory_state(subject_id: UUID) -> MemoryState:
    """Return where the subject's memory stands, in the open scope."""
    return state_of(fetch_together([state_statement(current_tenant_id(), subject_id)])[0])


def state_statement(tenant_id: UUID, subject_id: UUID) -> Statement:
    """Return the statement that reads the state; :func:`state_of` reads its rows."""
    return Statement(STATE, [tenant_id, subject_id])


def state_of(rows: Rows) -> MemoryState:
    """Return the state in ``rows`` of :func:`state_statement`."""
    return MemoryState(*rows[0]) if rows else MemoryState()


def load_image(subject_id: UUID, embedders: Embedders, state: MemoryState) -> LoadedImage:
    """Build the image of a subject from its rows, in the open scope.

    The vectors are read under a savepoint: when pgvector fails, the image has no dense views and says so.
    """
    rows = _rows_between(subject_id, 0, state.next_position)
    memories, degraded = _with_vectors(subject_id, rows, embedders, all_of_them=True)
    return LoadedImage(build_image(memories, _dimensions(embedders)), state, degraded)


def load_growth(subject_id: UUID, embedders: Embedders, held: LoadedImage, state: MemoryState) -> LoadedImage:
    """Return ``held`` with the memories added since, in the open scope; ``state`` is of the same epoch."""
    rows = _rows_between(subject_id, held.state.next_position, state.next_position)
    memories, degraded = _with_vectors(subject_id, rows, embedders, all_of_them=False)
    return LoadedImage(extend_image(held.image, memories, _dimensions(embedders)), state, degraded)


def load_image_held(subject_id: UUID, embedders: Embedders, known_at: datetime) -> HeldImage:
    """Build the image of what was held of a subject at ``known_at`` (P4), in the open scope: for one question only.

    What was reworded since is found by the words it had then; its vectors of then are gone. Expiry is that of today.
    """
    earlier = changed_since(subject_id, known_at)
    rows = _rows_between(subject_id, 0, BEYOND_ALL)
    held = [
        row for row in rows if row.recorded_at <= known_at and (row.retired_at is None or row.retired_at > known_at)
    ]
    dense, degraded = _dense_rows(subject_id, embedders, None)
    dense = {row: packed for row, packed in dense.items() if row not in earlier or not _reworded(earlier[row])}
    memories = [_memory_row(_row_then(row, earlier.get(row.id)), dense.get(row.id, NO_VECTORS)) for row in held]
    return HeldImage(build_image(memories, _dimensions(embedders)), degraded, earlier)


def _rows_between(subject_id: UUID, first: int, end: int) -> list[_Row]:
    """Return the rows from position ``first`` up to before ``end``, in order."""
    return [_Row(*found) for found in fetch_prepared(ROWS, [current_tenant_id(), subject_id, first, end])]


def _with_vectors(
    subject_id: UUID, rows: Sequence[_Row], embedders: Embedders, *, all_of_them: bool
) -> tuple[list[MemoryRow], frozenset[DegradedReason]]:
    """Return ``rows`` with their vectors; ``all_of_them`` says that the subject has no others."""
    wanted = None if all_of_them else [row.id for row in rows]
    dense, degraded = _dense_rows(subject_id, embedders, wanted)
    return [_memory_row(row, dense.get(row.id, NO_VECTORS)) for row in rows], degraded


def _dimensions(embedders: Embedders) -> dict[str, int]:
    return {embedder.name: embedder.dimensions for embedder in embedders}


def _row_then(row: _Row, then: HeldThen | None) -> _Row:
    """Return ``row`` with the values it was held with; the turn before and the speaker cannot have changed."""
    if then is None:
        return row
    held = then.snapshot
    return row._replace(
        words=reworded(bytes(row.words), _indexed_then(held)) if _reworded(then) else row.words,
        said_at=held.said_at,
        valid_at=held.valid_at,
        invalid_at=held.invalid_at,
        last_validated_at=held.last_validated_at,
        confidence=held.confidence,
        importance=held.importance,
        provenance=held.provenance,
        topics=held.topics,
        metadata=held.metadata,
    )


def _reworded(then: HeldThen) -> bool:
    return not INDEXED.isdisjoint(then.changed)


def _indexed_then(held: Snapshot) -> IndexedText:
    turn = Turn(held.text, held.name, held.said_at)
    return index_text(turn, category=held.category or None, topics=held.topics)


def _dense_rows(
    subject_id: UUID, embedders: Embedders, wanted: Sequence[UUID] | None
) -> tuple[dict[UUID, PackedVectors], frozenset[DegradedReason]]:
    """Return each memory's vectors in the first listed space that holds it; of ``wanted`` ones, None for all."""
    spaces = {space_id(embedder): embedder for embedder in embedders}
    if not spaces:
        return {}, frozenset()
    try:
        with transaction.atomic():
            found = fetch_prepared(VECTORS, [current_tenant_id(), subject_id, list(spaces), wanted])
    except DatabaseError as failed:
        log(Event.RECALL_DEGRADED, provider="pgvector", error=type(failed).__name__)
        return {}, frozenset({DegradedReason.PGVECTOR_UNAVAILABLE})
    packed: dict[UUID, PackedVectors] = {}
    for space, embedder in reversed(spaces.items()):
        packed.update(_packed_space([row for row in found if row[3] == space], embedder))
    return packed, frozenset()


def _packed_space(found: Sequence[Sequence[Any]], embedder: Embedder) -> dict[UUID, PackedVectors]:
    """Return the vectors of one space by memory."""
    if not found:
        return {}
    dated, previous = (_halves([row[column] for row in found], embedder.dimensions) for column in (1, 2))
    rows = pack_dense(dated, previous)
    return {row[0]: PackedVectors(dense, embedder.name) for row, dense in zip(found, rows, strict=True)}


def _halves(values: Sequence[bytes], dimensions: int) -> Float32:
    """Return pgvector's binary halfvecs as float32, shape (n, dimensions)."""
    size = HALFVEC_HEADER + 2 * dimensions
    raw = np.frombuffer(b"".join(bytes(value) for value in values), np.uint8).reshape(-1, size)
    return np.ascontiguousarray(raw[:, HALFVEC_HEADER:]).view(">f2").astype(np.float32)


def _memory_row(row: _Row, vectors: PackedVectors) -> MemoryRow:
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
        metadata=row.metadata or None,
    )
