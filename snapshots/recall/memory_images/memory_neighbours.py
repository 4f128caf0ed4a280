"""Sessions: which memories were said one after the other, and which in one sitting."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snapshots.embedding.packed_index import Float32
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.memory_images.memory_image_columns import ImageColumns
from snapshots.recall.values import MEMORY_KINDS, OWN_IMAGE_LANES

Int32 = npt.NDArray[np.int32]
_APART = [MEMORY_KINDS.index(kind) for kind in OWN_IMAGE_LANES.values()]


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


def link_neighbours(columns: ImageColumns) -> NeighbourRows:
    """Link the rows of each conversation in order of ``seq``; others stand alone. Length n + 1 each."""
    n = len(columns.seq)
    previous, following = np.full(n + 1, n, np.int32), np.full(n + 1, n, np.int32)
    order, joined = _order_conversations(columns)
    left, right = order[:-1][joined], order[1:][joined]
    previous[right], following[left] = left, right
    return NeighbourRows(previous, following, previous[previous], following[following])


def link_sessions(columns: ImageColumns, lengths: Float32) -> SessionRows:
    """Number the sessions: a conversation is cut where nothing was said for long."""
    order, joined = _order_conversations(columns)
    silence = np.abs(np.diff(columns.said_at[order])) > DEFAULT_RECALL.scoring.sitting_gap_hours * 3_600
    begins = np.append(np.ones(min(len(order), 1), np.bool_), ~joined | silence)
    of = np.full(len(columns.seq), -1, np.int32)
    of[order] = begins.cumsum() - 1
    alone = of < 0
    of[alone] = begins.sum() + np.arange(alone.sum())
    return SessionRows(of, np.bincount(of, lengths).astype(np.float32))


def _order_conversations(columns: ImageColumns) -> tuple[Int32, npt.NDArray[np.bool_]]:
    """Return the rows of conversations in order, and which of them follow the one before.

    Notes and replies are in none: the one before a note may be weeks older.
    """
    codes, seq = columns.conversation.codes, columns.seq
    rows = np.flatnonzero((codes >= 0) & (seq >= 0) & ~np.isin(columns.kind, _APART)).astype(np.int32)
    order = rows[np.lexsort((rows, seq[rows], codes[rows]))]
    return order, codes[order][1:] == codes[order][:-1]
