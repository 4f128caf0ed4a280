"""Build images from stored memories. The rows are the truth; images and sealed blocks are copies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import DatabaseError

from memory_platform.observability.logs import Event, log
from snapshots.embedding.spaces import Embedders, spaces_key
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.images.blocks import DamagedBlock, unpack_block
from snapshots.recall.images.image import Image, Rows, extend_image, join, link, unpack
from snapshots.recall.images.split import NO_ROWS, NONE_APART, LazyImage, split_lanes
from snapshots.recall.loading.current import LoosePart, MemoryState, Since, StoredMemory, Whose, read_memory
from snapshots.recall.loading.mending import mark_unread, remove_damaged
from snapshots.recall.loading.rows import (
    NO_VECTORS,
    PackedVectors,
    Row,
    legible,
    memory_row,
    packed_vectors,
)
from snapshots.recall.values import NOTES, REPLIES


@dataclass(frozen=True, slots=True)
class LoadedImage:
    """The images of a subject by lane, the state of the memory they show, and what was missing.

    ``image`` holds the snapshots. Each image is ranked on its own.
    """

    subject_id: UUID
    image: Image
    state: MemoryState
    degraded: frozenset[DegradedReason] = frozenset()
    notes: LazyImage = NONE_APART
    replies: LazyImage = NONE_APART

    @property
    def nbytes(self) -> int:
        return self.image.nbytes + self.notes.nbytes + self.replies.nbytes

    def image_of(self, lane: str) -> Image:
        """Return the image of the lane ``snapshots``, ``notes`` or ``replies``."""
        apart = {NOTES: self.notes, REPLIES: self.replies}
        return apart[lane].image if lane in apart else self.image


def load_image(whose: Whose, embedders: Embedders, held: LoadedImage | None = None) -> LoadedImage | None:
    """Return the current images of a subject, None for an unknown subject; one round trip when all is well.

    ``held`` is extended where only additions came after it. When pgvector fails there are no vectors, and the result
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
    image, notes, replies = build_images(held if stored.first else None, parts)
    return LoadedImage(stored.subject_id, image, stored.state, degraded, notes, replies)


def read_parts(
    whose: Whose, embedders: Embedders, since: Since | None, *, vectors: bool = True, damaged: Sequence[int] = ()
) -> tuple[StoredMemory, list[Rows]] | None:
    """Return the stored memory and its unpacked parts.

    A damaged block is replaced by its rows, and removed. Rows with damaged words have none, and are marked.
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
    return unpack([memory_row(row, vectors.get(row.id, NO_VECTORS)) for row in rows], _dimensions(embedders))


def build_images(held: LoadedImage | None, parts: Sequence[Rows]) -> tuple[Image, LazyImage, LazyImage]:
    """Return the images of ``held`` and then ``parts``; an image to which nothing was added stays itself."""
    snapshots, notes, replies = split_lanes(join(parts)) if parts else (NO_ROWS, NO_ROWS, NO_ROWS)
    if held is None:
        return link(snapshots), NONE_APART.extended(notes), NONE_APART.extended(replies)
    image = extend_image(held.image, snapshots) if len(snapshots.ids) else held.image
    return image, held.notes.extended(notes), held.replies.extended(replies)


def _dimensions(embedders: Embedders) -> dict[str, int]:
    return {embedder.name: embedder.dimensions for embedder in embedders}
