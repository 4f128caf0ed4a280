"""The small columns of an image: what filters, validity and ranking read, as arrays over all rows."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from snapshots.recall.filters import FieldValue
from snapshots.recall.values import KINDS, MemoryRow

Float64 = npt.NDArray[np.float64]

PROVENANCES = ("observation", "analysis", "confirmed_by_user")
_LABELLED = {"conversation_id": "conversation", "name": "speaker"}
_TIME_FIELDS = frozenset({"said_at", "valid_at", "expires_at", "created_at"})


@dataclass(frozen=True, slots=True)
class Labels:
    """A column of few different texts: ``codes`` (n,) into ``texts``, -1 for none."""

    codes: npt.NDArray[np.int32]
    texts: tuple[str, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the codes; the texts are counted with the rows."""
        return self.codes.nbytes

    def label(self, row: int) -> str | None:
        """Return the text of one row."""
        code = int(self.codes[row])
        return self.texts[code] if code >= 0 else None


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays of length n. Times are seconds since 1970 UTC: NaN means unknown, infinity means without an end.

    ``seq`` orders the memories of a conversation; -1 for one without a place in it. Memories of one ``saying`` repeat
    each other; 0 repeats nothing.
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
    conversation: Labels
    speaker: Labels
    topics: tuple[tuple[str, ...], ...]
    metadata: tuple[object, ...]

    def value(self, row: int, field: str) -> FieldValue:
        """Return what a filter compares for ``field`` (``metadata.<key>`` included); None when the row has none."""
        if field.startswith("metadata."):
            held = self.metadata[row]
            return held.get(field.removeprefix("metadata.")) if isinstance(held, dict) else None
        if field in _TIME_FIELDS:
            seconds = float(getattr(self, field)[row])
            return datetime.fromtimestamp(seconds, UTC) if np.isfinite(seconds) else None
        if field == "kind":
            return KINDS[self.kind[row]]
        if field in _LABELLED:
            return getattr(self, _LABELLED[field]).label(row)
        if field == "provenance":
            return PROVENANCES[self.provenance[row]]
        found = getattr(self, field)[row]
        return float(found) if isinstance(found, np.floating) else found


def array_bytes(holder: Any) -> int:
    """Return the bytes of all arrays among the fields of a dataclass."""
    return sum(getattr(getattr(holder, f.name), "nbytes", 0) for f in fields(holder))


def build_columns(rows: Sequence[MemoryRow]) -> Columns:
    """Return the columns of ``rows``, in their order."""
    return Columns(
        kind=np.array([KINDS.index(row.kind) for row in rows], np.uint8),
        provenance=np.array([PROVENANCES.index(row.provenance) for row in rows], np.uint8),
        confidence=np.array([row.confidence for row in rows], np.float32),
        importance=np.array([row.importance for row in rows], np.float32),
        injected=np.array([row.injected for row in rows], np.int32),
        positive=np.array([row.positive for row in rows], np.int32),
        said_at=_seconds([row.said_at for row in rows], missing=np.nan),
        valid_at=_seconds([row.valid_at for row in rows], missing=np.nan),
        invalid_at=_seconds([row.invalid_at for row in rows], missing=np.inf),
        retired_at=_seconds([row.retired_at for row in rows], missing=np.inf),
        expires_at=_seconds([row.expires_at for row in rows], missing=np.inf),
        created_at=_seconds([row.created_at for row in rows], missing=np.nan),
        last_validated_at=_seconds([row.last_validated_at or row.created_at for row in rows], missing=np.nan),
        seq=np.array([-1 if row.seq is None else row.seq for row in rows], np.int64),
        saying=np.array([row.saying for row in rows], np.int64),
        conversation=_labelled([row.conversation_id for row in rows]),
        speaker=_labelled([row.name for row in rows]),
        topics=tuple(row.topics for row in rows),
        metadata=tuple(row.metadata or None for row in rows),
    )


def join_columns(parts: Sequence[Columns]) -> Columns:
    """Return the columns of the rows of all parts, in order."""
    return Columns(*(_joined([getattr(part, f.name) for part in parts]) for f in fields(Columns)))


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], tuple):
        return tuple(chain.from_iterable(parts))
    if isinstance(parts[0], Labels):
        return _join_labels(parts)
    return np.concatenate(parts)


def _join_labels(parts: Sequence[Labels]) -> Labels:
    codes: dict[str, int] = {}
    moved = [np.array([*(codes.setdefault(text, len(codes)) for text in one.texts), -1], np.int32) for one in parts]
    numbered = [move[one.codes] for move, one in zip(moved, parts, strict=True)]
    return Labels(np.concatenate(numbered), tuple(codes))


def _labelled(texts: Sequence[str | None]) -> Labels:
    codes: dict[str, int] = {}
    numbers = [-1 if text is None else codes.setdefault(text, len(codes)) for text in texts]
    return Labels(np.array(numbers, np.int32), tuple(codes))


def _seconds(moments: Sequence[datetime | None], *, missing: float) -> Float64:
    return np.array([missing if moment is None else moment.timestamp() for moment in moments], np.float64)
