"""Whether relevance is a probability is told by bins and by the mean distance. Rows: K3, D4."""

import numpy as np
import pytest

from lab.evaluation.documents.reliability import compute_calibration_error, list_bins, render_reliability

RELEVANCE = np.array([0.1, 0.1, 0.9, 0.9, 0.9, 1.0])


def test_bins_tell_how_often_hits_are_right() -> None:
    right = np.array([0, 1, 1, 1, 0, 1], float)
    low, high = list_bins(RELEVANCE, right)
    assert (low.low, low.count, low.right) == (0, 2, 0.5)
    assert (high.high, high.count, high.right) == (1, 4, 0.75)
    assert compute_calibration_error(RELEVANCE, right) == pytest.approx((2 * 0.4 + 4 * 0.175) / 6)
    assert list(render_reliability("passages", RELEVANCE, right)) == [
        "  passages: 6, calibration error 0.250",
        "    0.0 to 0.2:    2, relevance 0.100, right 0.500",
        "    0.8 to 1.0:    4, relevance 0.925, right 0.750",
    ]


def test_nothing_is_calibrated() -> None:
    assert compute_calibration_error(np.zeros(0), np.zeros(0)) == 0
