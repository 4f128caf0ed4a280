"""The memories of a subject by lane: snapshots have one image, notes and replies each another, linked when asked for.

Words, neighbours and sittings are counted over all rows of an image: with notes among them, each note would change how
snapshots are ranked.
"""

import numpy as np
import numpy.typing as npt

from snapshots.recall.images.columns import array_bytes
from snapshots.recall.images.image import KEPT_BYTES, OBJECTS_BYTES, Image, Rows, join, link, rows_of, take, unpack
from snapshots.recall.values import APART, KINDS, NOTES, REPLIES

# Of a row, for its four neighbours, its sitting and that one's length, and the lengths of two documents.
_LINK_BYTES = 32
# Of a posting in an inverted index in which every key has one.
_POSTING_BYTES = 24
NO_ROWS = unpack([], {})


def split_lanes(rows: Rows) -> tuple[Rows, Rows, Rows]:
    """Return the rows that are snapshots, notes and replies: each become an image of their own."""
    notes, replies = (rows.columns.kind == KINDS.index(APART[lane]) for lane in (NOTES, REPLIES))
    return _only(rows, ~(notes | replies)), _only(rows, notes), _only(rows, replies)


def _only(rows: Rows, wanted: npt.NDArray[np.bool_]) -> Rows:
    if wanted.all():
        return rows
    return take(rows, np.flatnonzero(wanted)) if wanted.any() else NO_ROWS


class LazyImage:
    """An image of ``rows`` that is linked when it is first asked for.

    Threads share it: two may link the same rows, and one result is kept. ``nbytes`` counts it as linked from the
    beginning, so that a cache does not lose count.
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
        """Return the image of these rows and then ``rows``; itself when there are none."""
        if not len(rows.ids):
            return self
        held = self._held
        return LazyImage(join([held if isinstance(held, Rows) else rows_of(held), rows]) if self.size else rows)


def _linked_bytes(rows: Rows) -> int:
    """Return the bytes of the image of ``rows``, at most: as if no two rows shared a term."""
    held = rows.ids.nbytes + rows.lengths.nbytes + sum(map(array_bytes, (rows.columns, *rows.spaces)))
    return OBJECTS_BYTES + held + _POSTING_BYTES * len(rows.keys) + (_LINK_BYTES + KEPT_BYTES) * (len(rows.ids) + 1)


NONE_APART = LazyImage(NO_ROWS)
