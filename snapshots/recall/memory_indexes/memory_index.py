"""One subject's memory packed for scoring: every row is scored, nothing is approximated.

It is built from the rows and holds no text: a hit is an id, and the words come from the database.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from sys import getsizeof
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.keyword_terms import split_terms
from snapshots.embedding.index_row_packing import (
    ABOUT,
    BEFORE,
    POSTING,
    SPEAKER,
    TEXT,
    Float32,
    Int8,
    hash_term,
    unpack_postings,
    unpack_vector_rows,
)
from snapshots.recall.memory_indexes.index_columns import (
    IndexColumns,
    Int32,
    LabelColumn,
    NeighbourRows,
    SessionRows,
    build_columns,
    count_array_bytes,
    join_columns,
    link_neighbours,
    link_sessions,
    take_columns,
)
from snapshots.recall.values import MemoryRow

Bytes16 = npt.NDArray[np.uint8]
NOT_HELD = -1
# Bytes of an empty index: Python and numpy objects around its numbers. Measured with tracemalloc: 4.8 kB.
OBJECTS_BYTES = 5_000
# Bytes of a row for cached results: the norms of three views, the worth of its form, and its places along the 32 axes
# of `snapshots.relevance.note_relevance_model`.
KEPT_BYTES = 148


@dataclass(frozen=True, slots=True)
class Postings:
    """Inverted index: ``docs[ptr[i]:ptr[i + 1]]`` hold ``keys[i]``; a key is ``term << 2 | field``, sorted."""

    keys: npt.NDArray[np.uint64]
    ptr: npt.NDArray[np.int64]
    docs: Int32
    tf: Float32


@dataclass(frozen=True, slots=True)
class DenseSpace:
    """The vectors of one embedding space: ``rows`` that have one, two int8 matrices (m, d), scales (2, m)."""

    name: str
    rows: Int32
    scales: Float32
    dated: Int8
    continued: Int8


@dataclass(frozen=True, slots=True)
class SpeakerRows:
    """A named speaker: the keys of the name's terms, and the rows they said."""

    keys: frozenset[int]
    rows: Int32


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """All memories of one subject in row order; ``ids`` are UUIDs as bytes, shape (n, 16).

    Each memory is in at most one of the embedding ``spaces``. ``lengths`` are terms per field and row, shape (4, n);
    ``dated_length`` and ``window_length`` are those of documents, of a memory and of it with its neighbours.
    """

    ids: Bytes16
    columns: IndexColumns
    postings: Postings
    lengths: Float32
    spaces: tuple[DenseSpace, ...]
    neighbours: NeighbourRows
    sittings: SessionRows
    dated_length: Float32
    window_length: Float32
    speakers: tuple[SpeakerRows, ...]
    nbytes: int
    # Cached results of this index. Two threads may compute the same.
    cache: dict[Hashable, Any] = field(default_factory=dict)

    def find_rows(self, ids: bytes) -> list[int]:
        """Return the row of each of ``ids`` (16 bytes each), NOT_HELD for one that is not in this index."""
        own, wanted = self.ids.reshape(-1).view("S16"), np.frombuffer(ids, "S16")
        if not len(own):
            return [NOT_HELD] * len(wanted)
        order = np.argsort(own)
        rows = order[np.minimum(np.searchsorted(own, wanted, sorter=order), len(own) - 1)]
        return np.where(own[rows] == wanted, rows, NOT_HELD).tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class UnlinkedRows:
    """Unpacked rows that are not linked yet: one entry per posting in ``keys``, ``docs``, ``tf``."""

    ids: Bytes16
    columns: IndexColumns
    keys: npt.NDArray[np.uint64]
    docs: Int32
    tf: Float32
    lengths: Float32
    spaces: tuple[DenseSpace, ...]


def build_index(rows: Sequence[MemoryRow], dimensions: Mapping[str, int] | None = None) -> MemoryIndex:
    """Return the index of ``rows``; ``dimensions`` are vector lengths by embedding space. Raises DamagedIndexRow."""
    return link_rows(unpack_memories(rows, dimensions or {}))


def extend_index(index: MemoryIndex, rows: UnlinkedRows) -> MemoryIndex:
    """Return a new index of the memories of ``index`` and then ``rows``, the same as built from all at once."""
    return link_rows(join_rows([make_unlinked_rows(index), rows]))


def unpack_memories(rows: Sequence[MemoryRow], dimensions: Mapping[str, int]) -> UnlinkedRows:
    decoded = unpack_postings(b"".join(row.lex for row in rows))
    docs = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row.lex) // POSTING.itemsize for row in rows])
    fields = decoded["code"] >> np.uint8(6)
    tf = (decoded["code"] & np.uint8(63)).astype(np.float32)
    lengths = np.bincount(fields.astype(np.int64) * len(rows) + docs, tf, 4 * len(rows))
    return UnlinkedRows(
        ids=np.frombuffer(b"".join(row.id.bytes for row in rows), np.uint8).reshape(-1, 16),
        columns=build_columns(rows),
        keys=decoded["term"].astype(np.uint64) << np.uint64(2) | fields,
        docs=docs,
        tf=tf,
        lengths=lengths.astype(np.float32).reshape(4, len(rows)),
        spaces=tuple(_make_spaces(rows, dimensions)),
    )


def make_unlinked_rows(index: MemoryIndex) -> UnlinkedRows:
    """Return the rows of an index, its postings in the order of their keys."""
    postings = index.postings
    keys = np.repeat(postings.keys, np.diff(postings.ptr))
    return UnlinkedRows(index.ids, index.columns, keys, postings.docs, postings.tf, index.lengths, index.spaces)


