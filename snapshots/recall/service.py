"""Recall as one call: the question is made ready with no transaction open, then one scope reads all lanes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from uuid import UUID

from memory_platform.observability.metrics import MEMORY_HITS, RECALL_DEGRADED, RECALL_STAGE_SECONDS, RETRIEVAL_SECONDS
from profiles.held import subject_id_of
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.lanes import RecalledLanes, recall_lanes
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

    Opens the tenant's scope itself: the embedding model is asked before, with no transaction open.
    """
    started = perf_counter()
    question = prepare_question(query.text)
    with tenant_tx(tenant_id):
        subject_id = subject_id_of(subject_external_id)
        found = recall_in_scope(subject_id, query, question) if subject_id else Recalled(degraded=question.degraded)
    total = perf_counter() - started
    search_ms = round(total * 1000 - question.embed_ms, 3)
    timings = {"embed": question.embed_ms, "search": search_ms, "total": round(total * 1000, 3)}
    count(found, total)
    return Recalled(found.memories, found.lanes, found.degraded, timings)


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
