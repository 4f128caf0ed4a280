"""Build indexes from stored memories. The rows are the truth; indexes and sealed blocks are copies.

Snapshots, notes and replies have an index each: words, neighbours and sessions are counted over all rows of an index,
so a note among the snapshots would change their ranking. This process holds indexes bounded by bytes, and checks every
use against the version in the database. They hold ids and numbers, never text: a fault here cannot show one tenant's
words to another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db import DatabaseError

from memory_platform.kernel.caches import LruCache
from memory_platform.observability.logs import Event, log
from snapshots.embedding.embedding_spaces import Embedders, make_spaces_key
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.loading.damaged_index import mark_damaged_words, remove_damaged_blocks
from snapshots.recall.loading.load_stored_memory import (
    HeldMemory,
    LoosePart,
    MemoryState,
    StoredMemory,
    SubjectReader,
    load_stored_memory,
)
from snapshots.recall.loading.memory_rows import (
    NO_VECTORS,
    MemoryColumns,
    PackedVectors,
    drop_damaged_words,
    make_memory_row,
    pack_vectors_by_memory,
)
from snapshots.recall.memory_indexes.block_format import DamagedBlock, unpack_block
from snapshots.recall.memory_indexes.index_columns import count_array_bytes
from snapshots.recall.memory_indexes.memory_index import (
    KEPT_BYTES,
    OBJECTS_BYTES,
    MemoryIndex,
    UnlinkedRows,
    extend_index,
    join_rows,
    link_rows,
    make_unlinked_rows,
    take_rows,
    unpack_memories,
)
from snapshots.recall.values import MEMORY_KINDS, NOTES, OWN_INDEX_LANES, REPLIES, DegradedReason

# Bytes of a row for its four neighbours, its session and that one's length, and the lengths of two documents.
_LINK_BYTES = 32
# Bytes of a posting in an inverted index in which every key has one.
_POSTING_BYTES = 24
NO_ROWS = unpack_memories([], {})


def split_lanes(rows: UnlinkedRows) -> tuple[UnlinkedRows, UnlinkedRows, UnlinkedRows]:
    notes, replies = (rows.columns.kind == MEMORY_KINDS.index(OWN_INDEX_LANES[lane]) for lane in (NOTES, REPLIES))
    return _select_rows(rows, ~(notes | replies)), _select_rows(rows, notes), _select_rows(rows, replies)


def _select_rows(rows: UnlinkedRows, mask: npt.NDArray[np.bool_]) -> UnlinkedRows:
    if mask.all():
        return rows
    return take_rows(rows, np.flatnonzero(mask)) if mask.any() else NO_ROWS


class LazyIndex:
    """An index that is linked on first use. ``nbytes`` counts it as linked, so that a cache stays exact.

    Threads share it: two may link the same rows, and one result is kept.
    """

    def __init__(self, rows: UnlinkedRows) -> None:
        self._held: UnlinkedRows | MemoryIndex = rows
        self.size = len(rows.ids)
        self.nbytes = _estimate_linked_bytes(rows) if self.size else 0

    @property
    def index(self) -> MemoryIndex:
        """The index; linking 5,000 notes takes about 2 ms."""
        held = self._held
        if isinstance(held, UnlinkedRows):
            held = self._held = link_rows(held)
        return held

    def extend(self, rows: UnlinkedRows) -> "LazyIndex":
        if not len(rows.ids):
            return self
        held = self._held
        return LazyIndex(
            join_rows([held if isinstance(held, UnlinkedRows) else make_unlinked_rows(held), rows])
            if self.size
            else rows
        )


def _estimate_linked_bytes(rows: UnlinkedRows) -> int:
    """Return at most how many bytes the linked index takes, as if no two rows shared a term."""
    held = rows.ids.nbytes + rows.lengths.nbytes + sum(map(count_array_bytes, (rows.columns, *rows.spaces)))
    return OBJECTS_BYTES + held + _POSTING_BYTES * len(rows.keys) + (_LINK_BYTES + KEPT_BYTES) * (len(rows.ids) + 1)


NO_LAZY_INDEX = LazyIndex(NO_ROWS)


@dataclass(frozen=True, slots=True)
class LoadedIndexes:
    """``index`` holds the snapshots. Each index is ranked on its own."""

    subject_id: UUID
    index: MemoryIndex
    state: MemoryState
    degraded: frozenset[DegradedReason] = frozenset()
    notes: LazyIndex = NO_LAZY_INDEX
    replies: LazyIndex = NO_LAZY_INDEX

    @property
    def nbytes(self) -> int:
        return self.index.nbytes + self.notes.nbytes + self.replies.nbytes

    def get_index(self, lane: str) -> MemoryIndex:
        apart = {NOTES: self.notes, REPLIES: self.replies}
        return apart[lane].index if lane in apart else self.index


def load_indexes(
    reader: SubjectReader, embedders: Embedders, base: LoadedIndexes | None = None
) -> LoadedIndexes | None:
    """Return the current indexes of a subject, None for an unknown subject; one round trip when all is well.

    ``base`` is extended where only additions came after it. When pgvector fails there are no vectors, and the result
    says so.
    """
    base = None if base and base.degraded else base
    since = HeldMemory(base.subject_id, base.state) if base else None
    degraded: frozenset[DegradedReason] = frozenset()
    try:
        read = load_parts(reader, embedders, since)
    except DatabaseError as failed:
        log(Event.RECALL_DEGRADED, provider="pgvector", error=type(failed).__name__)
        read = load_parts(reader, embedders, since, vectors=False)
        degraded = frozenset({DegradedReason.PGVECTOR_UNAVAILABLE})
    if read is None:
        return None
    stored, parts = read
    index, notes, replies = build_indexes(base if stored.first else None, parts)
    return LoadedIndexes(stored.subject_id, index, stored.state, degraded, notes, replies)


def load_parts(
    reader: SubjectReader,
    embedders: Embedders,
    since: HeldMemory | None,
    *,
    vectors: bool = True,
    damaged: Sequence[int] = (),
) -> tuple[StoredMemory, list[UnlinkedRows]] | None:
    """Return the stored memory and its unpacked parts.

    A damaged block is replaced by its rows, and removed. Damaged words of a row are dropped, and the row is marked.
    """
    stored = load_stored_memory(reader, embedders, since, vectors=vectors, damaged=damaged)
    if stored is None:
        return None
    parts: list[UnlinkedRows] = []
    unreadable: list[int] = []
    for part in stored.parts:
        if isinstance(part, LoosePart):
            rows, unread = drop_damaged_words(part.rows)
            mark_damaged_words(reader.tenant_id, stored.subject_id, unread)
            parts.append(unpack_rows(rows, pack_vectors_by_memory(part.vectors, embedders), embedders))
            continue
        try:
            parts.append(unpack_block(part.packed))
        except DamagedBlock:
            unreadable.append(part.block)
    if unreadable:
        remove_damaged_blocks(reader.tenant_id, stored.subject_id, make_spaces_key(embedders), unreadable)
        return load_parts(reader, embedders, since, vectors=vectors, damaged=[*damaged, *unreadable])
    return stored, parts


def unpack_rows(
    rows: Sequence[MemoryColumns], vectors: Mapping[UUID, PackedVectors], embedders: Embedders
) -> UnlinkedRows:
    return unpack_memories(
        [make_memory_row(row, vectors.get(row.id, NO_VECTORS)) for row in rows],
        {embedder.name: embedder.dimensions for embedder in embedders},
    )


def build_indexes(
    base: LoadedIndexes | None, parts: Sequence[UnlinkedRows]
) -> tuple[MemoryIndex, LazyIndex, LazyIndex]:
    """Return the indexes of ``base`` and then ``parts``; an index to which nothing was added stays itself."""
    snapshots, notes, replies = split_lanes(join_rows(parts)) if parts else (NO_ROWS, NO_ROWS, NO_ROWS)
    if base is None:
        return link_rows(snapshots), NO_LAZY_INDEX.extend(notes), NO_LAZY_INDEX.extend(replies)
    index = extend_index(base.index, snapshots) if len(snapshots.ids) else base.index
    return index, base.notes.extend(notes), base.replies.extend(replies)


@dataclass(frozen=True, slots=True)
class IndexKey:
    """Whose memory, and the names of its embedding spaces in order."""

    tenant_id: UUID
    subject_id: UUID
    spaces: str = ""


class IndexCache(LruCache[IndexKey, LoadedIndexes]):
    """Indexes are built outside: two threads may build the same one, and one is kept."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(limit_bytes, size_of=lambda loaded: loaded.nbytes)

    def put_newest(self, key: IndexKey, loaded: LoadedIndexes) -> None:
        self.put(key, loaded, unless=lambda index: index.state.version > loaded.state.version)

    def discard_subject(self, tenant_id: UUID, subject_id: UUID) -> None:
        self.discard(lambda key: (key.tenant_id, key.subject_id) == (tenant_id, subject_id))


