"""Answers: knowledge.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_platform_client.answers.shared import PassageCitation
from memory_platform_client.answers.vocabularies import (
    DocumentAbstainedReason,
    DocumentStatus,
    DocumentVerdict,
    FactDifferenceKind,
    Judge,
)
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class Chunk(Answer):
    """A piece of a document that searches find and citations name."""

    chunk_id: str
    position: int
    text: str
    heading_path: list[str]
    page: int | None
    start: int
    end: int
    tokens: int


@dataclass(kw_only=True)
class Collection(Answer):
    """A collection of documents."""

    collection_id: str
    access_label: str | None
    created_at: datetime


@dataclass(kw_only=True)
class DocumentAbstained(Answer):
    """The reason why an answer has no passage."""

    reason: DocumentAbstainedReason


@dataclass(kw_only=True)
class DocumentError(Answer):
    """Why the newest upload could not be processed."""

    code: str
    detail: str


@dataclass(kw_only=True)
class Document(Answer):
    """A document."""

    document_id: str
    title: str
    content_type: str
    source_url: str | None
    metadata: dict[str, Any]
    collection: str | None
    status: DocumentStatus
    error: DocumentError | None
    job_id: str | None
    bytes: int
    chunk_count: int
    created_at: datetime
    updated_at: datetime
    indexed_at: datetime | None


@dataclass(kw_only=True)
class DocumentSearch(Answer):
    """Passages that answer a question."""

    chunks: list[Passage]
    abstained: DocumentAbstained | None
    degraded_reason: str | None
    timings_ms: dict[str, float]


@dataclass(kw_only=True)
class DocumentText(Answer):
    """Part of a document's text."""

    document_id: str
    title: str
    url: str | None
    content_type: str
    metadata: dict[str, Any]
    characters: int
    start: int
    end: int
    text: str


@dataclass(kw_only=True)
class DocumentWithChunks(Answer):
    """A document with a page of its chunks."""

    document_id: str
    title: str
    content_type: str
    source_url: str | None
    metadata: dict[str, Any]
    collection: str | None
    status: DocumentStatus
    error: DocumentError | None
    job_id: str | None
    bytes: int
    chunk_count: int
    created_at: datetime
    updated_at: datetime
    indexed_at: datetime | None
    chunks: list[Chunk]
    next_cursor: str | None


@dataclass(kw_only=True)
class FactDifference(Answer):
    """What a sentence says otherwise than the passage."""

    kind: FactDifferenceKind
    sentence_words: str
    document_words: str


@dataclass(kw_only=True)
class GroundedSentence(Answer):
    """A sentence of the text, and the passage that comes nearest to it."""

    text: str
    start: int
    end: int
    supported: bool
    support: float
    judge: Judge
    citation: PassageCitation | None
    quote: str
    differences: list[FactDifference]


@dataclass(kw_only=True)
class Grounding(Answer):
    """The sentences of a text, each checked against the tenant's documents."""

    sentences: list[GroundedSentence]
    left_out: int
    checked_until: int
    degraded_reason: str | None
    timings_ms: dict[str, float]


@dataclass(kw_only=True)
class PassageExplanation(Answer):
    """Why a passage has its place."""

    dense_rank: int | None
    dense_score: float
    keyword_rank: int | None
    keyword_score: float
    coverage: float
    fused: float
    reranked: float | None


@dataclass(kw_only=True)
class Passage(Answer):
    """A passage of a document: one chunk, or adjacent ones merged."""

    document_id: str
    title: str
    chunk_ids: list[str]
    text: str
    position: int
    score: float
    relevance: float
    citation: PassageCitation
    explain: PassageExplanation | None


@dataclass(kw_only=True)
class WrittenDocument(Answer):
    """A document after an upload, which a job processes."""

    document_id: str
    title: str
    content_type: str
    source_url: str | None
    metadata: dict[str, Any]
    collection: str | None
    status: DocumentStatus
    error: DocumentError | None
    job_id: str
    bytes: int
    chunk_count: int
    created_at: datetime
    updated_at: datetime
    indexed_at: datetime | None
    verdict: DocumentVerdict
