"""How probably a note helps a question that needs memory: words in common, nearness, and topics.

A logistic regression over numbers of the pair: how words and vectors compare, by themselves and beside the subject's
other notes; both vectors along the directions in which notes and questions differ most; and the products of these, by
which a question about a dinner asks for allergies. ``python -m lab.teaching.relevance`` teaches it; ``notes.npz``
holds the weights and names its data. Where a note has no vector of the sentence encoder, a second regression goes by
the words.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.linear_model import Float32
from snapshots.relevance.config import DIMENSIONS, RELEVANCE, RelevanceConfig

WEIGHTS = Path(__file__).with_name("notes.npz")
WEIGHED = ("by_meaning", "by_words", "centre", "axes")
# The scales of the numbers beside each other; chosen by cross-validation over people.
NEAR, ALONG, PAIRED, LONGEST, MOST_WORDS = 3.0, 2.0, 8.0, 40, 12.0
_FLAT = 1e-6

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class QuestionNotePairs:
    """One question beside each of a subject's notes, shape (n,).

    ``words`` is BM25, ``lengths`` are terms, ``cosines`` 0 without a vector. ``vectors`` (n, d) are unit vectors of the
    sentence encoder, zero for a text without a vector; None if the caller passes :class:`NoteAxes` in their
    place. ``question`` (d,) is None if it has no vector.
    """

    words: Float32
    lengths: Float32
    cosines: Float32
    is_chinese: bool
    vectors: Float32 | None = None
    question: Float32 | None = None


@dataclass(frozen=True, slots=True)
class NoteAxes:
    """The notes with a vector, shape (m,), and their places along the reader's axes, (m, k), for any question."""

    rows: Rows
    along: Float32

    def select_rows(self, mask: Mask) -> "NoteAxes":
        """Return those of the ``mask`` notes, shape (n,), which are numbered anew."""
        kept = mask[self.rows]
        return NoteAxes((np.cumsum(mask) - 1)[self.rows[kept]], self.along[kept])


@dataclass(frozen=True, slots=True)
class NoteRelevanceModel:
    """Weights of both regressions, intercepts last, and ``centre`` (d,) and ``axes`` (d, k) for vectors."""

    by_meaning: Float32
    by_words: Float32
    centre: Float32
    axes: Float32
    taught: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "NoteRelevanceModel":
        with np.load(path) as held:
            by_meaning, by_words, centre, axes = (held[name].astype(np.float32) for name in WEIGHED)
            return cls(by_meaning, by_words, centre, axes, json.loads(str(held["taught"])))

    def save(self, path: Path = WEIGHTS) -> None:
        """Store the reader, its weights in half precision."""
        kept: dict[str, Any] = {"taught": json.dumps(dict(self.taught))}
        for name in WEIGHED:
            kept[name] = getattr(self, name).astype(np.float16)
        np.savez_compressed(path, **kept)

    def probabilities(self, pairs: QuestionNotePairs, seen: NoteAxes | None = None) -> Float32:
        """Return the probability of each note, shape (n,); ``seen`` are its vectors, if worked out before."""
        if not len(pairs.words):
            return np.zeros(0, np.float32)
        compared = compute_pair_features(pairs)
        found = _to_probability(_compute_linear_scores(compared[:, 1:], self.by_words))
        if seen is None and pairs.vectors is not None:
            seen = self.project_notes(pairs.vectors, np.flatnonzero(pairs.vectors.any(axis=1)))
        if seen is None or pairs.question is None or pairs.question.shape != self.centre.shape:
            return found
        by_numbers = np.append(self.by_meaning[: compared.shape[1]], self.by_meaning[-1])
        meant = _compute_linear_scores(compared[seen.rows], by_numbers) + self._score_axes(seen.along, pairs.question)
        found[seen.rows] = _to_probability(np.asarray(meant, np.float32))
        return found

    def project_notes(self, vectors: Float32, rows: Rows) -> NoteAxes:
        """Return where the notes numbered ``rows`` stand along the axes; ``vectors`` (n, d) are those of all."""
        return NoteAxes(rows, np.asarray((vectors[rows] - self.centre) @ self.axes, np.float32))

    def _score_axes(self, notes: Float32, question: Float32) -> Float32:
        """Return the part of the odds from the axes, without computing k x k products."""
        asked, k = (question - self.centre) @ self.axes, notes.shape[1]
        weights = self.by_meaning[-1 - k * (k + 2) : -1]
        own, of_question, products = weights[:k], weights[k : 2 * k], weights[2 * k :].reshape(k, k)
        odds = notes @ (ALONG * own + PAIRED * (products @ asked)) + ALONG * (of_question @ asked)
        return np.asarray(odds, np.float32)


def compute_pair_features(pairs: QuestionNotePairs, config: RelevanceConfig = RELEVANCE) -> Float32:
    """Return the numbers of each pair that need no axes, shape (n, 7); the first is the cosine itself."""
    count = len(pairs.words)
    # Usual cosines are known of one encoder alone.
    is_encoded = pairs.question is not None and len(pairs.question) == DIMENSIONS
    missing = max(0, config.few_notes - count) if is_encoded else 0
    usual = config.usual_chinese if pairs.is_chinese else config.usual_english
    numbers = (
        NEAR * pairs.cosines,
        _standardise(pairs.cosines, missing, usual.cosine, usual.cosine_spread),
        np.minimum(pairs.words, MOST_WORDS) / 4,
        pairs.words > 0,
        _standardise(pairs.words, missing, usual.words, usual.words_spread),
        np.minimum(pairs.lengths, LONGEST) / 20,
        np.full(count, pairs.is_chinese),
    )
    return np.stack([np.asarray(one, np.float32) for one in numbers], axis=1)


def project_pairs_on_axes(vectors: Float32, question: Float32, centre: Float32, axes: Float32) -> Float32:
    """Return ``vectors`` (n, d) and ``question`` (d,) along ``axes`` (d, k), and the products of both."""
    notes, asked = (vectors - centre) @ axes, (question - centre) @ axes
    products = (notes[:, :, None] * asked[None, None, :]).reshape(len(notes), -1)
    both = (ALONG * notes, np.broadcast_to(ALONG * asked, notes.shape), PAIRED * products)
    return np.concatenate(both, axis=1).astype(np.float32)


@lru_cache(maxsize=1)
def load_note_reader() -> NoteRelevanceModel:
    return NoteRelevanceModel.load()


def _standardise(numbers: Float32, missing: int, mean: float, spread: float) -> Float32:
    """Return z-scores of ``numbers`` among themselves and ``missing`` usual ones, so that a lone note can stand out."""
    count = len(numbers) + missing
    middle = (float(numbers.sum()) + missing * mean) / count
    squares = float(((numbers - middle) ** 2).sum()) + missing * (spread**2 + (mean - middle) ** 2)
    centred, deviation = numbers - middle, (squares / count) ** 0.5
    return np.asarray(centred / deviation if deviation > _FLAT else np.zeros_like(centred), np.float32)


def _compute_linear_scores(numbers: Float32, weights: Float32) -> Float32:
    return np.asarray(numbers @ weights[:-1] + weights[-1], np.float32)


def _to_probability(odds: Float32) -> Float32:
    return np.asarray(1 / (1 + np.exp(-odds)), np.float32)
