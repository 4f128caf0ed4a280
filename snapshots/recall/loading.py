"""From the tables to an image. The rows are the truth; an image is a copy, and so are sealed blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import DatabaseError

from memory_platform.observability.logs import Event, log
from snapshots.embedding.contextual import IndexedText, Turn, index_text
from snapshots.embedding.rows import reworded
from snapshots.embedding.spaces import Embedders, spaces_key
from snapshots.embedding.versions import INDEXED, HeldThen, changed_since
from snapshots.models import Snapshot
from snapshots.recall.blocks import DamagedBlock, unpack_block
from snapshots.recall.current import LoosePart, MemoryState, Since, StoredMemory, Whose, read_memory
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.earlier import check_size
from snapshots.recall.image import Image, Rows, build_image, extend_image, join, link, unpack
from snapshots.recall.mending import mark_unread, remove_damaged
from snapshots.recall.reading import (
    NO_VECTORS,
    PackedVectors,
    Row,
    legible,
    memory_row,
    packed_vectors,
    read_stretches,
    read_vectors,
)
from tenants.isolation import current_tenant_id

BEYOND_ALL = 2**62
"""A position that no memory has."""


@dataclass(frozen=True, slots=True)
class LoadedImage:
    """The image of a subject, the state of the memory it shows, and what was missing while it was built."""

    subject_id: UUID
    image: Image
    state: MemoryState
    degraded: frozenset[DegradedReason] = frozenset()


@dataclass(frozen=True, slots=True)
class HeldImage:
    """An image of an earlier moment, what was missing while it was built, and which memories were changed since."""

    image: Image
    degraded: frozenset[DegradedReason]
    earlier: Mapping[UUID, HeldThen] = field(default_factory=dict)


def load_image(whose: Whose, embedders: Embedders, held: LoadedImage | None = None) -> LoadedImage | None:
    """Return the image of a subject's memory as it is, None for an unknown subject; in one round trip when all is well.

    ``held`` is taken on where only additions came after it. When pgvector fails there are no vectors, and the image
    says so.
    """
    held = None if held and held.degraded else held
    since = Since(held.subject_id, held.state) if held else None
    degraded: frozenset[DegradedReason] = frozenset()
    try:
        read = read_parts(whose, embedders, since)
    except DatabaseError as failed:
        log(Event.RECALL_DEGRADED, provider="pgvector", error=type(failed).__name__)
        read = read_parts(whose, embedders, since, vectors=False)
        degraded = frozenset({DegradedReason.PGVECTOR_UNAVAILABLE})
    if read is None:
        return None
    stored, parts = read
    earlier = held.image if held and stored.first else None
    return LoadedImage(stored.subject_id, _image(earlier, parts), stored.state, degraded)


def read_parts(
    whose: Whose, embedders: Embedders, since: Since | None, *, vectors: bool = True, damaged: Sequence[int] = ()
) -> tuple[StoredMemory, list[Rows]] | None:
    """Return what is stored of a subject, and its parts unpacked; a damaged block is left to its rows, and removed.

    Memories whose words are damaged have none, and are noted.
    """
    stored = read_memory(whose, embedders, since, vectors=vectors, damaged=damaged)
    if stored is None:
        return None
    parts: list[Rows] = []
    unreadable: list[int] = []
    for part in stored.parts:
        if isinstance(part, LoosePart):
            rows, unread = legible(part.rows)
            mark_unread(whose.tenant_id, stored.subject_id, unread)
            parts.append(unpack_rows(rows, packed_vectors(part.vectors, embedders), embedders))
            continue
        try:
            parts.append(unpack_block(part.packed))
        except DamagedBlock:
            unreadable.append(part.block)
    if unreadable:
        remove_damaged(whose.tenant_id, stored.subject_id, spaces_key(embedders), unreadable)
        return read_parts(whose, embedders, since, vectors=vectors, damaged=[*damaged, *unreadable])
    return stored, parts


def unpack_rows(rows: Sequence[Row], vectors: Mapping[UUID, PackedVectors], embedders: Embedders) -> Rows:
    """Return rows with their vectors as parts of an image."""
    return unpack([memory_row(row, vectors.get(row.id, NO_VECTORS)) for row in rows], _dimensions(embedders))


def _image(earlier: Image | None, parts: Sequence[Rows]) -> Image:
    """Return the image of the memories of ``earlier`` and then ``parts``; ``earlier`` itself when nothing was added."""
    if earlier is None:
        return link(join(parts or [unpack([], {})]))
    return extend_image(earlier, join(parts)) if parts else earlier


def load_image_held(subject_id: UUID, embedders: Embedders, known_at: datetime) -> HeldImage:
    """Build the image of what was held of a subject at ``known_at`` (P4), in the open scope: for one question only.

    What was reworded since is found by the words it had then; its vectors of then are gone. Expiry is that of today.
    Raises MemoryTooLarge.
    """
    check_size(subject_id, embedders, known_at)
    earlier = changed_since(subject_id, known_at)
    (found,) = read_stretches(subject_id, [(0, BEYOND_ALL)])
    rows, unread = legible(found)
    mark_unread(current_tenant_id(), subject_id, unread)
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
    )


def _reworded(then: HeldThen) -> bool:
    return not INDEXED.isdisjoint(then.changed)


def _indexed_then(held: Snapshot) -> IndexedText:
    turn = Turn(held.text, held.name, held.said_at)
    return index_text(turn, category=held.category or None, topics=held.topics)
