"""Order the head of an answer by a reranker. The model is asked with no transaction open."""

from collections.abc import Sequence
from dataclasses import replace

from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.text import detect_language
from memory_platform.providers.config import RERANK, RerankConfig
from memory_platform.providers.contracts import Reranker
from snapshots.embedding.indexed_text import SpokenTurn, prepend_speaker, render_spoken_date
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.ranking.score_factors import DIGITS
from snapshots.recall.values import Explanation, RecalledMemory, RecallQuery


def widen_query_for_reranker(query: RecallQuery) -> RecallQuery:
    """Return the query for a reranker: a whole head of snapshots, each explained. Notes and replies stay as many."""
    notes_top_k = query.top_k if query.notes_top_k is None else query.notes_top_k
    return replace(query, top_k=max(query.top_k, RERANK.head), explain=True, notes_top_k=notes_top_k)


def trim_to_query(query: RecallQuery, memories: Sequence[RecalledMemory]) -> tuple[RecalledMemory, ...]:
    kept = memories[: query.top_k]
    return tuple(kept if query.explain else (replace(memory, explain=None) for memory in kept))


def drop_explanations(answer: RecallAnswer) -> RecallAnswer:
    notes = tuple(replace(note, memory=replace(note.memory, explain=None)) for note in answer.notes)
    return replace(answer, notes=notes, replies=tuple(replace(reply, explain=None) for reply in answer.replies))


def rerank_head(
    text: str, memories: Sequence[RecalledMemory], model: Reranker, config: RerankConfig = RERANK
) -> tuple[RecalledMemory, ...] | None:
    """Return ``memories`` with their head in the reranker's order; None when it is unavailable.

    The reranker's relevance replaces the semantic score. The tail stays behind the head.
    """
    head, tail = memories[: config.head], memories[config.head :]
    if not head or not text.strip():
        return tuple(memories)
    try:
        relevances = model.rerank(text, [render_for_reranker(memory) for memory in head])
    except Unavailable:
        return None
    read = [_apply_relevance(memory, relevance) for memory, relevance in zip(head, relevances, strict=True)]
    read.sort(key=lambda memory: -memory.score)
    least = read[-1].score
    return (*read, *(replace(memory, score=min(memory.score, least)) for memory in tail))


def render_for_reranker(memory: RecalledMemory) -> str:
    """Return a memory as a reranker reads it: ``[date] speaker: text``, the date in the text's language."""
    said = prepend_speaker(SpokenTurn(memory.text, memory.name))
    date = render_spoken_date(memory.said_locally, detect_language(memory.text))
    return f"[{date}] {said}" if date else said


def _apply_relevance(memory: RecalledMemory, relevance: float) -> RecalledMemory:
    why: Explanation | None = memory.explain
    if why is None:
        return replace(memory, score=relevance, relevance=relevance)
    read = round(relevance, DIGITS)
    explain = why._replace(reranked=round(read, DIGITS))
    return replace(memory, score=read * why.factors.product, relevance=read, explain=explain)
