"""Split the memories of a subject by lane: snapshots, notes and replies have an image each.

Words, neighbours and sessions are counted over all rows of an image: a note among the snapshots would change their
ranking.
"""

import numpy as np
import numpy.typing as npt

from snapshots.recall.memory_images.memory_image import (
    KEPT_BYTES,
    OBJECTS_BYTES,
    MemoryImage,
    UnlinkedRows,
    join_rows,
    link_rows,
    make_unlinked_rows,
    take_rows,
    unpack_memories,
)
from snapshots.recall.memory_images.memory_image_columns import count_array_bytes
from snapshots.recall.values import MEMORY_KINDS, NOTES, OWN_IMAGE_LANES, REPLIES

# Bytes of a row for its four neighbours, its session and that one's length, and the lengths of two documents.
_LINK_BYTES = 32
# Bytes of a posting in an inverted index in which every key has one.
_POSTING_BYTES = 24
NO_ROWS = unpack_memories([], {})


def split_lanes(rows: UnlinkedRows) -> tuple[UnlinkedRows, UnlinkedRows, UnlinkedRows]:
    """Return the rows of snapshots, notes and replies."""
    notes, replies = (rows.columns.kind == MEMORY_KINDS.index(OWN_IMAGE_LANES[lane]) for lane in (NOTES, REPLIES))
    return _select_rows(rows, ~(notes | replies)), _select_rows(rows, notes), _select_rows(rows, replies)


def _select_rows(rows: UnlinkedRows, wanted: npt.NDArray[np.bool_]) -> UnlinkedRows:
    if wanted.all():
        return rows
    return take_rows(rows, np.flatnonzero(wanted)) if wanted.any() else NO_ROWS


class LazyImage:
    """An image that is linked on first use. ``nbytes`` counts it as linked, so that a cache stays exact.

    Threads share it: two may link the same rows, and one result is kept.
    """

    def __init__(self, rows: UnlinkedRows) -> None:
        self._held: UnlinkedRows | MemoryImage = rows
        self.size = len(rows.ids)
        self.nbytes = _estimate_linked_bytes(rows) if self.size else 0

    @property
    def image(self) -> MemoryImage:
        """The image; linking 5,000 notes takes about 2 ms."""
        held = self._held
        if isinstance(held, UnlinkedRows):
            held = self._held = link_rows(held)
        return held

    def extend(self, rows: UnlinkedRows) -> "LazyImage":
        """Return the image with ``rows`` added."""
        if not len(rows.ids):
            return self
        held = self._held
        return LazyImage(
            join_rows([held if isinstance(held, UnlinkedRows) else make_unlinked_rows(held), rows])
            if self.size
            else rows
        )


def _estimate_linked_bytes(rows: UnlinkedRows) -> int:
    """Return at most how many bytes the linked image takes, as if no two rows shared a term."""
    held = rows.ids.nbytes + rows.lengths.nbytes + sum(map(count_array_bytes, (rows.columns, *rows.spaces)))
    return OBJECTS_BYTES + held + _POSTING_BYTES * len(rows.keys) + (_LINK_BYTES + KEPT_BYTES) * (len(rows.ids) + 1)


NO_LAZY_IMAGE = LazyImage(NO_ROWS)
