"""An explanation as plain numbers: what answers show (R7)."""

from typing import Any

from snapshots.recall.values import Explain
from snapshots.receipts.packing import named


def explained(why: Explain) -> dict[str, Any]:
    """Return the fields of ``why`` as plain values; a lane that did not find the memory is None."""
    return named(why)
