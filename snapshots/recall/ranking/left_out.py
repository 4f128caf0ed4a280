"""Memories that a question came near to and that an answer leaves out, each with the reason: for receipts."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from snapshots.recall.images.columns import Columns
from snapshots.recall.images.image import Image
from snapshots.recall.ranking.scoring import Scores
from snapshots.recall.values import KINDS, LeftOut, RankedHit, RecallQuery, WhyLeftOut

Mask = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]


def left_out(query: RecallQuery, image: Image, scores: Scores, alive: Mask, said_again: Int64) -> Iterator[RankedHit]:
    """Yield the nearest ``query.left_out`` memories of each reason, without explanation.

    ``alive`` marks those that may answer, whether the question found them or not; ``said_again`` are rows that repeat a
    better one. The score is the cosine of the nearer view, 0 without a vector.
    """
    near = scores.dense.max(axis=0)
    expired = expired_rows(image.columns, query) & scores.found
    below = alive & ~scores.found & scores.dense_held & (not query.whole)
    reasons: tuple[tuple[WhyLeftOut, Int64], ...] = (
        ("said_again", said_again),
        ("expired", np.flatnonzero(expired)),
        ("below_floor", np.flatnonzero(below)),
    )
    for why, rows in reasons:
        for row in rows[np.argsort(-near[rows], kind="stable")][: query.left_out].tolist():
            cosine = float(near[row])
            kind = KINDS[int(image.columns.kind[row])]
            yield RankedHit(image.id(row), cosine, cosine, left_out=LeftOut(why, kind))


def expired_rows(columns: Columns, query: RecallQuery) -> Mask:
    """Return which rows would still be true and held, were their time not over."""
    over = columns.expires_at <= query.asked_at.timestamp()
    return np.asarray(over & (query.at.timestamp() < columns.invalid_at) & np.isposinf(columns.retired_at), np.bool_)