def join_rows(parts: Sequence[UnlinkedRows]) -> UnlinkedRows:
    """Return the rows of all parts, at least one, numbered on from part to part."""
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(part.ids) for part in parts[:-1])]).astype(np.int32)
    return UnlinkedRows(
        ids=np.concatenate([part.ids for part in parts]),
        columns=join_columns([part.columns for part in parts]),
        keys=np.concatenate([part.keys for part in parts]),
        docs=np.concatenate([part.docs + start for part, start in zip(parts, starts, strict=True)]),
        tf=np.concatenate([part.tf for part in parts]),
        lengths=np.concatenate([part.lengths for part in parts], axis=1),
        spaces=_join_spaces([part.spaces for part in parts], starts),
    )


def take_rows(rows: UnlinkedRows, order: npt.NDArray[np.int64]) -> UnlinkedRows:
    place = np.full(len(rows.ids), NOT_HELD, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    docs = place[rows.docs]
    kept = np.flatnonzero(docs != NOT_HELD)
    if (order[1:] < order[:-1]).any():  # else the rows of each key keep their order, and sorted keys stay sorted
        kept = kept[np.argsort(docs[kept], kind="stable")]
    return UnlinkedRows(
        ids=rows.ids[order],
        columns=take_columns(rows.columns, order),
        keys=rows.keys[kept],
        docs=docs[kept],
        tf=rows.tf[kept],
        lengths=rows.lengths[:, order],
        spaces=tuple(_take_spaces(rows.spaces, place)),
    )


def link_rows(rows: UnlinkedRows) -> MemoryIndex:
    """Return the index of ``rows``: terms sorted, neighbours and sessions found, documents measured."""
    neighbours = link_neighbours(rows.columns)
    postings, sittings = _make_postings(rows), link_sessions(rows.columns, rows.lengths[TEXT])
    speakers = _list_speakers(rows.columns.speaker)
    arrays = sum(map(count_array_bytes, (postings, neighbours, sittings, rows.columns, *rows.spaces, *speakers)))
    dated = rows.lengths[TEXT] + rows.lengths[SPEAKER] + rows.lengths[ABOUT]
    window = _measure_windows(rows.lengths, neighbours)
    return MemoryIndex(
        ids=rows.ids,
        columns=rows.columns,
        postings=postings,
        lengths=rows.lengths,
        spaces=rows.spaces,
        neighbours=neighbours,
        sittings=sittings,
        dated_length=dated,
        window_length=window,
        speakers=speakers,
        nbytes=OBJECTS_BYTES
        + arrays
        + sum(array.nbytes for array in (rows.lengths, rows.ids, dated, window))
        + len(rows.ids) * KEPT_BYTES
        + sum(getsizeof(one.keys) + len(one.keys) * getsizeof(1 << 60) for one in speakers),
    )


def _make_postings(rows: UnlinkedRows) -> Postings:
    order = np.argsort(rows.keys, kind="stable")
    ordered = rows.keys[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] ^ np.uint64(1)))
    return Postings(ordered[starts], np.append(starts, len(ordered)), rows.docs[order], rows.tf[order])


def _measure_windows(lengths: Float32, neighbours: NeighbourRows) -> Float32:
    text = np.append(lengths[TEXT], np.float32(0))
    total: Float32 = lengths[TEXT] + lengths[SPEAKER] + lengths[BEFORE]
    for pointer in (neighbours.previous, neighbours.next, neighbours.previous2, neighbours.next2):
        total = total + text[pointer[:-1]]
    return total


def _make_spaces(rows: Sequence[MemoryRow], dimensions: Mapping[str, int]) -> Iterator[DenseSpace]:
    for space, length in dimensions.items():
        held = [i for i, row in enumerate(rows) if row.space == space and row.dense is not None]
        if held:
            scales, (dated, continued) = unpack_vector_rows([rows[i].dense for i in held], length)
            yield DenseSpace(space, np.array(held, np.int32), scales, dated, continued)


def _join_spaces(parts: Sequence[tuple[DenseSpace, ...]], starts: Int32) -> tuple[DenseSpace, ...]:
    held: dict[str, list[DenseSpace]] = {}
    for spaces, start in zip(parts, starts, strict=True):
        for space in spaces:
            held.setdefault(space.name, []).append(replace(space, rows=space.rows + start))
    return tuple(
        DenseSpace(
            name=name,
            rows=np.concatenate([space.rows for space in stretches]),
            scales=np.concatenate([space.scales for space in stretches], axis=1),
            dated=np.concatenate([space.dated for space in stretches]),
            continued=np.concatenate([space.continued for space in stretches]),
        )
        for name, stretches in held.items()
    )


def _take_spaces(spaces: Sequence[DenseSpace], place: Int32) -> Iterator[DenseSpace]:
    for space in spaces:
        rows = place[space.rows]
        kept = np.flatnonzero(rows != NOT_HELD)
        kept = kept[np.argsort(rows[kept], kind="stable")]
        if len(kept):
            scales, dated, continued = space.scales[:, kept], space.dated[kept], space.continued[kept]
            yield DenseSpace(space.name, rows[kept], scales, dated, continued)


def _list_speakers(names: LabelColumn) -> tuple[SpeakerRows, ...]:
    order = np.argsort(names.codes, kind="stable").astype(np.int32)
    ends = np.searchsorted(names.codes[order], np.arange(len(names.texts) + 1))
    return tuple(
        SpeakerRows(frozenset(map(hash_term, split_terms(name))), order[ends[code] : ends[code + 1]].copy())
        for code, name in enumerate(names.texts)
        if name
    )
