"""What was said again takes one place of an answer, not several: see :mod:`snapshots.embedding.sayings`."""

import numpy as np
import numpy.typing as npt

from snapshots.embedding.sayings import REPEATS_NOTHING
from snapshots.recall.images.columns import Columns
from snapshots.recall.policy import RankingPolicy

Int64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def first_sayings(columns: Columns, rows: Int64, policy: RankingPolicy) -> Mask:
    """Return which of ``rows``, best first, repeat none before them, shape (k,); all when the policy keeps repeats."""
    if not policy.say_once:
        return np.ones(len(rows), np.bool_)
    said = columns.saying[rows]
    first: Mask = said == REPEATS_NOTHING
    _, firsts = np.unique(said, return_index=True)
    first[firsts] = True
    return first
