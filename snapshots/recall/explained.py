"""An explanation as plain numbers: what answers show and receipts keep (R7, G1)."""

from typing import Any

from snapshots.recall.ranking import DIGITS
from snapshots.recall.values import Explain, LaneHit


def explained(why: Explain) -> dict[str, Any]:
    """Return the fields of ``why`` as plain values; a lane that did not find the memory is None."""
    factors = why.factors
    return {
        "dense": _place(why.dense),
        "keyword": _place(why.keyword),
        "fused": round(why.fused, DIGITS),
        "smoothed": round(why.smoothed, DIGITS),
        "conversation": round(why.conversation, DIGITS),
        "preferred": round(why.preferred, DIGITS),
        "semantic": round(why.semantic, DIGITS),
        "reranked": None if why.reranked is None else round(why.reranked, DIGITS),
        "factors": {
            "recency": round(factors.recency, DIGITS),
            "confidence_effective": round(factors.confidence_effective, DIGITS),
            "provenance": round(factors.provenance, DIGITS),
            "frequency": round(factors.frequency, DIGITS),
        },
    }


def _place(hit: LaneHit | None) -> dict[str, Any] | None:
    return None if hit is None else {"rank": hit.rank, "score": round(hit.score, DIGITS), "view": hit.view}
