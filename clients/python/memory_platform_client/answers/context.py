"""Answers: context.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_platform_client.answers.shared import Abstained, Experiment, FastLane
from memory_platform_client.answers.vocabularies import (
    CandidateKind,
    CandidateLane,
    DecisionReason,
    GuardrailHit,
    Intent,
    MemorySignal,
    MemoryStanding,
    MessageRole,
    ModelRouteReason,
    ModelTier,
    Phase,
    PromptDegradedReason,
    SectionName,
    UseKind,
    Vendor,
)
from memory_platform_client.context_text import WholeText
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class Cache(Answer):
    """The stable prefix of the context, which a vendor can cache."""

    prefix_hash: str
    prefix_tokens: int
    breakpoints: list[int]


@dataclass(kw_only=True)
class CachedContent(Answer):
    """The part of the prompt that the vendor keeps."""

    name: str
    model: str
    tokens: int
    expires_at: datetime


@dataclass(kw_only=True)
class Candidate(Answer):
    """A memory, or a passage of a document, that was considered for the context."""

    memory_id: str
    lane: CandidateLane
    kind: CandidateKind
    candidate_score: float
    decision_reason: DecisionReason
    policy_version: str
    guardrail_hit: GuardrailHit | None
    context_position: int | None
    tokens: int
    explain: dict[str, Any] | None
    relevance: float | None
    threshold: float | None
    standing: MemoryStanding
    passage: CandidatePassage | None
    words: list[str] | None
    utilized: bool | None
    user_feedback_signal: MemorySignal | None


@dataclass(kw_only=True)
class CandidatePassage(Answer):
    """The place of a passage of a document."""

    document_id: str
    chunk_ids: list[str]
    position: int
    page: int | None
    start: int
    end: int


@dataclass(kw_only=True)
class ContextCitation(Answer):
    """A passage of a document that stands in the context."""

    document_id: str
    title: str
    heading_path: list[str]
    page: int | None
    url: str | None
    start: int
    end: int
    number: int
    memory_id: str
    relevance: float


@dataclass(kw_only=True)
class Context(WholeText):
    """A context for the model, and how it was made."""

    messages: list[PromptMessage]
    text: str
    sections: list[Section]
    tokens: Tokens
    intent: Intent | None
    phase: Phase | None
    model_route: ModelRoute | None
    cache: Cache
    prompt: Prompt | None
    citations: list[ContextCitation]
    abstained: Abstained | None
    receipt_id: str | None
    policy_version: str
    experiment: Experiment | None
    degraded_reason: str | None
    timings_ms: dict[str, float]


@dataclass(kw_only=True)
class MadeBy(Answer):
    """The versions of the software that made a context; null in receipts of release 1."""

    release: str | None
    clauses: str | None
    relevance: str | None


@dataclass(kw_only=True)
class ModelRoute(Answer):
    """The tier of model that this turn needs."""

    tier: ModelTier
    reason: ModelRouteReason


@dataclass(kw_only=True)
class Outcome(Answer):
    """The outcome of a context as it is known now."""

    utilised: list[Utilised]
    signals: list[Signal]
    fast_lane: list[FastLane]


@dataclass(kw_only=True)
class PromptMessage(Answer):
    """A message to send to the model."""

    role: MessageRole
    content: str | None
    name: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None


@dataclass(kw_only=True)
class Prompt(Answer):
    """The messages of a context in the form of a vendor's API."""

    vendor: Vendor
    body: dict[str, Any]
    cached_content: CachedContent | None
    degraded_reason: PromptDegradedReason | None


@dataclass(kw_only=True)
class Receipt(Answer):
    """The record of one context: candidates, sent messages and reasons."""

    receipt_id: str
    created_at: datetime
    subject_id: str
    conversation_id: str | None
    policy_version: str
    experiment: Experiment | None
    made_by: MadeBy
    intent: Intent | None
    phase: Phase | None
    model_route: ModelRoute | None
    sections: list[Section]
    tokens: Tokens
    prefix_hash: str
    abstained: Abstained | None
    degraded_reason: str | None
    query: str | None
    messages: list[PromptMessage] | None
    text: str | None
    candidates: list[Candidate]


@dataclass(kw_only=True)
class ReceiptSummary(Answer):
    """A receipt without its candidates and messages."""

    receipt_id: str
    created_at: datetime
    subject_id: str
    conversation_id: str | None
    policy_version: str
    experiment: Experiment | None
    made_by: MadeBy
    intent: Intent | None
    phase: Phase | None
    model_route: ModelRoute | None
    sections: list[Section]
    tokens: Tokens
    prefix_hash: str
    abstained: Abstained | None
    degraded_reason: str | None


@dataclass(kw_only=True)
class Section(Answer):
    """A section of the context."""

    name: SectionName
    tokens: int
    items: int
    dropped: int


@dataclass(kw_only=True)
class Signal(Answer):
    """How a memory was received."""

    memory_id: str
    signal: MemorySignal
    reason: str


@dataclass(kw_only=True)
class Tokens(Answer):
    """The tokens of a context."""

    total: int
    budget: int
    full_history: int
    saved_ratio: float
    counter: str


@dataclass(kw_only=True)
class Utilised(Answer):
    """A memory that the reply used."""

    memory_id: str
    how: UseKind
