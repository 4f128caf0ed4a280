"""A taught tagger of value spans: which words of a sentence name what is learned, and as what (E1). No vector.

A linear-chain conditional random field, read from ``tagger.npz`` (``python -m tests.golden.teach_tagger`` writes it).
It reads what the frames leave unread; its candidates go the same way as theirs.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from snapshots.extraction.tagger_words import Read

WEIGHTS = Path(__file__).with_name("tagger.npz")
OTHER = "O"
"""The label of a word that names nothing; ``B-KIND`` begins a name and ``I-KIND`` goes on with it."""
_RESCALED_EVERY = 8

Numbers = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Span:
    """Words ``first`` to ``last`` name something of ``kind``, believed with ``share`` (0..1) to be just that."""

    first: int
    last: int
    kind: str
    share: float


@dataclass(frozen=True, slots=True)
class Tagger:
    """``weights`` (features, labels), ``moves`` (labels, labels) from one label to the next and ``starts`` (labels,)
    are factors of the share of a labelling, the first as logarithms; ``index`` numbers the features. ``least`` are
    shares below which a kind is not named, ``taught`` says by what."""

    labels: tuple[str, ...]
    index: dict[str, int]
    weights: Weights
    moves: Numbers
    starts: Numbers
    least: dict[str, float]
    taught: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Tagger":
        """Return the tagger that :meth:`write` kept."""
        with np.load(path, allow_pickle=False) as held:
            told = json.loads(bytes(held["told"]))
            names = bytes(held["names"]).decode().split("\n")
            weights = held["weights"].astype(np.float32) * held["scale"]
            moves, starts = np.exp(held["moves"].astype(np.float64)), np.exp(held["starts"].astype(np.float64))
        index = {name: number for number, name in enumerate(names)}
        return cls(tuple(told["labels"]), index, weights, moves, starts, told["least"], told["taught"])

    def write(self, path: Path) -> None:
        """Keep the tagger, weights to eight bits a label."""
        scale = np.maximum(np.abs(self.weights).max(axis=0), 1e-6) / 127
        told = json.dumps({"labels": self.labels, "least": self.least, "taught": self.taught})
        np.savez_compressed(
            path,
            told=np.frombuffer(told.encode(), np.uint8),
            names=np.frombuffer("\n".join(self.index).encode(), np.uint8),
            weights=np.rint(self.weights / scale).astype(np.int8),
            scale=scale.astype(np.float32),
            moves=np.log(self.moves).astype(np.float32),
            starts=np.log(self.starts).astype(np.float32),
        )

    def spans(self, read: Read) -> list[Span]:
        """Return what the words of a sentence most likely name."""
        if not read.words:
            return []
        shares = self._shares(self._scores(read))
        best = shares.argmax(axis=1).tolist()
        found: list[Span] = []
        position = 0
        while position < len(best):
            label = self.labels[best[position]]
            end = position + 1
            if label != OTHER:
                kind = label[2:]
                while end < len(best) and self.labels[best[end]] == f"I-{kind}":
                    end += 1
                sure = float(np.mean([shares[at, best[at]] for at in range(position, end)]))
                found.append(Span(position, end - 1, kind, sure))
            position = end
        return found

    def _scores(self, read: Read) -> Numbers:
        """Return how much speaks for each label of each word, shape (words, labels)."""
        count = len(read.words)
        groups = (*read.near, *read.left, *read.right, *read.earlier, *read.later)
        near, left, right, earlier, later = self._summed(groups).reshape(5, count, len(self.labels))
        at = np.array(read.clause)
        clauses = int(at[-1]) + 1
        content = np.array([word.content for word in read.words])[:, None]
        before = np.cumsum(left, axis=0) - left
        upto = np.cumsum(right, axis=0)
        first = np.searchsorted(at, np.arange(clauses))
        last = np.searchsorted(at, np.arange(clauses), side="right") - 1
        inside = before - before[first[at]] + upto[last[at]] - upto
        beside = np.zeros((clauses + 2, len(self.labels)))
        np.add.at(beside, at + 2, earlier)  # the clause before a word's is one row lower
        ahead = np.zeros((clauses + 2, len(self.labels)))
        np.add.at(ahead, at, later)
        scores: Numbers = near + content * (inside + beside[at + 1] + ahead[at + 1])
        return scores

    def _summed(self, groups: Sequence[Sequence[str]]) -> Numbers:
        """Return the sum of the weights of each group of features, shape (groups, labels)."""
        known = self.index.get
        rows = [[row for name in group if (row := known(name)) is not None] for group in groups]
        ends = np.cumsum([0, *map(len, rows)])
        totals = np.zeros((int(ends[-1]) + 1, len(self.labels)))
        flat = np.fromiter((row for group in rows for row in group), np.intp, int(ends[-1]))
        np.cumsum(self.weights.take(flat, axis=0), axis=0, out=totals[1:])
        sums: Numbers = totals[ends[1:]] - totals[ends[:-1]]
        return sums

    def _shares(self, scores: Numbers) -> Numbers:
        """Return the share of each label of each word, over all ways to label the sentence."""
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        raised[0] *= self.starts
        count = len(raised)
        ahead, back = np.empty_like(raised), np.ones_like(raised)
        ahead[0] = raised[0]
        for at in range(1, count):
            ahead[at] = (ahead[at - 1] @ self.moves) * raised[at]
            if at % _RESCALED_EVERY == 0:
                ahead[at] /= ahead[at].sum()
        for at in range(count - 1, 0, -1):
            back[at - 1] = self.moves @ (raised[at] * back[at])
            if at % _RESCALED_EVERY == 0:
                back[at - 1] /= back[at - 1].sum()
        both = ahead * back
        return np.asarray(both / both.sum(axis=1, keepdims=True), np.float64)


@lru_cache(maxsize=1)
def tagger() -> Tagger:
    """Return the tagger as it was taught."""
    return Tagger.read(WEIGHTS)
