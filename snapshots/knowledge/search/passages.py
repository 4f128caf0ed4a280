"""Passages with their citations: the texts of the best chunks, adjacent ones merged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from uuid import UUID

from memory_platform.postgres.prepared_statements import fetch_prepared
from snapshots.knowledge.search.config import ANSWER_LIMITS
from snapshots.knowledge.search.values import FoundPassage, PassageCitation, PassageExplanation, PassageOrder
from tenants.isolation import current_tenant_id

LOAD_CHUNKS = """
SELECT c.id, c.document_id, c.position, c.text, c.start, c."end", c.heading_path, c.page, d.external_id,
  coalesce(d.answering ->> 'title', nullif(d.title, ''), nullif(d.found_title, ''), d.external_id),
  coalesce(d.answering ->> 'source_url', d.source_url)
FROM unnest($2::uuid[]) AS w(id)
JOIN document_chunk c ON c.tenant_id = $1::uuid AND c.id = w.id
JOIN document d ON d.tenant_id = c.tenant_id AND d.id = c.document_id
"""


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk with its scores."""

    chunk_id: UUID
    score: float
    relevance: float
    explanation: PassageExplanation | None = None


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as it is cited."""

    id: UUID
    document: UUID
    position: int
    text: str
    start: int
    end: int
    heading_path: tuple[str, ...]
    page: int | None
    external_id: str
    title: str
    url: str


def load_chunk_texts(chunk_ids: Sequence[UUID]) -> dict[UUID, ChunkText]:
    """Return the chunks that are still there, in the open scope."""
    rows = fetch_prepared(LOAD_CHUNKS, [current_tenant_id(), list(chunk_ids)])
    return {row[0]: ChunkText(*(*row[:6], tuple(row[6]), *row[7:])) for row in rows}


def make_passages(
    ranked: Sequence[RankedChunk], texts: dict[UUID, ChunkText], top_k: int, merged: int = ANSWER_LIMITS.merged
) -> list[FoundPassage]:
    """Return at most ``top_k`` passages, best first. A chunk beside a better one of its document joins that, up to
    ``merged`` of them."""
    groups: list[list[tuple[RankedChunk, ChunkText]]] = []
    for one in ranked:
        text = texts.get(one.chunk_id)
        if text is None:  # deleted meanwhile
            continue
        beside = next((group for group in groups if _is_beside(group, text) and len(group) < merged), None)
        if beside is not None:
            beside.append((one, text))
        elif len(groups) < top_k:
            groups.append([(one, text)])
    return [_merge_chunks_of(group) for group in groups]


def order_passages(passages: Sequence[FoundPassage], order: PassageOrder) -> list[FoundPassage]:
    """Return passages best first, or with the best at both ends, where models read most closely (Liu et al., "Lost in
    the Middle", TACL 2024)."""
    if order == "relevance_first":
        return list(passages)
    return [*passages[::2], *reversed(passages[1::2])]


def _is_beside(group: Sequence[tuple[RankedChunk, ChunkText]], text: ChunkText) -> bool:
    return any(held.document == text.document and abs(held.position - text.position) == 1 for _, held in group)


def _merge_chunks_of(group: Sequence[tuple[RankedChunk, ChunkText]]) -> FoundPassage:
    best, ordered = group[0][0], sorted((text for _, text in group), key=lambda one: one.position)
    first, last = ordered[0], ordered[-1]
    return FoundPassage(
        document=first.document,
        chunk_ids=tuple(one.id for one in ordered),
        position=first.position,
        text=_join_texts(ordered),
        score=best.score,
        relevance=best.relevance,
        citation=PassageCitation(
            first.external_id,
            first.title,
            _find_common_path([one.heading_path for one in ordered]),
            first.page,
            first.url,
            first.start,
            last.end,
        ),
        explanation=best.explanation,
    )


def _join_texts(chunks: Sequence[ChunkText]) -> str:
    """Return the texts of adjacent chunks, each character of the document once."""
    joined = chunks[0].text
    for before, after in pairwise(chunks):
        overlap = max(before.end - after.start, 0)
        is_plain = len(after.text) == after.end - after.start  # a repeated table header stands in no span
        joined += after.text[overlap:] if is_plain and overlap else f"\n\n{after.text}"
    return joined


def _find_common_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(_take_common(paths))


def _take_common(paths: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            return
        yield parts[0]


def replace_relevance(one: RankedChunk, relevance: float) -> RankedChunk:
    """Return the chunk with a reranker's relevance in place of its own."""
    why = one.explanation and replace(one.explanation, reranked=relevance)
    return replace(one, score=relevance, relevance=relevance, explanation=why)
