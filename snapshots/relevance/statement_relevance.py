"""How probably a statement helps a question, by its score among those of all statements."""

import numpy as np

from memory_platform.kernel.linear_model import Float32
from snapshots.relevance.config import RELEVANCE

_FLAT = 1e-6


def score_statements(fused: Float32) -> Float32:
    """Return the probability of each statement of one subject, shape (n,), from its fused score. The odds fall with the
    number of statements: a question needs few of them, however many there are."""
    if not len(fused):
        return np.zeros(0, np.float32)
    spread = max(float(fused.std()), _FLAT)
    standing = (fused - fused.mean()) / spread
    odds = RELEVANCE.statement_slope * standing + RELEVANCE.statement_base - np.log(len(fused))
    return np.asarray(1 / (1 + np.exp(-odds)), np.float32)
