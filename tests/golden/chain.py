"""A linear-chain conditional random field fitted by L-BFGS: all sentences at once, position by position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

STRICTNESS = 0.6
"""Strength of the penalty on squared weights: of 0.2, 0.4 and 1 the best on writers not learned from."""
STEPS = 50
_NEVER = -60.0


@dataclass(frozen=True, slots=True)
class Table:
    """Sentences laid out by position, the longest first: ``active[t]`` of them have a word at ``t``."""

    features: Any
    wanted: npt.NDArray[np.int64]
    active: list[int]
    starts: npt.NDArray[np.int64]

    @classmethod
    def of(
        cls, lines: Sequence[tuple[list[list[str]], list[str]]], index: Mapping[str, int], labels: Sequence[str]
    ) -> "Table":
        from scipy.sparse import csr_matrix  # noqa: PLC0415 - of the group `evaluation`

        ordered = sorted(lines, key=lambda line: -len(line[1]))
        longest = len(ordered[0][1])
        active = [sum(len(given) > t for _, given in ordered) for t in range(longest)]
        number = {label: at for at, label in enumerate(labels)}
        columns: list[int] = []
        ends = [0]
        wanted: list[int] = []
        for t in range(longest):
            for features, given in ordered[: active[t]]:
                columns += [index[name] for name in features[t] if name in index]
                ends.append(len(columns))
                wanted.append(number[given[t]])
        shape = (len(wanted), len(index))
        table = csr_matrix((np.ones(len(columns), np.float32), np.array(columns), np.array(ends)), shape=shape)
        table.sum_duplicates()
        return cls(table, np.array(wanted), active, np.concatenate([[0], np.cumsum(active)]))


def fitted(table: Table, labels: Sequence[str]) -> tuple[Any, Any, Any]:
    """Return the logarithmic factors: of features (features, labels), of moves (labels, labels) and of starts."""
    from scipy.optimize import minimize  # noqa: PLC0415 - of the group `evaluation`

    count, width = table.features.shape[1], len(labels)
    barred = np.array([[b[0] == "I" and a[1:] != b[1:] for b in labels] for a in labels])
    starts = np.array([_NEVER if label[0] == "I" else 0.0 for label in labels])
    across = table.features.T.tocsr()
    seen = across @ np.eye(width, dtype=np.float32)[table.wanted]
    moved = np.zeros((width, width))
    for t in range(1, len(table.active)):
        left, here = table.starts[t - 1], table.starts[t]
        np.add.at(moved, (table.wanted[left : left + table.active[t]], table.wanted[here : here + table.active[t]]), 1)

    def loss(given: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        weights = given[: count * width].reshape(count, width)
        moves = given[count * width :].reshape(width, width)
        scores = (table.features @ weights.astype(np.float32)).astype(np.float64)
        total, shares, expected = _expected(table, scores, np.where(barred, _NEVER, moves), starts)
        told = scores[np.arange(len(table.wanted)), table.wanted].sum() + (moved * moves).sum()
        slope = np.concatenate(
            [
                (across @ shares.astype(np.float32) - seen).ravel(),
                np.where(barred, 0.0, expected - moved).ravel(),
            ]
        )
        return total - told + STRICTNESS / 2 * float(given @ given), slope + STRICTNESS * given

    begun = np.zeros(count * width + width * width)
    found = minimize(loss, begun, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "maxcor": 6}).x
    moves = np.where(barred, _NEVER, found[count * width :].reshape(width, width))
    return found[: count * width].reshape(count, width), moves, starts


def _expected(table: Table, scores: Any, moves: Any, starts: Any) -> tuple[float, Any, Any]:
    """Return the logarithm of the sum over all labellings, the share of each label, and how often each move is made."""
    factors, most = np.exp(moves), scores.max(axis=1, keepdims=True)
    raised = np.exp(scores - most)
    raised[: table.active[0]] *= np.exp(starts)
    ahead, back, sums = np.empty_like(raised), np.ones_like(raised), np.empty(len(raised))
    expected = np.zeros_like(moves)
    for t, active in enumerate(table.active):
        here = slice(table.starts[t], table.starts[t + 1])
        before = ahead[table.starts[t - 1] :][:active] @ factors if t else 1.0
        reached = before * raised[here]
        sums[here] = reached.sum(axis=1)
        ahead[here] = reached / sums[here, None]
    for t in range(len(table.active) - 1, 0, -1):
        here = slice(table.starts[t], table.starts[t + 1])
        left = slice(table.starts[t - 1], table.starts[t - 1] + table.active[t])
        gone = raised[here] * back[here] / sums[here, None]
        back[left] = gone @ factors.T
        expected += (ahead[left].T @ gone) * factors
    return float(np.log(sums).sum() + most.sum()), ahead * back, expected
