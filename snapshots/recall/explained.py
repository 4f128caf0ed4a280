"""An explanation as plain numbers: what answers show and receipts keep (R7, G1)."""

from typing import Any

from snapshots.recall.values import Explain, LaneHit

DIGITS = 6
"""Scores are float32: more digits say nothing."""


def explained(why: Explain) -> dict[str, Any]:
    """Return ``{dense, keyword, fused, factors}``; a lane that did not find the memory is None."""
    factors = why.factors
    return {
        "dense": _place(why.dense),
        "keyword": _place(why.keyword),
        "fused": round(why.fused, DIGITS),
        "factors": {
            "recency": round(factors.recency, DIGITS),
            "confidence_effective": round(factors.confidence_effective, DIGITS),
            "provenance": round(factors.provenance, DIGITS),
            "frequency": round(factors.frequency, DIGITS),
        },
    }


def _place(hit: LaneHit | None) -> dict[str, Any] | None:
    return None if hit is None else {"rank": hit.rank, "score": round(hit.score, DIGITS)}
