"""One subject's memory, packed for scoring: every row is scored, nothing is approximated, statistics are live.

Built from the rows, which are the truth. It holds no text: a hit yields an id, the words come from the database.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.terms import terms
from snapshots.embedding.rows import ABOUT, BEFORE, SPEAKER, TEXT, Float32, Int8, decode_dense, decode_lex, term_key
from snapshots.recall.columns import Columns, array_bytes, build_columns
from snapshots.recall.values import MemoryRow

Int32 = npt.NDArray[np.int32]
_ROW_OVERHEAD_BYTES = 400
"""Python objects of a row that numpy does not count: its UUID, ids, topics; estimated high."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Inverted index: ``docs[ptr[i]:ptr[i + 1]]`` hold ``keys[i]``; a key is ``term << 2 | field``, sorted."""

    keys: npt.NDArray[np.uint64]
    ptr: npt.NDArray[np.int64]
    docs: Int32
    tf: Float32


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Row numbers of the memories before and after each in its conversation; ``n`` (one past the end) for none."""

    previous: Int32
    next: Int32
    previous2: Int32
    next2: Int32


@dataclass(frozen=True, slots=True)
class DenseViews:
    """Two int8 matrices (n, d) with a scale per row, shape (2, n); scale 0 marks a row without vectors."""

    scales: Float32
    dated: Int8
    continued: Int8


@dataclass(frozen=True, slots=True)
class Speaker:
    """One named speaker: the keys of the name's terms, and the rows they said."""

    keys: frozenset[int]
    rows: Int32


@dataclass(frozen=True, slots=True)
class Image:
    """All memories of one subject in row order. ``dense`` is None without an embedding space or without vectors.

    ``dated_length`` and ``window_length`` are document lengths in terms, of a memory and of it with its neighbours.
    """

    ids: tuple[UUID, ...]
    columns: Columns
    postings: Postings
    neighbours: Neighbours
    dated_length: Float32
    window_length: Float32
    dense: DenseViews | None
    dense_languages: tuple[str, ...]
    speakers: tuple[Speaker, ...]
    nbytes: int

    @property
    def size(self) -> int:
        """Number of memories."""
        return len(self.ids)


def build_image(rows: Sequence[MemoryRow], *, dimensions: int = 0, languages: tuple[str, ...] = ()) -> Image:
    """Return the image of ``rows``; ``dimensions`` and ``languages`` are the embedding space's (0: no dense views).

    Raises DamagedIndexRow.
    """
    neighbours = link_neighbours(rows)
    docs, codes, keys, tf = _unpack(rows)
    lengths = _lengths(docs, codes, tf, len(rows))
    dense = _dense(rows, dimensions)
    postings = _invert(docs, keys, tf)
    columns = build_columns(rows)
    arrays = sum(map(array_bytes, filter(None, (postings, neighbours, columns, dense))))
    return Image(
        ids=tuple(row.id for row in rows),
        columns=columns,
        postings=postings,
        neighbours=neighbours,
        dated_length=lengths[TEXT] + lengths[SPEAKER] + lengths[ABOUT],
        window_length=_window_length(lengths, neighbours),
        dense=dense,
        dense_languages=languages if dense else (),
        speakers=_speakers(rows),
        nbytes=arrays + len(rows) * _ROW_OVERHEAD_BYTES,
    )


def link_neighbours(rows: Sequence[MemoryRow]) -> Neighbours:
    """Link the rows of each conversation in order of ``seq``; rows without one stand alone. Length n + 1 each."""
    n = len(rows)
    previous, following = np.full(n + 1, n, np.int32), np.full(n + 1, n, np.int32)
    spoken = [
        (row.conversation_id, row.seq, i) for i, row in enumerate(rows) if row.conversation_id and row.seq is not None
    ]
    for (left_conversation, _, left), (conversation, _, right) in pairwise(sorted(spoken)):
        if left_conversation == conversation:
            previous[right], following[left] = left, right
    return Neighbours(previous, following, previous[previous], following[following])


def _unpack(rows: Sequence[MemoryRow]) -> tuple[Int32, npt.NDArray[np.uint8], npt.NDArray[np.uint64], Float32]:
    """Return, per posting: row, field, key and term frequency."""
    decoded = decode_lex(b"".join(row.lex for row in rows))
    counts = [len(decode_lex(row.lex)) for row in rows]
    docs = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    codes = decoded["code"] >> np.uint8(6)
    keys = decoded["term"].astype(np.uint64) << np.uint64(2) | codes
    return docs, codes, keys, (decoded["code"] & np.uint8(63)).astype(np.float32)


def _invert(docs: Int32, keys: npt.NDArray[np.uint64], tf: Float32) -> Postings:
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] ^ np.uint64(1)))
    return Postings(ordered[starts], np.append(starts, len(ordered)), docs[order], tf[order])


def _lengths(docs: Int32, codes: npt.NDArray[np.uint8], tf: Float32, n: int) -> Float32:
    """Return terms per field and row, shape (4, n)."""
    flat = np.bincount(codes.astype(np.int64) * n + docs, tf, 4 * n)
    return flat.astype(np.float32).reshape(4, n)


def _window_length(lengths: Float32, neighbours: Neighbours) -> Float32:
    text = np.append(lengths[TEXT], np.float32(0))
    total: Float32 = lengths[TEXT] + lengths[SPEAKER] + lengths[BEFORE]
    for pointer in (neighbours.previous, neighbours.next, neighbours.previous2, neighbours.next2):
        total = total + text[pointer[:-1]]
    return total


def _dense(rows: Sequence[MemoryRow], dimensions: int) -> DenseViews | None:
    if not dimensions or not any(row.dense for row in rows):
        return None
    scales, (dated, continued) = decode_dense([row.dense for row in rows], dimensions)
    return DenseViews(scales, dated, continued)


def _speakers(rows: Sequence[MemoryRow]) -> tuple[Speaker, ...]:
    said: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        if row.name:
            said.setdefault(row.name, []).append(i)
    return tuple(
        Speaker(frozenset(map(term_key, terms(name))), np.array(numbers, np.int32)) for name, numbers in said.items()
    )
