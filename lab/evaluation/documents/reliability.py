"""How far a relevance can be read as the probability that a passage holds the answer."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BINS = 5
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The hits whose relevance lies from ``low`` to ``high``: how many, their mean relevance, the share that is
    right."""

    low: float
    high: float
    count: int
    relevance: float
    right: float


def list_bins(relevance: Numbers, right: Numbers, bins: int = BINS) -> Iterator[ReliabilityBin]:
    """Yield the bins that hold a hit, of equal width. ``relevance`` is 0 to 1 and ``right`` 0 or 1, shapes (n,)."""
    places = np.minimum((relevance * bins).astype(int), bins - 1)
    for place in np.unique(places).tolist():
        among = places == place
        means = float(relevance[among].mean()), float(right[among].mean())
        yield ReliabilityBin(place / bins, (place + 1) / bins, int(among.sum()), *means)


def compute_calibration_error(relevance: Numbers, right: Numbers, bins: int = BINS) -> float:
    """Return the expected calibration error: how far mean relevance and share of right hits lie apart in a bin, on
    average over the hits. Source: Guo et al., "On Calibration of Modern Neural Networks", 2017."""
    gaps = [one.count * abs(one.relevance - one.right) for one in list_bins(relevance, right, bins)]
    return sum(gaps) / max(len(relevance), 1)


def render_reliability(name: str, relevance: Numbers, right: Numbers) -> Iterator[str]:
    """Yield how many hits of this name there are with the calibration error, then a line for each bin."""
    yield f"  {name}: {len(relevance)}, calibration error {compute_calibration_error(relevance, right):.3f}"
    for one in list_bins(relevance, right):
        place = f"{one.low:.1f} to {one.high:.1f}"
        yield f"    {place}: {one.count:>4}, relevance {one.relevance:.3f}, right {one.right:.3f}"
