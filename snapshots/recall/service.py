"""Recall as one call: the question is made ready with no transaction open, then all lanes are read."""

from dataclasses import replace
from time import perf_counter
from uuid import UUID

from django.conf import settings

from memory_platform.observability.metrics import MEMORY_HITS, RECALL_DEGRADED, RECALL_STAGE_SECONDS, RETRIEVAL_SECONDS
from memory_platform.providers.contracts import ChatModel, Reranker
from memory_platform.providers.registry import reranker
from profiles.belief_queries import subject_id_of
from snapshots.recall.answer import Recalled
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.lanes import recall_lanes
from snapshots.recall.loading.current import in_scope, known_to_product
from snapshots.recall.loading.earlier import TURNS
from snapshots.recall.now import recall_of
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.ranking.rerank import narrowed, rerank_head, unexplained, widened
from snapshots.recall.rewording.rewriting import reworded
from snapshots.recall.search import Question, Stopwatch, in_other_words, prepare_question
from snapshots.recall.values import NOTES, REPLIES, SNAPSHOTS, RecallQuery
from tenants.isolation import tenant_tx
from tenants.services.usage.model_use import chat_for


def recall(
    tenant_id: UUID, subject_external_id: str, query: RecallQuery, policy: RecallPolicy = DEFAULT_RECALL
) -> Recalled:
    """Return what the subject's memory holds about ``query.text``; nothing for an unknown subject, which stays unknown.

    Opens the tenant's scopes itself: models are asked before and after them, with no transaction open.
    """
    started = perf_counter()
    question = prepare_question(query.text, policy, lanes=query.lanes)
    model = reranker(settings.RERANKER) if query.rerank else None
    writer = chat_for(tenant_id, "rewrite") if query.rewrite else None
    asked = widened(query) if model else query
    found = answered(tenant_id, subject_external_id, asked, question)
    searched = perf_counter() - started
    if writer and SNAPSHOTS in query.lanes:
        found = rewritten(tenant_id, subject_external_id, asked, question, found, writer)
    if model:
        found = reranked(query, found, model)
    total = perf_counter() - started
    count(found, total)
    own = {stage: found.timings_ms[stage] for stage in ("rewrite", "rerank") if stage in found.timings_ms}
    spent = {"embed": question.embed_ms, "search": searched * 1000 - question.embed_ms, **own, "total": total * 1000}
    timings = {stage: round(ms, 3) for stage, ms in spent.items()}
    return replace(found, timings_ms=timings, vectors=question.probe.vectors)


def answered(tenant_id: UUID, external_id: str, query: RecallQuery, question: Question) -> Recalled:
    """Return what is remembered: snapshots, notes and replies in one read, the other lanes alone in one scope."""
    if query.searches:
        with TURNS.seat(query):
            return recall_of(known_to_product(tenant_id, external_id), query, question)
    with tenant_tx(tenant_id):
        subject_id = subject_id_of(external_id)
        if subject_id is None:
            return Recalled(degraded=question.degraded)
        return recall_in_scope(subject_id, query, question)


def rewritten(
    tenant_id: UUID, external_id: str, query: RecallQuery, question: Question, found: Recalled, model: ChatModel
) -> Recalled:
    """Return what all wordings find; without others in time what was ``found``, which the answer says (R5)."""
    with (watch := Stopwatch()).stage("rewrite"):
        others = reworded(query.text, model, passage=settings.REWRITE_PASSAGE)
        if others:
            found = answered(tenant_id, external_id, query, in_other_words(question, others))
    degraded = found.degraded if others is not None else found.degraded | {DegradedReason.REWRITE_TIMEOUT}
    return replace(found, degraded=degraded, timings_ms={**found.timings_ms, **watch.ms})


def reranked(query: RecallQuery, found: Recalled, model: Reranker) -> Recalled:
    """Return what was found, the snapshots in the reranker's order.

    Without its answer in time they stay as they were, which the answer says. Notes and replies are not reranked.
    """
    with (watch := Stopwatch()).stage("rerank"):
        memories = rerank_head(query.text, found.memories, model)
    degraded = found.degraded if memories is not None else found.degraded | {DegradedReason.RERANK_TIMEOUT}
    kept = narrowed(query, found.memories if memories is None else memories)
    answer = found if query.explain else unexplained(found)
    return replace(answer, memories=kept, degraded=degraded, timings_ms={**found.timings_ms, **watch.ms})


def recall_in_scope(subject_id: UUID, query: RecallQuery, question: Question) -> Recalled:
    """Return what a known subject's memory answers to a prepared question, in the open scope."""
    if query.searches:
        return recall_of(in_scope(subject_id), query, question)
    watch = Stopwatch()
    with watch.stage("lanes"):
        lanes = recall_lanes(subject_id, query)
    return Recalled(lanes=lanes, degraded=question.degraded, timings_ms={"embed": question.embed_ms, **watch.ms})


def count(found: Recalled, seconds: float) -> None:
    """Put one recall into the metrics."""
    RETRIEVAL_SECONDS.observe(seconds)
    for stage, spent_ms in found.timings_ms.items():
        RECALL_STAGE_SECONDS.labels(stage=stage).observe(spent_ms / 1000)
    for reason in found.degraded:
        RECALL_DEGRADED.labels(reason=reason).inc()
    hits = {
        SNAPSHOTS: len(found.memories),
        "profile": len(found.lanes.beliefs.facts),
        "preferences": len(found.lanes.beliefs.preferences),
        "tags": len(found.lanes.meant),
        NOTES: len(found.notes),
        REPLIES: len(found.replies),
    }
    for lane, number in hits.items():
        if number:
            MEMORY_HITS.labels(type=lane).inc(number)
