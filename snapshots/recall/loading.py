"""From the tables to an image. The rows are the truth; an image is a copy, and so are sealed blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import DatabaseError

from memory_platform.observability.logs import Event, log
from snapshots.embedding.spaces import Embedders, spaces_key
from snapshots.recall.blocks import DamagedBlock, unpack_block
from snapshots.recall.current import LoosePart, MemoryState, Since, StoredMemory, Whose, read_memory
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.image import Image, Rows, extend_image, join, link, unpack
from snapshots.recall.mending import mark_unread, remove_damaged
from snapshots.recall.reading import (
    NO_VECTORS,
    PackedVectors,
    Row,
    legible,
    memory_row,
    packed_vectors,
)


@dataclass(frozen=True, slots=True)
class LoadedImage:
    """The image of a subject, the state of the memory it shows, and what was missing while it was built."""

    subject_id: UUID
    image: Image
    state: MemoryState
    degraded: frozenset[DegradedReason] = frozenset()


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


def _dimensions(embedders: Embedders) -> dict[str, int]:
    return {embedder.name: embedder.dimensions for embedder in embedders}
