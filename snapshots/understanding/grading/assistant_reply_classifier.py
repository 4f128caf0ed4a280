"""Classify clauses of the assistant by the thing that they give and that somebody may ask for later.

A logistic regression over clause features and the cues of ``replies.toml``, trained by ``python -m
lab.teaching.replies``; ``replies.npz`` holds the weights and names the training data.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from memory_platform.kernel.linear_model import Float32
from memory_platform.providers.registry import embedders
from snapshots.understanding.grading.clause_classifier import Regression
from snapshots.understanding.grading.clause_cues import load_clause_cues
from snapshots.understanding.grading.clause_features import SpokenMessage, compute_clause_features, list_texts_to_embed
from snapshots.understanding.grading.sentence_vectors import ENCODER, Vectors
from snapshots.understanding.reading.text_folding import fold_for_matching

WEIGHTS = Path(__file__).with_name("replies.npz")
CUES = Path(__file__).with_name("replies.toml")
NOTHING = "nothing"
SORTS = ("figure", "name", NOTHING, "promise", "recommendation")


@dataclass(frozen=True, slots=True)
class ReplyGrade:
    """The likeliest sort of a clause beside nothing, and the probability that it gives anything, 0..1."""

    sort: str
    worth: float


@dataclass(frozen=True, slots=True)
class ReplyClassifier:
    """The regression, and in ``taught`` its training data."""

    head: Regression
    taught: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "ReplyClassifier":
        with np.load(path) as held:
            taught = json.loads(str(held["taught"]))
            weights, intercepts = (held[name].astype(np.float32) for name in ("weights", "intercepts"))
        return cls(Regression(tuple(taught["classes"]), weights, intercepts), taught)

    def save(self, path: Path = WEIGHTS) -> None:
        np.savez_compressed(
            path,
            taught=json.dumps(dict(self.taught), ensure_ascii=False),
            weights=self.head.weights.astype(np.float16),
            intercepts=self.head.intercepts.astype(np.float32),
        )

    def grade_clauses(self, message: SpokenMessage, vectors: Vectors) -> list[ReplyGrade]:
        if not message.clauses:
            return []
        shares = self.head.probabilities(compute_reply_features(message, vectors))
        return [self._build_grade(row.tolist()) for row in shares]

    def _build_grade(self, shares: Sequence[float]) -> ReplyGrade:
        by_sort = dict(zip(self.head.classes, shares, strict=True))
        nothing = by_sort.pop(NOTHING)
        return ReplyGrade(max(by_sort, key=by_sort.__getitem__), 1 - nothing)


def compute_reply_features(message: SpokenMessage, vectors: Vectors) -> Float32:
    """Return the features of each clause, shape (clauses, n). Raises KeyError for a text without a vector."""
    forms = [fold_for_matching(clause.text).lower() for clause in message.clauses]
    cues = [[cue.pattern.search(form) is not None for cue in load_clause_cues(CUES)] for form in forms]
    return np.concatenate([compute_clause_features(message, vectors), np.array(cues, np.float32)], axis=1)


@lru_cache(maxsize=1)
def load_reply_classifier() -> ReplyClassifier:
    return ReplyClassifier.load()


def grade_replies(messages: Sequence[SpokenMessage]) -> list[list[ReplyGrade]]:
    """Return the grades of the clauses of each message of the assistant. Embeds: no transaction may be open. Raises
    EmbeddingUnavailable without the encoder's files."""
    wanted = list_texts_to_embed(messages)
    if not wanted:
        return [[] for _ in messages]
    (encoder,) = embedders(ENCODER)
    vectors = dict(zip(wanted, encoder.embed(wanted), strict=True))
    return [load_reply_classifier().grade_clauses(one, vectors) for one in messages]
