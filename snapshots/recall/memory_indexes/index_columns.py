"""The columns of an index that filters, validity and ranking read, as arrays over all rows.

Metadata is not among them: :mod:`snapshots.recall.loading.metadata_filters` reads it for the filter that names it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from sys import getsizeof
from typing import Any

import numpy as np
import numpy.typing as npt

from snapshots.embedding.index_row_packing import Float32
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.filtering.filter_matching import (
    FieldValues,
    make_number_values,
    make_single_value_field,
    to_seconds,
    to_single_precision,
)
from snapshots.recall.values import MEMORY_KINDS, OWN_INDEX_LANES, MemoryRow

Float64 = npt.NDArray[np.float64]

# In the order of :attr:`RankingPolicy.provenance_factors`.
PROVENANCES = ("observation", "analysis", "confirmed_by_user", "corrected_by_staff", "imported")
_LABELLED = {"conversation_id": "conversation", "name": "speaker"}
_NAMED = {"kind": MEMORY_KINDS, "provenance": PROVENANCES}
_TIME_FIELDS = frozenset({"said_at", "valid_at", "expires_at", "created_at"})


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """A column of few distinct texts: ``codes`` (n,) into ``texts``, -1 for none."""

    codes: npt.NDArray[np.int32]
    texts: tuple[str, ...]

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes + count_text_bytes(self.texts)


@dataclass(frozen=True, slots=True)
class LabelListColumn:
    """A column of lists of few distinct texts: row ``i`` holds ``codes[ptr[i]:ptr[i + 1]]`` into ``texts``."""

    ptr: npt.NDArray[np.int32]
    codes: npt.NDArray[np.int32]
    texts: tuple[str, ...]

    @property
    def nbytes(self) -> int:
        return self.ptr.nbytes + self.codes.nbytes + count_text_bytes(self.texts)


@dataclass(frozen=True, slots=True)
class IndexColumns:
    """Arrays of length n. Times are seconds since 1970 UTC: NaN is unknown, infinity is without an end.

    ``seq`` orders the memories of a conversation, -1 for none. Memories of one ``saying`` repeat each other; 0 repeats
    nothing.
    """

    kind: npt.NDArray[np.uint8]
    provenance: npt.NDArray[np.uint8]
    confidence: npt.NDArray[np.float32]
    importance: npt.NDArray[np.float32]
    injected: npt.NDArray[np.int32]
    positive: npt.NDArray[np.int32]
    said_at: Float64
    valid_at: Float64
    invalid_at: Float64
    retired_at: Float64
    expires_at: Float64
    created_at: Float64
    last_validated_at: Float64
    seq: npt.NDArray[np.int64]
    saying: npt.NDArray[np.int64]
    vital: npt.NDArray[np.bool_]
    conversation: LabelColumn
    speaker: LabelColumn
    topics: LabelListColumn

    def field_values(self, field: str) -> FieldValues:
        if field == "topics":
            return self._topic_values()
        if field in _NAMED:
            return make_single_value_field(_NAMED[field], getattr(self, field).astype(np.int64))
        if field in _LABELLED:
            labels = getattr(self, _LABELLED[field])
            return make_single_value_field(labels.texts, labels.codes)
        return make_number_values(getattr(self, field), to_seconds if field in _TIME_FIELDS else to_single_precision)

    def _topic_values(self) -> FieldValues:
        counts = np.diff(self.topics.ptr)
        rows, codes = np.repeat(np.arange(len(counts)), counts), self.topics.codes.astype(np.int64)
        return FieldValues(self.topics.texts, rows, codes, np.ones(len(rows), np.bool_), counts > 0)


def count_text_bytes(texts: Sequence[str]) -> int:
    """Return the bytes of texts as Python holds them in a tuple."""
    return sum(map(getsizeof, texts)) + 8 * len(texts)


def count_array_bytes(holder: Any) -> int:
    """Return the bytes of all arrays among the fields of a dataclass."""
    return sum(getattr(getattr(holder, f.name), "nbytes", 0) for f in fields(holder))


def build_columns(rows: Sequence[MemoryRow]) -> IndexColumns:
    return IndexColumns(
        kind=np.array([MEMORY_KINDS.index(row.kind) for row in rows], np.uint8),
        provenance=np.array([PROVENANCES.index(row.provenance) for row in rows], np.uint8),
        confidence=np.array([row.confidence for row in rows], np.float32),
        importance=np.array([row.importance for row in rows], np.float32),
        injected=np.array([row.injected for row in rows], np.int32),
        positive=np.array([row.positive for row in rows], np.int32),
        said_at=_to_seconds([row.said_at for row in rows], missing=np.nan),
        valid_at=_to_seconds([row.valid_at for row in rows], missing=np.nan),
        invalid_at=_to_seconds([row.invalid_at for row in rows], missing=np.inf),
        retired_at=_to_seconds([row.retired_at for row in rows], missing=np.inf),
        expires_at=_to_seconds([row.expires_at for row in rows], missing=np.inf),
        created_at=_to_seconds([row.created_at for row in rows], missing=np.nan),
        last_validated_at=_to_seconds([row.last_validated_at or row.created_at for row in rows], missing=np.nan),
        seq=np.array([-1 if row.seq is None else row.seq for row in rows], np.int64),
        saying=np.array([row.saying for row in rows], np.int64),
        vital=np.array([row.vital for row in rows], np.bool_),
        conversation=_make_labels([row.conversation_id for row in rows]),
        speaker=_make_labels([row.name for row in rows]),
        topics=_make_label_lists([row.topics for row in rows]),
    )


def join_columns(parts: Sequence[IndexColumns]) -> IndexColumns:
    return IndexColumns(*(_join_parts([getattr(part, f.name) for part in parts]) for f in fields(IndexColumns)))


def take_columns(columns: IndexColumns, order: npt.NDArray[np.int64]) -> IndexColumns:
    """Return the rows numbered ``order``, in that order; texts that none of them holds are left out."""
    return IndexColumns(*(_take_column(getattr(columns, f.name), order) for f in fields(IndexColumns)))


def _take_column(column: Any, order: npt.NDArray[np.int64]) -> Any:
    if isinstance(column, LabelColumn):
        return LabelColumn(*_renumber_labels(column.codes[order], column.texts))
    if isinstance(column, LabelListColumn):
        counts = np.diff(column.ptr)[order]
        at = np.arange(counts.sum()) + np.repeat(column.ptr[:-1][order] - counts.cumsum() + counts, counts)
        return LabelListColumn(_make_ends(counts), *_renumber_labels(column.codes[at], column.texts))
    return column[order]


def _renumber_labels(
    codes: npt.NDArray[np.int32], texts: Sequence[str]
) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """Return codes into only those ``texts`` that are used, in the order of their first use."""
    used, first = np.unique(codes, return_index=True)
    used = used[np.argsort(first)]
    used = used[used >= 0]
    moved = np.full(len(texts) + 1, -1, np.int32)
    moved[used] = np.arange(len(used))
    return moved[codes], tuple(texts[code] for code in used.tolist())


def _join_parts(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], LabelColumn):
        return LabelColumn(*_join_labels(parts))
    if isinstance(parts[0], LabelListColumn):
        counts = [np.diff(part.ptr) for part in parts]
        return LabelListColumn(_make_ends(np.concatenate(counts)), *_join_labels(parts))
    return np.concatenate(parts)


def _join_labels(parts: Sequence[LabelColumn | LabelListColumn]) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    codes: dict[str, int] = {}
    moved = [np.array([*(codes.setdefault(text, len(codes)) for text in one.texts), -1], np.int32) for one in parts]
    numbered = [move[one.codes] for move, one in zip(moved, parts, strict=True)]
    return np.concatenate(numbered), tuple(codes)


def _make_ends(counts: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    return np.append(0, counts.cumsum()).astype(np.int32)


def _make_label_lists(lists: Sequence[Sequence[str]]) -> LabelListColumn:
    codes: dict[str, int] = {}
    numbers = [codes.setdefault(text, len(codes)) for texts in lists for text in texts]
    return LabelListColumn(
        _make_ends(np.array(list(map(len, lists)), np.int32)), np.array(numbers, np.int32), tuple(codes)
    )


def _make_labels(texts: Sequence[str | None]) -> LabelColumn:
    codes: dict[str, int] = {}
    numbers = [-1 if text is None else codes.setdefault(text, len(codes)) for text in texts]
    return LabelColumn(np.array(numbers, np.int32), tuple(codes))


def _to_seconds(moments: Sequence[datetime | None], *, missing: float) -> Float64:
    return np.array([missing if moment is None else moment.timestamp() for moment in moments], np.float64)


Int32 = npt.NDArray[np.int32]
_APART = [MEMORY_KINDS.index(kind) for kind in OWN_INDEX_LANES.values()]


@dataclass(frozen=True, slots=True)
class NeighbourRows:
    """Rows of the memories before and after each in its conversation; ``n`` (one past the end) for none."""

    previous: Int32
    next: Int32
    previous2: Int32
    next2: Int32


@dataclass(frozen=True, slots=True)
class SessionRows:
    """The session of each row, numbered from 0, shape (n,), and the terms of each session, shape (s,)."""

    of: Int32
    lengths: Float32


def link_neighbours(columns: IndexColumns) -> NeighbourRows:
    """Link the rows of each conversation in order of ``seq``; others stand alone. Length n + 1 each."""
    n = len(columns.seq)
    previous, following = np.full(n + 1, n, np.int32), np.full(n + 1, n, np.int32)
    order, joined = _order_conversations(columns)
    left, right = order[:-1][joined], order[1:][joined]
    previous[right], following[left] = left, right
    return NeighbourRows(previous, following, previous[previous], following[following])


def link_sessions(columns: IndexColumns, lengths: Float32) -> SessionRows:
    """Number the sessions: a conversation is cut where nothing was said for long."""
    order, joined = _order_conversations(columns)
    silence = np.abs(np.diff(columns.said_at[order])) > DEFAULT_RECALL.scoring.sitting_gap_hours * 3_600
    begins = np.append(np.ones(min(len(order), 1), np.bool_), ~joined | silence)
    of = np.full(len(columns.seq), -1, np.int32)
    of[order] = begins.cumsum() - 1
    alone = of < 0
    of[alone] = begins.sum() + np.arange(alone.sum())
    return SessionRows(of, np.bincount(of, lengths).astype(np.float32))


def _order_conversations(columns: IndexColumns) -> tuple[Int32, npt.NDArray[np.bool_]]:
    """Return the rows of conversations in order, and which of them follow the one before. Notes and replies are
    left out: the memory before a note may be weeks older."""
    codes, seq = columns.conversation.codes, columns.seq
    rows = np.flatnonzero((codes >= 0) & (seq >= 0) & ~np.isin(columns.kind, _APART)).astype(np.int32)
    order = rows[np.lexsort((rows, seq[rows], codes[rows]))]
    return order, codes[order][1:] == codes[order][:-1]
