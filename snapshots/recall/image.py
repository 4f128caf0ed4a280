"""One subject's memory, packed for scoring: every row is scored, nothing is approximated, statistics are live.

Built from the rows, which are the truth. It holds no text: a hit yields an id, the words come from the database.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.terms import terms
from snapshots.embedding.rows import ABOUT, BEFORE, SPEAKER, TEXT, Float32, Int8, decode_dense, decode_lex, term_key
from snapshots.recall.columns import Columns, array_bytes, build_columns
from snapshots.recall.policy import DEFAULT_RECALL
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
class Sittings:
    """The sitting that each row was said in, numbered from 0, shape (n,), and the terms said in each, shape (s,)."""

    of: Int32
    lengths: Float32


@dataclass(frozen=True, slots=True)
class DenseSpace:
    """The vectors of one embedding space: the ``rows`` that hold one, two int8 matrices (m, d), scales (2, m)."""

    name: str
    rows: Int32
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
    """All memories of one subject in row order. ``spaces`` holds one entry per embedding space with vectors; a memory
    stands in at most one.

    ``dated_length`` and ``window_length`` are document lengths in terms, of a memory and of it with its neighbours.
    """

    ids: tuple[UUID, ...]
    columns: Columns
    postings: Postings
    neighbours: Neighbours
    sittings: Sittings
    dated_length: Float32
    window_length: Float32
    spaces: tuple[DenseSpace, ...]
    speakers: tuple[Speaker, ...]
    nbytes: int
    kept: dict[Hashable, Any] = field(default_factory=dict)
    """What was worked out of this image for one policy. Never outlives it; two threads may work out the same."""

    @property
    def size(self) -> int:
        """Number of memories."""
        return len(self.ids)


def build_image(rows: Sequence[MemoryRow], dimensions: Mapping[str, int] | None = None) -> Image:
    """Return the image of ``rows``; ``dimensions`` gives the length of a vector by embedding space, in order.

    Raises DamagedIndexRow.
    """
    neighbours = link_neighbours(rows)
    docs, codes, keys, tf = _unpack(rows)
    lengths = _lengths(docs, codes, tf, len(rows))
    spaces = tuple(_dense_spaces(rows, dimensions or {}))
    postings = _invert(docs, keys, tf)
    columns = build_columns(rows)
    sittings = link_sittings(rows, lengths[TEXT])
    arrays = sum(map(array_bytes, (postings, neighbours, sittings, columns, *spaces)))
    return Image(
        ids=tuple(row.id for row in rows),
        columns=columns,
        postings=postings,
        neighbours=neighbours,
        sittings=sittings,
        dated_length=lengths[TEXT] + lengths[SPEAKER] + lengths[ABOUT],
        window_length=_window_length(lengths, neighbours),
        spaces=spaces,
        speakers=_speakers(rows),
        nbytes=arrays + len(rows) * _ROW_OVERHEAD_BYTES,
    )


def link_neighbours(rows: Sequence[MemoryRow]) -> Neighbours:
    """Link the rows of each conversation in order of ``seq``; rows without one stand alone. Length n + 1 each."""
    n = len(rows)
    previous, following = np.full(n + 1, n, np.int32), np.full(n + 1, n, np.int32)
    for (left_conversation, _, left), (conversation, _, right) in pairwise(_spoken(rows)):
        if left_conversation == conversation:
            previous[right], following[left] = left, right
    return Neighbours(previous, following, previous[previous], following[following])


def link_sittings(rows: Sequence[MemoryRow], lengths: Float32) -> Sittings:
    """Number the sittings: a conversation, cut where nothing was said for long. ``lengths`` are terms per row."""
    of = np.arange(len(rows), dtype=np.int32)
    for (left_conversation, _, left), (conversation, _, right) in pairwise(_spoken(rows)):
        if left_conversation == conversation and not _long_silence(rows[left], rows[right]):
            of[right] = of[left]
    of = np.unique(of, return_inverse=True)[1].astype(np.int32)
    return Sittings(of, np.bincount(of, lengths).astype(np.float32))


def _spoken(rows: Sequence[MemoryRow]) -> list[tuple[str, int, int]]:
    """Return (conversation, seq, row number) of the rows of conversations, each conversation's in order."""
    return sorted(
        (row.conversation_id, row.seq, i) for i, row in enumerate(rows) if row.conversation_id and row.seq is not None
    )


def _long_silence(left: MemoryRow, right: MemoryRow) -> bool:
    if left.said_at is None or right.said_at is None:
        return False
    return abs(right.said_at - left.said_at) > timedelta(hours=DEFAULT_RECALL.scoring.sitting_gap_hours)


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


def _dense_spaces(rows: Sequence[MemoryRow], dimensions: Mapping[str, int]) -> Iterator[DenseSpace]:
    for space, length in dimensions.items():
        held = [i for i, row in enumerate(rows) if row.space == space and row.dense is not None]
        if held:
            scales, (dated, continued) = decode_dense([rows[i].dense for i in held], length)
            yield DenseSpace(space, np.array(held, np.int32), scales, dated, continued)


def _speakers(rows: Sequence[MemoryRow]) -> tuple[Speaker, ...]:
    said: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        if row.name:
            said.setdefault(row.name, []).append(i)
    return tuple(
        Speaker(frozenset(map(term_key, terms(name))), np.array(numbers, np.int32)) for name, numbers in said.items()
    )
