"""Split the memories of a subject by lane: snapshots, notes and replies have an image each.

Words, neighbours and sessions are counted over all rows of an image: a note among the snapshots would change their
ranking.
"""

import numpy as np
import numpy.typing as npt

from snapshots.recall.images.columns import array_bytes
from snapshots.recall.images.image import KEPT_BYTES, OBJECTS_BYTES, Image, Rows, join, link, rows_of, take, unpack
from snapshots.recall.values import APART, KINDS, NOTES, REPLIES

# Bytes of a row for its four neighbours, its session and that one's length, and the lengths of two documents.
_LINK_BYTES = 32
# Bytes of a posting in an inverted index in which every key has one.
_POSTING_BYTES = 24
NO_ROWS = unpack([], {})


def split_lanes(rows: Rows) -> tuple[Rows, Rows, Rows]:
    """Return the rows of snapshots, notes and replies."""
    notes, replies = (rows.columns.kind == KINDS.index(APART[lane]) for lane in (NOTES, REPLIES))
    return _only(rows, ~(notes | replies)), _only(rows, notes), _only(rows, replies)


def _only(rows: Rows, wanted: npt.NDArray[np.bool_]) -> Rows:
    if wanted.all():
        return rows
    return take(rows, np.flatnonzero(wanted)) if wanted.any() else NO_ROWS


class LazyImage:
    """An image that is linked on first use. ``nbytes`` counts it as linked, so that a cache stays exact.

    Threads share it: two may link the same rows, and one result is kept.
    """

    def __init__(self, rows: Rows) -> None:
        self._held: Rows | Image = rows
        self.size = len(rows.ids)
        self.nbytes = _linked_bytes(rows) if self.size else 0

    @property
    def image(self) -> Image:
        """The image; linking 5,000 notes takes about 2 ms."""
        held = self._held
        if isinstance(held, Rows):
            held = self._held = link(held)
        return held

    def extended(self, rows: Rows) -> "LazyImage":
        """Return the image with ``rows`` added."""
        if not len(rows.ids):
            return self
        held = self._held
        return LazyImage(join([held if isinstance(held, Rows) else rows_of(held), rows]) if self.size else rows)


def _linked_bytes(rows: Rows) -> int:
    """Return at most how many bytes the linked image takes, as if no two rows shared a term."""
    held = rows.ids.nbytes + rows.lengths.nbytes + sum(map(array_bytes, (rows.columns, *rows.spaces)))
    return OBJECTS_BYTES + held + _POSTING_BYTES * len(rows.keys) + (_LINK_BYTES + KEPT_BYTES) * (len(rows.ids) + 1)


NONE_APART = LazyImage(NO_ROWS)
