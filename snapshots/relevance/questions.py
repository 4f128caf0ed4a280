"""Does a question need anything that is remembered? "What's for dinner?" does, "How far is the moon?" does not.

A logistic regression over the question's vector in the sentence encoder's space. ``python -m
tests.golden.teach_relevance`` taught it; ``questions.npz`` holds the weights and names what taught them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from memory_platform.kernel.linear_model import Float32
from snapshots.relevance.policy import ENCODER_SPACE

WEIGHTS = Path(__file__).with_name("questions.npz")


@dataclass(frozen=True, slots=True)
class QuestionReader:
    """``weights`` (d,) and ``intercept`` of the regression, and what taught them."""

    weights: Float32
    intercept: float
    taught: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path = WEIGHTS) -> "QuestionReader":
        """Return the reader that :meth:`write` kept."""
        with np.load(path) as held:
            return cls(held["weights"].astype(np.float32), float(held["intercept"]), json.loads(str(held["taught"])))

    def write(self, path: Path = WEIGHTS) -> None:
        """Keep the reader, its weights in half precision."""
        kept: dict[str, Any] = {
            "weights": self.weights.astype(np.float16),
            "intercept": np.float32(self.intercept),
            "taught": json.dumps(dict(self.taught)),
        }
        np.savez_compressed(path, **kept)

    def probability(self, vector: Float32) -> float:
        """Return how probable it is that the question of a unit ``vector`` (d,) needs memory, 0..1."""
        return float(1 / (1 + np.exp(-(self.weights @ vector.astype(np.float32) + self.intercept))))


@lru_cache(maxsize=1)
def question_reader() -> QuestionReader:
    """Return the reader as it was taught."""
    return QuestionReader.read()


def needs_memory(vectors: Mapping[str, Float32]) -> float:
    """Return how probable it is that a question needs memory, by its ``vectors`` by embedding space.

    1 where the sentence encoder made none of them: then nothing tells.
    """
    vector, reader = vectors.get(ENCODER_SPACE), question_reader()
    told = vector is not None and vector.shape == reader.weights.shape and vector.any()
    return reader.probability(vector) if told and vector is not None else 1.0
