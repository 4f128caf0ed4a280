"""Which memories a question names by one of their other names: what a strict question takes whatever its relevance."""

import numpy as np
import numpy.typing as npt

from snapshots.embedding.aliases import naming_marks
from snapshots.embedding.rows import ABOUT, term_key
from snapshots.recall.images.image import Image
from snapshots.recall.ranking.lexical import locate


def named_rows(image: Image, text: str) -> npt.NDArray[np.bool_]:
    """Return which rows ``text`` names, shape (n,)."""
    named = np.zeros(image.size, np.bool_)
    found = locate(image, np.array([term_key(mark) for mark in naming_marks(text)], np.uint64))
    for begin, end in zip(found.begin[:, ABOUT].tolist(), found.end[:, ABOUT].tolist(), strict=True):
        named[image.postings.docs[begin:end]] = True
    return named
