"""How a question to documents is answered. The whole road, top-down.

Models are asked with no transaction open. No process keeps anything of a tenant's documents: a deleted one is gone for
every search that begins afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
from django.conf import settings

from memory_platform.kernel.errors import Unavailable
from memory_platform.postgres.prepared_statements import fetch_together
from memory_platform.providers.contracts import Reranker
from memory_platform.providers.registry import reranker
from snapshots.embedding.index_row_packing import Float32
from snapshots.knowledge.search.chunk_candidates import (
    ChunkCandidate,
    load_candidates,
    load_filtered_candidates,
    score_candidates,
)
from snapshots.knowledge.search.config import ANSWER_LIMITS, LANES_OF_DOCUMENTS, REWORDING
from snapshots.knowledge.search.dense_lane import build_cell_statement, rank_vectors
from snapshots.knowledge.search.document_question import DocumentQuestion, prepare_document_questions
from snapshots.knowledge.search.keyword_lane import build_word_statement, rank_words, weigh_terms_among
from snapshots.knowledge.search.lane_fusion import fuse_lanes
from snapshots.knowledge.search.passages import (
    RankedChunk,
    load_chunk_texts,
    make_passages,
    order_passages,
    replace_relevance,
)
from snapshots.knowledge.search.searched_parts import SearchedParts, find_searched_parts
from snapshots.knowledge.search.values import (
    DocumentAbstainReason,
    DocumentAnswer,
    DocumentQuery,
    FoundPassage,
    PassageExplanation,
)
from snapshots.recall.question import Stopwatch
from snapshots.recall.rewording.question_rewriting import rewrite_question
from snapshots.recall.values import DegradedReason
from tenants.isolation import tenant_tx
from tenants.services.usage.metered_chat import find_metered_chat


def search_documents(
    tenant_id: UUID, query: DocumentQuery, vectors: Mapping[str, Float32] | None = None
) -> DocumentAnswer:
    """Return the passages of the tenant's documents that answer ``query.text``. Opens its own scopes; models are asked
    before and between them. ``vectors``: the question's by embedding space, if it was embedded already."""
    watch = Stopwatch()
    texts, lacking = _list_wordings(tenant_id, query, watch)
    with watch.stage("parts"):
        parts = find_searched_parts(tenant_id, query.scope)
    if not parts.parts:
        return DocumentAnswer([], DocumentAbstainReason.NO_DOCUMENTS, lacking, watch.ms)
    with watch.stage("embed"):
        own = None if query.rewrite else vectors
        questions, degraded = prepare_document_questions(texts, vectors=own, spaces=parts.spaces)
    degraded |= lacking
    with tenant_tx(tenant_id):
        with watch.stage("search"):
            ranked = rank_documents(questions, query, parts)
        passages = [] if query.rerank else _read_passages(ranked, query, watch)
    if query.rerank:
        with watch.stage("rerank"):
            ranked, lacking = _rerank(tenant_id, query, ranked)
        degraded |= lacking
        with tenant_tx(tenant_id):
            passages = _read_passages(ranked, query, watch)
    return DocumentAnswer(
        order_passages(passages, query.order),
        None if passages else _find_abstain_reason(ranked),
        degraded,
        watch.ms,
    )


def rank_documents(
    questions: Sequence[DocumentQuestion], query: DocumentQuery, parts: SearchedParts
) -> list[RankedChunk]:
    """Return the candidates for a question and its other wordings, best first, in the open scope."""
    ranked = [rank_wording(one, query, parts) for one in questions]
    return ranked[0] if len(ranked) == 1 else _fuse_wordings(ranked)


def rank_wording(question: DocumentQuestion, query: DocumentQuery, parts: SearchedParts) -> list[RankedChunk]:
    """Return the candidates for one wording, best first."""
    if query.filter is not None:
        filtered = load_filtered_candidates(parts, query.filter)
        if filtered is not None:
            weights = weigh_terms_among([one.terms for one in filtered], question.terms)
            return _order_candidates(question, weights, filtered, query)
    depth = LANES_OF_DOCUMENTS.depth if query.filter is None else LANES_OF_DOCUMENTS.filtered_depth
    spaces = list(question.vectors.items())
    words, *cells = fetch_together(
        [
            build_word_statement(question.terms, parts),
            *(build_cell_statement(space, vector, parts) for space, vector in spaces),
        ]
    )
    hits = rank_words(words, question.terms, parts.chunks, depth=depth)
    near = [
        one for (_, vector), rows in zip(spaces, cells, strict=True) for one in rank_vectors(rows, vector, depth=depth)
    ]
    return _order_candidates(question, hits.term_weights, load_candidates(hits.places, near, query.filter), query)


