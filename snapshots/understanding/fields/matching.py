"""Which field a note fills: the one that a small taught reader is nearly sure of and that is well ahead of all others.

Right or silent: a field that stays empty costs a question, a wrong one is believed. ``reader.json`` holds the weights
and names what taught them (``python -m lab.teaching.fields``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memory_platform.kernel.linear_model import Float32, LinearReader
from snapshots.understanding.fields.background import embed_centred
from snapshots.understanding.fields.config import MATCHING, MatchingPolicy
from snapshots.understanding.fields.features import LEAD_OVER_TOPICS, fit_numbers, prepare_fields
from tenants.policies.descriptions import FieldDescription

WEIGHTS = Path(__file__).with_name("reader.json")
FILLS, OTHER = "fills", "other"
UNSURE = "unsure"
"""No field is likely enough."""
ANOTHER_TOPIC = "another_topic"
"""The note is as near to something else that notes are about."""
TOO_CLOSE = "too_close"
"""Two fields are about equally likely."""


@dataclass(frozen=True, slots=True)
class FieldFit:
    """How well a note fits the fields: ``scores`` by name, best first. ``field`` is the one it fills, "" for none, and
    then ``why_not`` says why."""

    scores: Mapping[str, float]
    field: str = ""
    why_not: str = ""

    @property
    def score(self) -> float:
        """The score of the best field; 0 without any."""
        return next(iter(self.scores.values()), 0.0)


@lru_cache(maxsize=1)
def field_reader() -> LinearReader:
    return LinearReader.read(WEIGHTS)


def fit_notes(
    texts: Sequence[str], fields: tuple[FieldDescription, ...], reader: LinearReader | None = None
) -> list[FieldFit]:
    """Return how each note fits the fields. No transaction may be open. Raises EmbeddingUnavailable."""
    if not texts or not fields:
        return [FieldFit({}, why_not=UNSURE) for _ in texts]
    prepared, reads = prepare_fields(fields), reader or field_reader()
    names = [field.name for field in prepared]
    return [
        decide(names, fit_numbers(text, vector, prepared), reads)
        for text, vector in zip(texts, embed_centred(texts), strict=True)
    ]


def decide(names: Sequence[str], numbers: Float32, reader: LinearReader, policy: MatchingPolicy = MATCHING) -> FieldFit:
    """Return which of the fields ``names`` a note fills, from its numbers, shape (fields, n)."""
    shares = [reader.shares(row)[FILLS] for row in numbers]
    order = sorted(range(len(names)), key=lambda place: -shares[place])
    scores = {names[place]: shares[place] for place in order}
    best, *rest = order
    if shares[best] < policy.least:
        return FieldFit(scores, why_not=UNSURE)
    if rest and shares[best] - shares[rest[0]] < policy.ahead:
        return FieldFit(scores, why_not=TOO_CLOSE)
    if numbers[best, LEAD_OVER_TOPICS] < policy.beyond_topics:
        return FieldFit(scores, why_not=ANOTHER_TOPIC)
    return FieldFit(scores, names[best])
