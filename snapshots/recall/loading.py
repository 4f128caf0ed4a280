"""From the tables to an image. The rows are the truth; an image is a copy, and so are sealed blocks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.postgres.prepared import Rows as Fetched
from memory_platform.postgres.prepared import Statement, fetch_prepared, fetch_together
from snapshots.embedding.contextual import IndexedText, Turn, index_text
from snapshots.embedding.rows import reworded
from snapshots.embedding.spaces import Embedders, spaces_key
from snapshots.embedding.versions import INDEXED, HeldThen, changed_since
from snapshots.models import BLOCK_POSITIONS, Snapshot
from snapshots.recall.blocks import FORMAT, DamagedBlock, unpack_block
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.image import Image, Rows, build_image, extend_image, join, link, unpack
from snapshots.recall.reading import (
    NO_VECTORS,
    Row,
    Stretch,
    memory_row,
    read_stretches,
    read_vectors,
    with_vectors,
)
from tenants.isolation import current_tenant_id

STATE = "SELECT version, epoch, next_position FROM subject_memory WHERE tenant_id = $1 AND subject_id = $2"

BLOCKS = """
SELECT block, packed FROM memory_block
WHERE tenant_id = $1 AND subject_id = $2 AND spaces = $3 AND format = $4 AND block < $5
"""

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


def state_of(rows: Fetched) -> MemoryState:
    """Return the state in ``rows`` of :func:`state_statement`."""
    return MemoryState(*rows[0]) if rows else MemoryState()


def load_image(subject_id: UUID, embedders: Embedders, state: MemoryState) -> LoadedImage:
    """Build the image of a subject in the open scope: from its sealed blocks, and row by row between them."""
    blocks = sealed_blocks(subject_id, embedders, state)
    gaps = unsealed(blocks, state.next_position)
    parts, degraded = read_parts(subject_id, embedders, gaps, whole=not blocks)
    parts.update({block * BLOCK_POSITIONS: rows for block, rows in blocks.items()})
    return LoadedImage(link(join([parts[first] for first in sorted(parts)])), state, degraded)


def sealed_blocks(subject_id: UUID, embedders: Embedders, state: MemoryState) -> dict[int, Rows]:
    """Return the rows of the subject's sealed blocks by number; a damaged one is left to its rows."""
    whole = state.next_position // BLOCK_POSITIONS
    if not whole:
        return {}
    asked = [current_tenant_id(), subject_id, spaces_key(embedders), FORMAT, whole]
    read: dict[int, Rows] = {}
    for block, packed in fetch_prepared(BLOCKS, asked):
        try:
            read[block] = unpack_block(packed)
        except DamagedBlock as damaged:
            log(Event.RECALL_DEGRADED, provider="memory_block", error=damaged.code)
    return read


def unsealed(blocks: Mapping[int, object], end: int) -> list[Stretch]:
    """Return the stretches of positions before ``end`` that no block holds; one, maybe empty, where none is sealed."""
    begins = [block * BLOCK_POSITIONS for block in sorted(blocks)]
    stretches = zip([0, *(begin + BLOCK_POSITIONS for begin in begins)], [*begins, end], strict=True)
    return [(first, last) for first, last in stretches if first < last or not blocks]


def read_parts(
    subject_id: UUID, embedders: Embedders, stretches: list[Stretch], *, whole: bool
) -> tuple[dict[int, Rows], frozenset[DegradedReason]]:
    """Return the packed rows of each stretch by its first position, and what was missing; ``whole``: they are all."""
    if not stretches:
        return {}, frozenset()
    found = read_stretches(subject_id, stretches)
    wanted = None if whole else [row.id for rows in found for row in rows]
    vectors, degraded = read_vectors(subject_id, embedders, wanted)
    dimensions = _dimensions(embedders)
    firsts = (first for first, _ in stretches)
    parts = {first: unpack(with_vectors(rows, vectors), dimensions) for first, rows in zip(firsts, found, strict=True)}
    return parts, degraded


def load_growth(subject_id: UUID, embedders: Embedders, held: LoadedImage, state: MemoryState) -> LoadedImage:
    """Return ``held`` with the memories added since, in the open scope; ``state`` is of the same epoch."""
    added = [(held.state.next_position, state.next_position)]
    parts, degraded = read_parts(subject_id, embedders, added, whole=False)
    (rows,) = parts.values()
    return LoadedImage(extend_image(held.image, rows), state, degraded)


def load_image_held(subject_id: UUID, embedders: Embedders, known_at: datetime) -> HeldImage:
    """Build the image of what was held of a subject at ``known_at`` (P4), in the open scope: for one question only.

    What was reworded since is found by the words it had then; its vectors of then are gone. Expiry is that of today.
    """
    earlier = changed_since(subject_id, known_at)
    (rows,) = read_stretches(subject_id, [(0, BEYOND_ALL)])
    held = [
        row for row in rows if row.recorded_at <= known_at and (row.retired_at is None or row.retired_at > known_at)
    ]
    dense, degraded = read_vectors(subject_id, embedders, None)
    dense = {row: packed for row, packed in dense.items() if row not in earlier or not _reworded(earlier[row])}
    memories = [memory_row(_row_then(row, earlier.get(row.id)), dense.get(row.id, NO_VECTORS)) for row in held]
    return HeldImage(build_image(memories, _dimensions(embedders)), degraded, earlier)


def _dimensions(embedders: Embedders) -> dict[str, int]:
    return {embedder.name: embedder.dimensions for embedder in embedders}


def _row_then(row: Row, then: HeldThen | None) -> Row:
    """Return ``row`` with the values it was held with; the turn before and the speaker cannot have changed."""
    if then is None:
        return row
    held = then.snapshot
    indexed = _indexed_then(held) if _reworded(then) else None
    return row._replace(
        words=reworded(bytes(row.words), indexed) if indexed else row.words,
        saying=indexed.saying if indexed else row.saying,
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
