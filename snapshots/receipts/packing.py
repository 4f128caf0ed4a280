"""The candidates of a receipt as one compact value: rows of plain values, named on reading, compressed.

As JSON objects a hundred candidates take 70 kB, which the database parses and compresses anew; as rows they take 8 kB.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from snapshots.models import Receipt
from snapshots.receipts.policy import RECEIPTS
from snapshots.receipts.values import ReceiptCandidate

FORMAT = 1
"""Stands before the rows, so that those of another shape could be told apart."""

COLUMNS = (
    "memory_id",
    "lane",
    "kind",
    "candidate_score",
    "decision_reason",
    "guardrail_hit",
    "context_position",
    "tokens",
    "explain",
)
_EXPLAIN = COLUMNS.index("explain")
_FACTORS = ("recency", "confidence_effective", "provenance", "frequency")
_PARTS = ("fused", "smoothed", "conversation", "preferred", "semantic", "reranked")


def named(numbers: Sequence[Any]) -> dict[str, Any]:
    """Return an explanation with the names of its sixteen values: rank, score and view of both lanes (None where one
    did not find the memory), the parts of the score, the factors."""
    places = [
        None if rank is None else {"rank": rank, "score": score, "view": view}
        for rank, score, view in (numbers[:3], numbers[3:6])
    ]
    return {
        "dense": places[0],
        "keyword": places[1],
        **dict(zip(_PARTS, numbers[6:12], strict=True)),
        "factors": dict(zip(_FACTORS, numbers[12:], strict=True)),
    }


def packed_candidates(candidates: Iterable[ReceiptCandidate]) -> bytes:
    """Return candidates as a receipt keeps them. Policy version and feedback stand once, in the rows that own them."""
    rows = [
        (
            one.memory_id,
            one.lane,
            one.kind,
            round(one.candidate_score, RECEIPTS.score_digits),
            one.decision_reason,
            one.guardrail_hit,
            one.context_position,
            one.tokens,
            one.explain,
        )
        for one in candidates
    ]
    return zlib.compress(orjson.dumps((FORMAT, rows)), RECEIPTS.compression_level)


def candidates_held(receipt: Receipt) -> list[dict[str, Any]]:
    """Return a receipt's candidates by the names of G1, in the order in which they were written."""
    if receipt.packed is None:
        return list(receipt.candidates)  # of before they were packed, or imported
    _, rows = orjson.loads(zlib.decompress(bytes(receipt.packed)))
    return [
        dict(zip(COLUMNS, row, strict=True)) | {"explain": None if row[_EXPLAIN] is None else named(row[_EXPLAIN])}
        for row in rows
    ]
