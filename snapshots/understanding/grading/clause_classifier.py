"""Classify clauses: the grade, and whether it is about somebody else, ends something, or is vital.

Four logistic regressions over clause features, trained by ``python -m lab.teaching.clauses``; ``clauses.npz``
holds the weights and names the training data.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from memory_platform.kernel.linear_model import Float32
from snapshots.understanding.grading.clause_features import SpokenMessage, compute_clause_features, list_texts_to_embed
from snapshots.understanding.grading.sentence_vectors import Vectors, embed_sentences
from snapshots.understanding.values import GradedSpan

WEIGHTS = Path(__file__).with_name("clauses.npz")
LASTING = ("fact", "habit", "limit", "plan")
GRADES = ("change", "chat", "event", "fact", "habit", "limit", "momentary", "plan", "question_or_command")
HEADS = ("grade", "other", "change", "vital")
NOT_VITAL = "none"


@dataclass(frozen=True, slots=True)
class ClauseGrade:
    """The classification of one clause. All numbers are probabilities, 0..1.

    ``kind`` is the likeliest lasting grade, ``lasting`` the sum over all of them; ``other``: it is about somebody or
    something else; ``change``: it ends or replaces something; ``vital`` with the likeliest ``vital_class``.
    """

    kind: str
    lasting: float
    likeliest: str
    other: float
    change: float
    vital: float
    vital_class: str


@dataclass(frozen=True, slots=True)
class Regression:
    """One regression: ``weights`` (classes, n) and ``intercepts`` (classes,)."""

    classes: tuple[str, ...]
    weights: Float32
    intercepts: Float32

    def probabilities(self, numbers: Float32) -> Float32:
        """Return the probability of each class for each row of ``numbers`` (m, n), shape (m, classes)."""
        scores = numbers @ self.weights.T + self.intercepts
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


@dataclass(frozen=True, slots=True)
class ClauseClassifier:
    """The regressions by name, and in ``taught`` the training data."""

    heads: Mapping[str, Regression]
    taught: Mapping[str, Any]

    @property
    def version(self) -> str:
        return str(self.taught["version"])

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "ClauseClassifier":
        with np.load(path) as held:
            taught = json.loads(str(held["taught"]))
            heads = {
                name: Regression(
                    tuple(taught["classes"][name]),
                    held[f"{name}_weights"].astype(np.float32),
                    held[f"{name}_intercepts"].astype(np.float32),
                )
                for name in HEADS
            }
        return cls(heads, taught)

    def save(self, path: Path = WEIGHTS) -> None:
        arrays: dict[str, Any] = {"taught": json.dumps(dict(self.taught), ensure_ascii=False)}
        for name, head in self.heads.items():
            arrays[f"{name}_weights"] = head.weights.astype(np.float16)
            arrays[f"{name}_intercepts"] = head.intercepts.astype(np.float32)
        np.savez_compressed(path, **arrays)

    def grade_clauses(self, message: SpokenMessage, vectors: Vectors) -> list[ClauseGrade]:
        if not message.clauses:
            return []
        numbers = compute_clause_features(message, vectors)
        found = {name: head.probabilities(numbers) for name, head in self.heads.items()}
        return [self._build_grade(*row) for row in zip(*(found[name] for name in HEADS), strict=True)]

    def _build_grade(self, kinds: Float32, other: Float32, change: Float32, vital: Float32) -> ClauseGrade:
        by_kind = dict(zip(self.heads["grade"].classes, kinds.tolist(), strict=True))
        by_class = dict(zip(self.heads["vital"].classes, vital.tolist(), strict=True))
        none = by_class.pop(NOT_VITAL)
        yes = [
            dict(zip(self.heads[name].classes, row.tolist(), strict=True))["yes"]
            for name, row in (("other", other), ("change", change))
        ]
        return ClauseGrade(
            kind=max(LASTING, key=by_kind.__getitem__),
            lasting=sum(by_kind[kind] for kind in LASTING),
            likeliest=max(by_kind, key=by_kind.__getitem__),
            other=yes[0],
            change=yes[1],
            vital=1 - none,
            vital_class=max(by_class, key=by_class.__getitem__),
        )


@lru_cache(maxsize=1)
def load_clause_classifier() -> ClauseClassifier:
    return ClauseClassifier.load()


def grade_messages(
    messages: Sequence[SpokenMessage], reader: ClauseClassifier | None = None
) -> list[list[ClauseGrade]]:
    """Return the grades of the clauses of each message. Embeds: no transaction may be open (ModelCallInTransaction).
    The encoder is the bundled one, whatever EMBEDDER names. Raises EmbeddingUnavailable without its files."""
    wanted = list_texts_to_embed(messages)
    if not wanted:
        return [[] for _ in messages]
    vectors = embed_sentences(wanted)
    grading = reader or load_clause_classifier()
    return [grading.grade_clauses(one, vectors) for one in messages]


def list_graded_spans(message: SpokenMessage, grades: Sequence[ClauseGrade]) -> tuple[GradedSpan, ...]:
    """Return the grades that slots need; none of a message that only answers by yes or no."""
    if message.answer:
        return ()
    pairs = zip(message.clauses, grades, strict=True)
    return tuple(
        GradedSpan(clause.start, clause.end, grade.lasting, grade.other, grade.kind == "plan")
        for clause, grade in pairs
    )
