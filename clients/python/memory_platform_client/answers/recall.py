"""Answers: recall.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory_platform_client.answers.shared import About, Abstained, Experiment, PassageCitation
from memory_platform_client.answers.vocabularies import (
    Grade,
    HitView,
    Intent,
    Provenance,
    RecalledMemoryKind,
    RecalledMemoryLane,
    RecalledMemoryProvenance,
    RecalledReplySort,
    TagKind,
    TagMatchKind,
    VitalClass,
)
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class Explain(Answer):
    """The explanation of a memory's place.  The score is `semantic` (or `reranked`) times all factors, rounded."""

    dense: LaneHit | None
    keyword: KeywordHit | None
    fused: float
    smoothed: float
    conversation: float
    preferred: float
    semantic: float
    reranked: float | None
    factors: Factors
    relevance: RelevanceParts


@dataclass(kw_only=True)
class Factors(Answer):
    """Factors that multiply the score."""

    recency: float
    confidence_effective: float
    provenance: float
    frequency: float


@dataclass(kw_only=True)
class KeywordHit(Answer):
    """The place of a memory in the keyword search."""

    rank: int
    score: float
    view: HitView
    words: list[str] | None = None


@dataclass(kw_only=True)
class LaneHit(Answer):
    """The place of a memory in one kind of search."""

    rank: int
    score: float
    view: HitView


@dataclass(kw_only=True)
class RecalledMemory(Answer):
    """A memory that a question found; or, with the lane `documents`, a passage of a document.  A passage has the id of
    its first chunk, the confidence 1, and its relevance for a score."""

    id: str
    text: str
    score: float
    relevance: float
    confidence: float
    topics: list[str]
    aliases: list[str]
    metadata: dict[str, Any]
    said_at: datetime | None
    sources: list[Source]
    explain: Explain | None
    lane: RecalledMemoryLane
    kind: RecalledMemoryKind
    grade: Grade | None
    name: str | None
    provenance: RecalledMemoryProvenance
    category: str | None
    valid_at: datetime | None
    expires_at: datetime | None
    citation: PassageCitation | None


@dataclass(kw_only=True)
class Recall(Answer):
    """The memories that help with a question.  `memories`, `notes` and `replies` are sorted by score, best first."""

    memories: list[RecalledMemory]
    profile: dict[str, Any]
    preferences: dict[str, dict[str, Any]]
    notes: list[RecalledNote]
    replies: list[RecalledReply]
    tags: list[RecalledTag]
    abstained: Abstained | None
    intent: Intent | None
    policy_version: str
    experiment: Experiment | None
    degraded_reason: str | None
    timings_ms: dict[str, float]


@dataclass(kw_only=True)
class RecalledNote(Answer):
    """A note that a question found: a lasting thing in the user's own words."""

    id: str
    text: str
    score: float
    relevance: float
    confidence: float
    topics: list[str]
    aliases: list[str]
    metadata: dict[str, Any]
    said_at: datetime
    sources: list[Source]
    explain: Explain | None
    provenance: Provenance
    valid_at: datetime
    grade: Grade
    about: About | None
    vital: bool
    vital_class: VitalClass | None
    possibly_outdated: bool
    context: str | None


@dataclass(kw_only=True)
class RecalledReply(Answer):
    """Something that the assistant said."""

    id: str
    text: str
    score: float
    relevance: float
    confidence: float
    topics: list[str]
    aliases: list[str]
    metadata: dict[str, Any]
    said_at: datetime
    sources: list[Source]
    explain: Explain | None
    said_by: Literal["assistant"]
    name: str | None
    sort: RecalledReplySort | None
    expires_at: datetime | None


@dataclass(kw_only=True)
class RecalledTag(Answer):
    """A tag that a question names."""

    id: str
    label: str
    kind: TagKind
    address: str | None
    poi_id: str | None
    lat: float | None
    lon: float | None
    phone: str | None
    relation: str | None
    confidence: float
    provenance: Provenance
    score: float
    match: TagMatchKind


@dataclass(kw_only=True)
class RelevanceParts(Answer):
    """The parts of a relevance."""

    need: float
    named: float | None = None
    as_note: float | None = None
    as_statement: float | None = None
    as_message: float | None = None
    asks_reply: float | None = None
    in_time: float | None = None


@dataclass(kw_only=True)
class Source(Answer):
    """The message behind a memory."""

    conversation_id: str | None
    message_id: str | None
