"""Match notes to fields: a small classifier must be nearly sure of a field and well ahead of all others.

Right or silent: an empty field costs a question, a wrong one is believed. ``reader.json`` holds the weights and names
the training data (``python -m lab.teaching.fields``). The features of a note: its similarity to the description, the
name and the nearest example, relative to ordinary notes; its lead over other topics and over the tenant's other fields;
and the products of both vectors, whose weights tell which directions of the encoder separate fields. Shared words added
nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.understanding.fields.config import MATCHING, MatchingConfig
from snapshots.understanding.fields.reference_vectors import (
    LANGUAGES,
    BackgroundVectors,
    embed_centred,
    load_background_vectors,
)
from snapshots.understanding.grading.clause_cues import has_cue
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching
from tenants.policies.descriptions_value_kind import FieldDescription

# How much a product of two vectors weighs beside the other numbers, which have a spread of about 1; of 14, 48, 73 and
# 121 the best across products.
PRODUCTS = 73.0
_NEAREST = 3
# Which number says by how much a note is nearer to the field than to any topic of the background.
LEAD_OVER_TOPICS = 7
_COMPARED = 5


@dataclass(frozen=True, slots=True)
class UsualSimilarity:
    """How similar ordinary notes of one language are to a set of texts: per text, and to the nearest of all texts."""

    means: Float32
    spreads: Float32
    top_mean: float
    top_spread: float

    @classmethod
    def measure(cls, near: Float32) -> "UsualSimilarity":
        means, spreads = near.mean(axis=0), near.std(axis=0) + MATCHING.least_spread
        top = ((near - means) / spreads).max(axis=1)
        return cls(means, spreads, float(top.mean()), float(max(top.std(), MATCHING.least_spread)))

    def standardise(self, near: Float32) -> float:
        """Return by how many standard deviations the nearest text is nearer than usual, from cosines (texts,)."""
        return (float(((near - self.means) / self.spreads).max()) - self.top_mean) / self.top_spread


@dataclass(frozen=True, slots=True)
class PreparedField:
    """A field ready for comparison. ``usual`` holds statistics of description, name and examples by language."""

    name: str
    description: Float32
    called: Float32
    examples: Float32
    topics: Float32
    usual: dict[str, tuple[UsualSimilarity, UsualSimilarity, UsualSimilarity | None]]


WEIGHTS = Path(__file__).with_name("reader.json")
FILLS, OTHER = "fills", "other"
# No field is likely enough.
UNSURE = "unsure"
# The note is as near to a topic of the background as to the field.
ANOTHER_TOPIC = "another_topic"
# Two fields are about equally likely.
TOO_CLOSE = "too_close"


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """How well a note matches the fields: ``scores`` by name, best first. ``field`` is the field that it fills; if
    that is "", ``why_not`` says why."""

    scores: Mapping[str, float]
    field: str = ""
    why_not: str = ""

    @property
    def best_score(self) -> float:
        return next(iter(self.scores.values()), 0.0)


@lru_cache(maxsize=1)
def load_field_classifier() -> LinearClassifier:
    return LinearClassifier.read(WEIGHTS)


def match_notes(
    texts: Sequence[str], fields: tuple[FieldDescription, ...], reader: LinearClassifier | None = None
) -> list[FieldMatch]:
    """Return how each note matches the fields. No transaction may be open. Raises EmbeddingUnavailable."""
    if not texts or not fields:
        return [FieldMatch({}, why_not=UNSURE) for _ in texts]
    prepared, reads = prepare_fields(fields), reader or load_field_classifier()
    names = [field.name for field in prepared]
    return [
        choose_field(names, compute_field_features(text, vector, prepared), reads)
        for text, vector in zip(texts, embed_centred(texts), strict=True)
    ]


def choose_field(
    names: Sequence[str], numbers: Float32, reader: LinearClassifier, config: MatchingConfig = MATCHING
) -> FieldMatch:
    """Return which of the fields ``names`` a note fills, from its features, shape (fields, n)."""
    shares = [reader.class_shares(row)[FILLS] for row in numbers]
    order = sorted(range(len(names)), key=lambda place: -shares[place])
    scores = {names[place]: shares[place] for place in order}
    best, *rest = order
    if shares[best] < config.least:
        return FieldMatch(scores, why_not=UNSURE)
    if rest and shares[best] - shares[rest[0]] < config.ahead:
        return FieldMatch(scores, why_not=TOO_CLOSE)
    if numbers[best, LEAD_OVER_TOPICS] < config.beyond_topics:
        return FieldMatch(scores, why_not=ANOTHER_TOPIC)
    return FieldMatch(scores, names[best])


@lru_cache(maxsize=MATCHING.cached_tenants)
def prepare_fields(fields: tuple[FieldDescription, ...]) -> tuple[PreparedField, ...]:
    """Return fields with the vectors that describe them. No transaction may be open. Raises EmbeddingUnavailable."""
    texts = [text for one in fields for text in (one.description, one.name.replace("_", " "), *one.examples)]
    vectors = iter(embed_centred(texts))
    background = load_background_vectors()
    return tuple(
        _prepare_field(one, np.stack([next(vectors) for _ in range(2 + len(one.examples))]), background)
        for one in fields
    )


def _prepare_field(field: FieldDescription, vectors: Float32, background: BackgroundVectors) -> PreparedField:
    description, called, examples = vectors[0], vectors[1], vectors[2:]
    topics = background.topics[detect_rule_language(field.description)]
    usual = {
        language: (
            UsualSimilarity.measure(background.notes[language] @ vectors[:1].T),
            UsualSimilarity.measure(background.notes[language] @ vectors[1:2].T),
            UsualSimilarity.measure(background.notes[language] @ examples.T) if len(examples) else None,
        )
        for language in LANGUAGES
    }
    others = topics[topics @ description < MATCHING.own_topic]
    return PreparedField(field.name, description, called, examples, others, usual)


def compute_field_features(text: str, vector: Float32, fields: Sequence[PreparedField]) -> Float32:
    """Return the features of one note, by its text and its centred vector, for each field, shape (fields, n)."""
    language = detect_rule_language(text)
    own = np.array([_compute_similarity_features(vector, field, language) for field in fields], np.float32)
    compared = own[:, :_COMPARED]
    rivals = [np.delete(compared, place, axis=0).max(axis=0, initial=0.0) for place in range(len(fields))]
    form = fold_for_matching(text).lower()
    speaks_of_self = np.full((len(fields), 1), float(has_cue("me", form) or has_cue("us", form)), np.float32)
    products = PRODUCTS * np.stack([vector * field.description for field in fields])
    return np.concatenate([own, compared - np.stack(rivals), speaks_of_self, products], axis=1, dtype=np.float32)


def _compute_similarity_features(vector: Float32, field: PreparedField, language: str) -> tuple[float, ...]:
    described, called, shown = field.usual[language]
    near = float(vector @ field.description)
    nearest = float((field.examples @ vector).max()) if len(field.examples) else 0.0
    topics = np.sort(field.topics @ vector)[-_NEAREST:] if len(field.topics) else np.zeros(1, np.float32)
    return (
        near,
        nearest,
        described.standardise(np.array([near], np.float32)),
        called.standardise(np.array([vector @ field.called], np.float32)),
        shown.standardise(field.examples @ vector) if shown else 0.0,
        float(shown is not None),
        near - float(topics[-1]),
        max(near, nearest) - float(topics[-1]),
        near - float(topics.mean()),
    )
