"""A question to documents, and its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal
from uuid import UUID

from snapshots.knowledge.search.config import ANSWER_LIMITS
from snapshots.recall.filtering.filter_grammar import FilterNode
from snapshots.recall.values import DegradedReason

PassageOrder = Literal["relevance_first", "edges_first"]


class DocumentAbstainReason(StrEnum):
    """Why a search of documents answers nothing; the values are public."""

    NO_DOCUMENTS = "no_documents"
    NOTHING_FOUND = "nothing_found"
    NOTHING_RELEVANT = "nothing_relevant"


@dataclass(frozen=True, slots=True)
class DocumentScope:
    """Which documents a reader may find. ``collections``: None is all; documents of a collection with an access label
    are found only when ``access_labels`` names it."""

    collections: tuple[str, ...] | None = None
    access_labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """A question to the documents of ``scope`` that ``filter`` lets through. ``merged``: chunks that may become one
    passage."""

    text: str
    top_k: int = ANSWER_LIMITS.top_k
    filter: FilterNode | None = None
    scope: DocumentScope = DocumentScope()
    merged: int = ANSWER_LIMITS.merged
    order: PassageOrder = "relevance_first"
    min_relevance: float = ANSWER_LIMITS.min_relevance
    rerank: bool = False
    rewrite: bool = False
    explain: bool = False


@dataclass(frozen=True, slots=True)
class PassageCitation:
    """Where a passage stands. ``start`` and ``end`` are characters in the document's text."""

    document_id: str
    title: str
    heading_path: tuple[str, ...]
    page: int | None
    url: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PassageExplanation:
    """The place of a passage in each lane, from 1, with cosine and BM25; None where the lane did not bring it.
    ``coverage`` is the share of the question's rare words that it holds."""

    dense_rank: int | None
    dense_score: float
    keyword_rank: int | None
    keyword_score: float
    coverage: float
    fused: float
    reranked: float | None = None


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """One chunk of the document with the row ``document``, or several adjacent ones merged: ``chunk_ids``, and the
    ``position`` of the first."""

    document: UUID
    chunk_ids: tuple[UUID, ...]
    position: int
    text: str
    score: float
    relevance: float
    citation: PassageCitation
    explanation: PassageExplanation | None = None


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    """Passages in the order that was asked for; ``abstained`` says why there is none."""

    passages: Sequence[FoundPassage] = ()
    abstained: DocumentAbstainReason | None = None
    degraded: frozenset[DegradedReason] = frozenset()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
