"""The candidates of a receipt as one compressed value: rows without names, which are added on reading.

As JSON objects a hundred candidates take 70 kB, which the database parses and compresses anew; as rows they take 8 kB.
"""

import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from snapshots.models import Receipt
from snapshots.receipts.config import RECEIPTS
from snapshots.receipts.values import ReceiptCandidate

# Stored before the rows, whose values are those of ReceiptCandidate in its order; format 1 has fewer.
FORMAT = 2

_SCORE = ReceiptCandidate._fields.index("candidate_score")

_FACTORS = ("recency", "confidence_effective", "provenance", "frequency")
_PARTS = ("fused", "smoothed", "conversation", "preferred", "semantic", "reranked")
PASSAGE_PARTS = ("document_id", "chunk_ids", "position", "page", "start", "end")
RELEVANCE_PARTS = (
    *("need", "named", "as_note", "as_statement", "as_message", "asks_reply", "in_time"),
    *("as_tag", "as_older", "as_slot", "share"),
)


def name_explanation_values(numbers: Sequence[Any]) -> dict[str, Any]:
    """Return an explanation with the names of its values: rank, score and view of both lanes (None if one did not find
    the memory), the parts of the score, the factors, and the parts of the relevance, if any.

    Older receipts have no parts of the relevance.
    """
    places = [
        None if rank is None else {"rank": rank, "score": score, "view": view}
        for rank, score, view in (numbers[:3], numbers[3:6])
    ]
    return {
        "dense": places[0],
        "keyword": places[1],
        **dict(zip(_PARTS, numbers[6:12], strict=True)),
        "factors": dict(zip(_FACTORS, numbers[12:16], strict=True)),
        "relevance": {n: part for n, part in zip(RELEVANCE_PARTS, numbers[16:], strict=False) if part is not None},
    }


def pack_candidates(candidates: Iterable[ReceiptCandidate]) -> bytes:
    """Pack the candidates of a receipt. Policy version and feedback are stored once, in the rows that own them."""
    rows = [
        (*one[:_SCORE], round(one.candidate_score, RECEIPTS.score_digits), *one[_SCORE + 1 :]) for one in candidates
    ]
    return zlib.compress(orjson.dumps((FORMAT, rows)), RECEIPTS.compression_level)


def unpack_candidates(receipt: Receipt) -> list[dict[str, Any]]:
    """Return a receipt's candidates with named values, in the order of writing."""
    if receipt.packed is None:
        return list(receipt.candidates)  # of before they were packed, or imported
    _, rows = orjson.loads(zlib.decompress(bytes(receipt.packed)))
    return [render_candidate(ReceiptCandidate(*row)) for row in rows]


def render_candidate(one: ReceiptCandidate) -> dict[str, Any]:
    score = round(one.candidate_score, RECEIPTS.score_digits)
    why = None if one.explain is None else name_explanation_values(one.explain)
    place = None if one.passage is None else dict(zip(PASSAGE_PARTS, one.passage, strict=True))
    return {**one._asdict(), "candidate_score": score, "explain": why, "passage": place}
