"""Answers: memories.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_platform_client.answers.shared import About, MessageSource
from memory_platform_client.answers.vocabularies import (
    BeliefKind,
    BeliefVerdict,
    FastLaneKind,
    ForgetOrderState,
    Grade,
    MemoryReviewLane,
    MemoryReviewReason,
    ProposedReason,
    ProposedSort,
    Provenance,
    ReviewState,
    SnapshotFateReason,
    SnapshotFateVerdict,
    SnapshotKind,
    VitalClass,
    WrittenNoteVerdict,
    WrittenSnapshotVerdict,
)
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class Consolidation(Answer):
    """Memories that said nearly the same and were joined into one."""

    consolidation_id: str
    memory_id: str
    members: list[str]
    similarity: float
    created_at: datetime
    undone_at: datetime | None


@dataclass(kw_only=True)
class Evidence(Answer):
    """The words in a message that a proposal was read from."""

    conversation_id: str
    message_id: str
    start: int
    end: int


@dataclass(kw_only=True)
class ForgetOrder(Answer):
    """An order to forget."""

    forget_order_id: str
    state: ForgetOrderState
    memories: list[Hidden]
    created_at: datetime
    erase_at: datetime
    decided_at: datetime | None
    erasure_id: str | None


@dataclass(kw_only=True)
class HeldSnapshot(Answer):
    """A snapshot as it was for a time."""

    id: str
    kind: SnapshotKind
    text: str
    name: str | None
    category: str | None
    topics: list[str]
    aliases: list[str]
    importance: float
    confidence: float
    provenance: Provenance
    metadata: dict[str, Any]
    masked: bool
    sources: list[MessageSource]
    said_at: datetime
    valid_at: datetime
    invalid_at: datetime | None
    expires_at: datetime | None
    superseded_by: str | None
    created_at: datetime
    last_validated_at: datetime
    version: int
    recorded_at: datetime
    retired_at: datetime | None


@dataclass(kw_only=True)
class Hidden(Answer):
    """A memory that an order hid."""

    kind: FastLaneKind | None
    memory_id: str


@dataclass(kw_only=True)
class MemoryReview(Answer):
    """A review: is this memory still true?."""

    review_id: str
    state: ReviewState
    reason: MemoryReviewReason
    lane: MemoryReviewLane
    memory_id: str
    name: str | None
    value: Any
    effective_confidence: float
    created_at: datetime
    decided_at: datetime | None
    decided_by: str | None


@dataclass(kw_only=True)
class Note(Answer):
    """A lasting thing in the user's own words."""

    id: str
    text: str
    grade: Grade
    about: About | None
    vital: bool
    confidence: float
    provenance: Provenance
    said_at: datetime
    valid_at: datetime
    invalid_at: datetime | None
    superseded_by: str | None
    possibly_outdated: bool
    review_by: datetime | None
    grade_probability: float
    vital_class: VitalClass | None
    context: str | None
    sources: list[MessageSource]
    slots: list[Slot]


@dataclass(kw_only=True)
class NoteState(Answer):
    """A note as it was for a time."""

    id: str
    text: str
    grade: Grade
    about: About | None
    vital: bool
    confidence: float
    provenance: Provenance
    said_at: datetime
    valid_at: datetime
    invalid_at: datetime | None
    superseded_by: str | None
    possibly_outdated: bool
    review_by: datetime | None
    grade_probability: float
    vital_class: VitalClass | None
    context: str | None
    sources: list[MessageSource]
    slots: list[Slot]
    version: int
    recorded_at: datetime
    retired_at: datetime | None


@dataclass(kw_only=True)
class Proposed(Answer):
    """A proposal: a value that understanding read from a message, and the decision about it."""

    candidate_id: str
    kind: BeliefKind
    target: str | None
    value: Any
    verdict: BeliefVerdict
    reason: ProposedReason | None
    confidence: float
    provenance: Provenance
    sort: ProposedSort | None
    origin: str | None
    message_id: str | None
    conversation_id: str | None
    evidence: Evidence | None
    created_at: datetime
    reviewed_at: datetime | None
    reviewed_by: str | None
    review_reason: str | None


@dataclass(kw_only=True)
class Slot(Answer):
    """A profile field, preference or tag that was filled from a note."""

    kind: BeliefKind
    category: str | None
    key: str


@dataclass(kw_only=True)
class SnapshotBulk(Answer):
    """The results for all items."""

    data: list[SnapshotFate]


@dataclass(kw_only=True)
class SnapshotFate(Answer):
    """The result for one item."""

    id: str | None
    verdict: SnapshotFateVerdict
    reason: SnapshotFateReason | None


@dataclass(kw_only=True)
class Snapshot(Answer):
    """One memory."""

    id: str
    kind: SnapshotKind
    text: str
    name: str | None
    category: str | None
    topics: list[str]
    aliases: list[str]
    importance: float
    confidence: float
    provenance: Provenance
    metadata: dict[str, Any]
    masked: bool
    sources: list[MessageSource]
    said_at: datetime
    valid_at: datetime
    invalid_at: datetime | None
    expires_at: datetime | None
    superseded_by: str | None
    created_at: datetime
    last_validated_at: datetime
    version: int


@dataclass(kw_only=True)
class WrittenNote(Answer):
    """A note after a write, and the result of the write."""

    id: str
    text: str
    grade: Grade
    about: About | None
    vital: bool
    confidence: float
    provenance: Provenance
    said_at: datetime
    valid_at: datetime
    invalid_at: datetime | None
    superseded_by: str | None
    possibly_outdated: bool
    review_by: datetime | None
    grade_probability: float
    vital_class: VitalClass | None
    context: str | None
    sources: list[MessageSource]
    slots: list[Slot]
    verdict: WrittenNoteVerdict


@dataclass(kw_only=True)
class WrittenSnapshot(Answer):
    """A snapshot after a write, and the result of the write."""

    id: str
    kind: SnapshotKind
    text: str
    name: str | None
    category: str | None
    topics: list[str]
    aliases: list[str]
    importance: float
    confidence: float
    provenance: Provenance
    metadata: dict[str, Any]
    masked: bool
    sources: list[MessageSource]
    said_at: datetime
    valid_at: datetime
    invalid_at: datetime | None
    expires_at: datetime | None
    superseded_by: str | None
    created_at: datetime
    last_validated_at: datetime
    version: int
    verdict: WrittenSnapshotVerdict
