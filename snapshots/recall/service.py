"""Recall as one call: the question is made ready with no transaction open, then one scope reads all lanes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from uuid import UUID

from django.conf import settings

from memory_platform.observability.metrics import MEMORY_HITS, RECALL_DEGRADED, RECALL_STAGE_SECONDS, RETRIEVAL_SECONDS
from memory_platform.providers.contracts import Reranker
from memory_platform.providers.registry import reranker
from profiles.held import subject_id_of
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.lanes import RecalledLanes, recall_lanes
from snapshots.recall.rerank import narrowed, rerank_head, widened
from snapshots.recall.search import Question, Stopwatch, prepare_question, recall_snapshots
from snapshots.recall.values import SNAPSHOTS, RecalledMemory, RecallQuery
from tenants.isolation import tenant_tx


@dataclass(frozen=True, slots=True)
class Recalled:
    """What the memory answers: snapshots best first, the other lanes, what was missing, and milliseconds by stage."""

    memories: tuple[RecalledMemory, ...] = ()
    lanes: RecalledLanes = field(default_factory=RecalledLanes)
    degraded: frozenset[DegradedReason] = frozenset()
    timings_ms: Mapping[str, float] = field(default_factory=dict)


def recall(tenant_id: UUID, subject_external_id: str, query: RecallQuery) -> Recalled:
    """Return what the subject's memory holds about ``query.text``; nothing for an unknown subject, which stays unknown.

    Opens the tenant's scope itself: models are asked before and after it, with no transaction open.
    """
    started = perf_counter()
    question = prepare_question(query.text)
    model = reranker(settings.RERANKER) if query.rerank else None
    with tenant_tx(tenant_id):
        subject_id = subject_id_of(subject_external_id)
        asked = widened(query) if model else query
        found = recall_in_scope(subject_id, asked, question) if subject_id else Recalled(degraded=question.degraded)
    searched = perf_counter() - started
    if model:
        found = reranked(query, found, model)
    total = perf_counter() - started
    spent = {"embed": question.embed_ms, "search": searched * 1000 - question.embed_ms, "total": total * 1000}
    if model:
        spent["rerank"] = (total - searched) * 1000
    count(found, total)
    return replace(found, timings_ms={stage: round(ms, 3) for stage, ms in spent.items()})


def reranked(query: RecallQuery, found: Recalled, model: Reranker) -> Recalled:
    """Return what was found in the reranker's order; without an answer in time as it was, which the answer says."""
    with (watch := Stopwatch()).stage("rerank"):
        memories = rerank_head(query.text, found.memories, model)
    degraded = found.degraded if memories is not None else found.degraded | {DegradedReason.RERANK_TIMEOUT}
    kept = narrowed(query, found.memories if memories is None else memories)
    return replace(found, memories=kept, degraded=degraded, timings_ms={**found.timings_ms, **watch.ms})


def recall_in_scope(subject_id: UUID, query: RecallQuery, question: Question) -> Recalled:
    """Return what a known subject's memory answers to a prepared question, in the open scope."""
    watch = Stopwatch()
    with watch.stage("lanes"):
        lanes = recall_lanes(subject_id, query)
    if SNAPSHOTS not in query.lanes:
        return Recalled(lanes=lanes, timings_ms={"embed": question.embed_ms, **watch.ms})
    result = recall_snapshots(subject_id, query, question)
    return Recalled(result.memories, lanes, result.degraded, {**result.timings_ms, **watch.ms})


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
    }
    for lane, number in hits.items():
        if number:
            MEMORY_HITS.labels(type=lane).inc(number)
