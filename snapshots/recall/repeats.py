"""What was said again takes one place of an answer, not several: found from the image, which holds no text.

A memory repeats another when it holds the same terms equally often, and one of its two vectors is the other's byte for
byte: the vector sees what terms leave out, such as "not", and who says it. Whatever could mean something else repeats
nothing: a memory that names a time ("yesterday" was another day), and one that is longer than its embedding space can
vouch for. Vectors that are a mean of word vectors do not see the order of words, and English terms do not either: "from
Lisbon to Porto" and "from Porto to Lisbon" look alike in all that an image holds.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from snapshots.embedding.marks import TIME
from snapshots.embedding.rows import TEXT
from snapshots.recall.image import DenseSpace, Image
from snapshots.recall.lexical import rows_marked
from snapshots.recall.policy import RankingPolicy

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_FIELD = np.uint64(3)
"""The field's bits in a key of the postings."""


def first_sayings(image: Image, rows: Int64, policy: RankingPolicy) -> Mask:
    """Return which of ``rows``, best first, repeat none before them, shape (k,); all when the policy keeps repeats."""
    first = np.ones(len(rows), np.bool_)
    if not policy.say_once:
        return first
    alike = [pair for space in image.spaces for pair in _alike(image, space, rows, policy.repeat_terms_in(space.name))]
    if not alike:
        return first
    words = _words_of(image, rows[np.unique(alike)])
    timed = np.isin(rows, rows_marked(image, TIME))
    for place, before in alike:
        again = words[int(rows[place])] == words[int(rows[before])]
        first[place] &= timed[place] or not again
    return first


def _alike(image: Image, space: DenseSpace, rows: Int64, limit: int) -> Iterator[tuple[int, int]]:
    """Yield (place, place before it) of memories of at most ``limit`` terms that share a vector."""
    terms = image.lengths[TEXT][rows]
    at = np.minimum(np.searchsorted(space.rows, rows), len(space.rows) - 1)
    short = (space.rows[at] == rows) & (terms > 0) & (terms <= limit)
    met: dict[tuple[int, bytes], int] = {}
    for place in np.flatnonzero(short).tolist():
        for view, vectors in enumerate((space.dated, space.continued)):
            if space.scales[view, at[place]] > 0:
                before = met.setdefault((view, vectors[at[place]].tobytes()), place)
                if before != place:
                    yield place, before


def _words_of(image: Image, rows: Int64) -> Mapping[int, list[tuple[int, float]]]:
    """Return the terms of each row's own text with their frequencies, in the order of their keys."""
    postings, asked = image.postings, np.zeros(image.size, np.bool_)
    asked[rows] = True
    at = np.flatnonzero(asked[postings.docs])
    keys = postings.keys[np.searchsorted(postings.ptr, at, side="right") - 1]
    own = (keys & _FIELD) == TEXT
    said: dict[int, list[tuple[int, float]]] = {row: [] for row in rows.tolist()}
    postings_of_text = (keys[own].tolist(), postings.docs[at[own]].tolist(), postings.tf[at[own]].tolist())
    for key, row, tf in zip(*postings_of_text, strict=True):
        said[row].append((key, tf))
    return said
