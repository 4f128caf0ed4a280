"""Whether a text, or a list, is read in time proportional to its length, on a machine of any speed and however busy."""

import time
from collections.abc import Callable, Sequence
from typing import Any

PART = 8
MOST = 3 * PART
"""Times a part's time that the whole may take: 8 where time grows with the length, 64 with its square."""
TRIES = 4
NOTICED_S = 0.05
"""Below this nobody waits, and what the clock says of a part is noise."""


def assert_linear(read: Callable[[Any], object], text: Sequence[object]) -> None:
    """Read an eighth of a text and all of it, and compare what the processor did for each.

    Caches that others emptied and a collection of garbage cost either of them a multiple now and then, so a ratio that
    is too large is measured again: that of an algorithm stays.
    """
    for _ in range(TRIES):
        part, whole = _measure_seconds(read, text[: len(text) // PART]), _measure_seconds(read, text)
        if whole < NOTICED_S or whole < MOST * part:
            return
    raise AssertionError(f"{whole:.3f} s for the whole, {part:.3f} s for an eighth")


def _measure_seconds(read: Callable[[Any], object], text: Sequence[object]) -> float:
    began = time.thread_time()
    read(text)
    return time.thread_time() - began
