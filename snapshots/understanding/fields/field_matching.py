"""Match notes to fields: a small classifier must be nearly sure of a field and well ahead of all others.

Right or silent: an empty field costs a question, a wrong one is believed. ``reader.json`` holds the weights and names
the training data (``python -m lab.teaching.fields``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.understanding.fields.background_vectors import embed_centred
from snapshots.understanding.fields.config import MATCHING, MatchingConfig
from snapshots.understanding.fields.field_features import LEAD_OVER_TOPICS, compute_field_features, prepare_fields
from tenants.policies.descriptions import FieldDescription

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
    """How well a note matches the fields: ``scores`` by name, best first. ``field`` is the one it fills, "" for none;
    then ``why_not`` says why."""

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