def _order_candidates(
    question: DocumentQuestion,
    term_weights: Mapping[int, float],
    candidates: Sequence[ChunkCandidate],
    query: DocumentQuery,
) -> list[RankedChunk]:
    if not candidates:
        return []
    scores = score_candidates(candidates, term_weights, question)
    fused = fuse_lanes(scores, is_chinese=question.is_chinese)
    found = (scores.keyword > 0) | (scores.cosine > 0)
    order = [i for i in np.argsort(-fused.fused, kind="stable").tolist() if found[i]]
    return [
        RankedChunk(
            candidates[i].chunk_id,
            float(fused.fused[i]),
            float(fused.relevance[i]),
            PassageExplanation(
                _to_rank(fused.dense_ranks[i]),
                float(scores.cosine[i]),
                _to_rank(fused.keyword_ranks[i]),
                float(scores.keyword[i]),
                float(scores.coverage[i]),
                float(fused.fused[i]),
            )
            if query.explain
            else None,
        )
        for i in order
    ]


def _to_rank(rank: float) -> int | None:
    return int(rank) if np.isfinite(rank) else None


def _list_wordings(
    tenant_id: UUID, query: DocumentQuery, watch: Stopwatch
) -> tuple[list[str], frozenset[DegradedReason]]:
    """Return the question and, on request, other wordings of it by a chat model, an imagined answer among them."""
    if not query.rewrite:
        return [query.text], frozenset()
    model = find_metered_chat(tenant_id, "rewrite")
    if model is None:
        return [query.text], frozenset({DegradedReason.REWRITE_UNCONFIGURED})
    with watch.stage("rewrite"):
        others = rewrite_question(query.text, model, passage=settings.REWRITE_PASSAGE)
    missing = frozenset({DegradedReason.REWRITE_TIMEOUT}) if others is None else frozenset[DegradedReason]()
    return [query.text, *(others or ())], missing


def _fuse_wordings(ranked: Sequence[Sequence[RankedChunk]]) -> list[RankedChunk]:
    """Return all chunks by their reciprocal ranks, the question's own words weighing most."""
    scores: dict[UUID, float] = {}
    best: dict[UUID, RankedChunk] = {}
    for wording, chunks in enumerate(ranked):
        weight = REWORDING.other_words if wording else REWORDING.own_words
        for rank, one in enumerate(chunks, 1):
            scores[one.chunk_id] = scores.get(one.chunk_id, 0.0) + weight / (REWORDING.rank_k + rank)
            held = best.setdefault(one.chunk_id, one)
            if one.relevance > held.relevance:
                best[one.chunk_id] = one
    fused = [replace(one, score=scores[chunk]) for chunk, one in best.items()]
    return sorted(fused, key=lambda one: -one.score)


def _rerank(
    tenant_id: UUID, query: DocumentQuery, ranked: Sequence[RankedChunk]
) -> tuple[list[RankedChunk], frozenset[DegradedReason]]:
    """Return the head in the reranker's order, without the rest; as it is if there is none or it does not answer."""
    model: Reranker | None = reranker(settings.RERANKER)
    if model is None:
        return list(ranked), frozenset({DegradedReason.RERANK_UNCONFIGURED})
    head = ranked[: ANSWER_LIMITS.reranked]
    with tenant_tx(tenant_id):
        texts = load_chunk_texts([one.chunk_id for one in head])
    head = [one for one in head if one.chunk_id in texts]
    if not head or not query.text.strip():
        return list(ranked), frozenset()
    try:
        relevances = model.rerank(query.text, [texts[one.chunk_id].text for one in head])
    except Unavailable:
        return list(ranked), frozenset({DegradedReason.RERANK_TIMEOUT})
    read = [replace_relevance(one, float(new)) for one, new in zip(head, relevances, strict=True)]
    return sorted(read, key=lambda one: -one.score), frozenset()


def _read_passages(ranked: Sequence[RankedChunk], query: DocumentQuery, watch: Stopwatch) -> list[FoundPassage]:
    with watch.stage("read"):
        chosen = [one for one in ranked if one.relevance >= query.min_relevance][: query.top_k * query.merged]
        return make_passages(chosen, load_chunk_texts([one.chunk_id for one in chosen]), query.top_k, query.merged)


def _find_abstain_reason(ranked: Sequence[RankedChunk]) -> DocumentAbstainReason:
    return DocumentAbstainReason.NOTHING_RELEVANT if ranked else DocumentAbstainReason.NOTHING_FOUND
