"""An explanation as plain numbers: what answers show and receipts keep (R7, G1)."""

from typing import Any

from snapshots.recall.ranking import DIGITS
from snapshots.recall.values import Explain, LaneHit
from snapshots.receipts.packing import named


def explained(why: Explain) -> dict[str, Any]:
    """Return the fields of ``why`` as plain values; a lane that did not find the memory is None."""
    return named(numbers_of(why))


def numbers_of(why: Explain) -> tuple[Any, ...]:
    """Return the same without names, in the order of :func:`snapshots.receipts.packing.named`."""
    factors = why.factors
    reranked = why.reranked
    return (
        *_place(why.dense),
        *_place(why.keyword),
        round(why.fused, DIGITS),
        round(why.smoothed, DIGITS),
        round(why.conversation, DIGITS),
        round(why.preferred, DIGITS),
        round(why.semantic, DIGITS),
        None if reranked is None else round(reranked, DIGITS),
        round(factors.recency, DIGITS),
        round(factors.confidence_effective, DIGITS),
        round(factors.provenance, DIGITS),
        round(factors.frequency, DIGITS),
    )


def _place(hit: LaneHit | None) -> tuple[int | None, float | None, str | None]:
    return (None, None, None) if hit is None else (hit.rank, round(hit.score, DIGITS), hit.view)