INDEXES = IndexCache(DEFAULT_RECALL.image_cache_bytes)
# Ids of subjects by tenant and the product's own id. An id may belong to a subject that is erased since.
SUBJECTS: LruCache[tuple[UUID, str], UUID] = LruCache(DEFAULT_RECALL.known_subjects)


def find_cached_index(reader: SubjectReader, embedders: Embedders) -> LoadedIndexes | None:
    """Return the index that this process holds of the subject, which may be out of date."""
    subject_id = reader.subject_id or SUBJECTS.get((reader.tenant_id, reader.external_id or ""))
    return INDEXES.get(IndexKey(reader.tenant_id, subject_id, make_spaces_key(embedders))) if subject_id else None


def load_current_index(
    reader: SubjectReader, embedders: Embedders, base: LoadedIndexes | None = None
) -> LoadedIndexes | None:
    """Return the up-to-date index of a subject, extended from ``base`` or new; None for an unknown subject. An index
    without vectors is not cached, so that the next call tries again."""
    loaded = load_indexes(reader, embedders, base)
    if loaded is None or loaded.degraded:
        return loaded
    if reader.external_id:
        SUBJECTS.put((reader.tenant_id, reader.external_id), loaded.subject_id)
    INDEXES.put_newest(IndexKey(reader.tenant_id, loaded.subject_id, make_spaces_key(embedders)), loaded)
    return loaded
