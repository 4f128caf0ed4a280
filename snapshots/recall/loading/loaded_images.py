"""Build images from stored memories. The rows are the truth; images and sealed blocks are copies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import DatabaseError

from memory_platform.observability.logs import Event, log
from snapshots.embedding.embedding_spaces import Embedders, make_spaces_key
from snapshots.recall.degraded_reasons import DegradedReason
from snapshots.recall.loading.damaged_index import mark_damaged_words, remove_damaged_blocks
from snapshots.recall.loading.memory_rows import (
    NO_VECTORS,
    MemoryColumns,
    PackedVectors,
    drop_damaged_words,
    make_memory_row,
    pack_vectors_by_memory,
)
from snapshots.recall.loading.stored_memory import (
    HeldMemory,
    LoosePart,
    MemoryState,
    StoredMemory,
    SubjectReader,
    load_stored_memory,
)
from snapshots.recall.memory_images.lane_images import NO_LAZY_IMAGE, NO_ROWS, LazyImage, split_lanes
from snapshots.recall.memory_images.memory_image import (
    MemoryImage,
    UnlinkedRows,
    extend_image,
    join_rows,
    link_rows,
    unpack_memories,
)
from snapshots.recall.memory_images.packed_blocks import DamagedBlock, unpack_block
from snapshots.recall.values import NOTES, REPLIES


@dataclass(frozen=True, slots=True)
class LoadedImages:
    """``image`` holds the snapshots. Each image is ranked on its own."""

    subject_id: UUID
    image: MemoryImage
    state: MemoryState
    degraded: frozenset[DegradedReason] = frozenset()
    notes: LazyImage = NO_LAZY_IMAGE
    replies: LazyImage = NO_LAZY_IMAGE

    @property
    def nbytes(self) -> int:
        return self.image.nbytes + self.notes.nbytes + self.replies.nbytes

    def image_of(self, lane: str) -> MemoryImage:
        """Return the image of the lane ``snapshots``, ``notes`` or ``replies``."""
        apart = {NOTES: self.notes, REPLIES: self.replies}
        return apart[lane].image if lane in apart else self.image


def load_images(whose: SubjectReader, embedders: Embedders, held: LoadedImages | None = None) -> LoadedImages | None:
    """Return the current images of a subject, None for an unknown subject; one round trip when all is well.

    ``held`` is extended where only additions came after it. When pgvector fails there are no vectors, and the result
    says so.
    """
    held = None if held and held.degraded else held
    since = HeldMemory(held.subject_id, held.state) if held else None
    degraded: frozenset[DegradedReason] = frozenset()
    try:
        read = load_parts(whose, embedders, since)
    except DatabaseError as failed:
        log(Event.RECALL_DEGRADED, provider="pgvector", error=type(failed).__name__)
        read = load_parts(whose, embedders, since, vectors=False)
        degraded = frozenset({DegradedReason.PGVECTOR_UNAVAILABLE})
    if read is None:
        return None
    stored, parts = read
    image, notes, replies = build_images(held if stored.first else None, parts)
    return LoadedImages(stored.subject_id, image, stored.state, degraded, notes, replies)


def load_parts(
    whose: SubjectReader,
    embedders: Embedders,
    since: HeldMemory | None,
    *,
    vectors: bool = True,
    damaged: Sequence[int] = (),
) -> tuple[StoredMemory, list[UnlinkedRows]] | None:
    """Return the stored memory and its unpacked parts.

    A damaged block is replaced by its rows, and removed. Rows with damaged words have none, and are marked.
    """
    stored = load_stored_memory(whose, embedders, since, vectors=vectors, damaged=damaged)
    if stored is None:
        return None
    parts: list[UnlinkedRows] = []
    unreadable: list[int] = []
    for part in stored.parts:
        if isinstance(part, LoosePart):
            rows, unread = drop_damaged_words(part.rows)
            mark_damaged_words(whose.tenant_id, stored.subject_id, unread)
            parts.append(unpack_rows(rows, pack_vectors_by_memory(part.vectors, embedders), embedders))
            continue
        try:
            parts.append(unpack_block(part.packed))
        except DamagedBlock:
            unreadable.append(part.block)
    if unreadable:
        remove_damaged_blocks(whose.tenant_id, stored.subject_id, make_spaces_key(embedders), unreadable)
        return load_parts(whose, embedders, since, vectors=vectors, damaged=[*damaged, *unreadable])
    return stored, parts


def unpack_rows(
    rows: Sequence[MemoryColumns], vectors: Mapping[UUID, PackedVectors], embedders: Embedders
) -> UnlinkedRows:
    return unpack_memories(
        [make_memory_row(row, vectors.get(row.id, NO_VECTORS)) for row in rows], _dimensions_by_space(embedders)
    )


def build_images(held: LoadedImages | None, parts: Sequence[UnlinkedRows]) -> tuple[MemoryImage, LazyImage, LazyImage]:
    """Return the images of ``held`` and then ``parts``; an image to which nothing was added stays itself."""
    snapshots, notes, replies = split_lanes(join_rows(parts)) if parts else (NO_ROWS, NO_ROWS, NO_ROWS)
    if held is None:
        return link_rows(snapshots), NO_LAZY_IMAGE.extend(notes), NO_LAZY_IMAGE.extend(replies)
    image = extend_image(held.image, snapshots) if len(snapshots.ids) else held.image
    return image, held.notes.extend(notes), held.replies.extend(replies)


def _dimensions_by_space(embedders: Embedders) -> dict[str, int]:
    return {embedder.name: embedder.dimensions for embedder in embedders}
