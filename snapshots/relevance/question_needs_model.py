"""Predict whether a question needs memory, and whether it asks for the assistant's words.

"What's for dinner?" needs memory, "How far is the moon?" does not; "what was that book called again?" asks for the
assistant's words. Two logistic regressions use the question's vector, its products along a few directions, and its
unigrams and bigrams. ``python -m lab.teaching.relevance`` trains them; ``questions.npz`` holds the weights and names
its data.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.text import index_form
from snapshots.relevance.config import ENCODER_SPACE

WEIGHTS = Path(__file__).with_name("questions.npz")
WEIGHED = ("weights", "intercepts", "centre", "axes")
# The scales of the parts beside each other, chosen by cross-validation.
MEANT, SAID, PAIRED = 3.0, 2.0, 8.0
# Length of the hashed words.
SLOTS = 8192
# Characters that are read: a question says in them what it asks for, or not at all.
CHARACTERS = 2_000
_WORD = re.compile(r"[a-z']+|\d+|[\u3400-\u9fff]")


class QuestionNeeds(NamedTuple):
    """The probabilities that a question needs memory, and that it asks for the assistant's words."""

    memory: float = 1.0
    replies: float = 0.0


@dataclass(frozen=True, slots=True)
class QuestionNeedsModel:
    """``weights`` (2, n), ``intercepts`` (2,), and ``centre`` (d,) and ``axes`` (d, k) for products."""

    weights: Float32
    intercepts: Float32
    centre: Float32
    axes: Float32
    taught: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "QuestionNeedsModel":
        with np.load(path) as held:
            weights, intercepts, centre, axes = (held[name].astype(np.float32) for name in WEIGHED)
            return cls(weights, intercepts, centre, axes, json.loads(str(held["taught"])))

    def save(self, path: Path = WEIGHTS) -> None:
        """Store the reader, its weights in half precision."""
        kept: dict[str, Any] = {"taught": json.dumps(dict(self.taught))}
        for name in WEIGHED:
            kept[name] = getattr(self, name).astype(np.float16)
        np.savez_compressed(path, **kept)

    def predict_needs(self, text: str, vector: Float32) -> QuestionNeeds:
        odds = self.weights @ compute_question_features(text, vector, self.centre, self.axes) + self.intercepts
        return QuestionNeeds(*(1 / (1 + np.exp(-odds))).tolist())


def compute_question_features(text: str, vector: Float32, centre: Float32, axes: Float32) -> Float32:
    """Return the numbers that a question is read by, shape (d + SLOTS + k (k + 1) / 2,)."""
    along = (vector - centre) @ axes
    products = np.outer(along, along)[np.triu_indices(len(along))]
    words = np.zeros(SLOTS, np.float32)
    words[[crc32(part.encode()) % SLOTS for part in list_question_parts(text)]] = 1.0
    own = SAID * words / np.sqrt(words.sum())
    return np.concatenate([MEANT * vector, own, PAIRED * products]).astype(np.float32)


def list_question_parts(text: str) -> Iterator[str]:
    """Yield the words or Chinese characters of a text by ones and twos; all numbers are alike."""
    found = _WORD.findall(index_form(text[:CHARACTERS]))
    words = ["^", *("#" if word.isdigit() else word for word in found), "$"]
    yield from words
    yield from map(" ".join, pairwise(words))


@lru_cache(maxsize=1)
def load_question_reader() -> QuestionNeedsModel:
    return QuestionNeedsModel.load()


def predict_question_needs(text: str, vectors: Mapping[str, Float32]) -> QuestionNeeds:
    """Return a question's needs; the defaults without a vector of the sentence encoder."""
    vector, reader = vectors.get(ENCODER_SPACE), load_question_reader()
    if vector is None or vector.shape != reader.centre.shape or not vector.any():
        return QuestionNeeds()
    return reader.predict_needs(text, vector.astype(np.float32))
