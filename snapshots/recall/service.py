"""The road of a recall, told once: make the question ready, search the memory, ask models for what they add.

Models are asked with no transaction open. The search takes as few round trips as there can be: one where this process
holds the image, else two. An image is brought up to date in the first, which most answers do without; the other brings
the state of the subject's memory with the lanes and the texts.
"""

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
from snapshots.recall.loading.current import Whose, in_scope, known_to_product
from snapshots.recall.loading.earlier import TURNS
from snapshots.recall.loading.metadata import with_metadata
from snapshots.recall.loading.past import held_at
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.ranking.pipeline import holds_any
from snapshots.recall.ranking.rerank import narrowed, rerank_head, unexplained, widened
from snapshots.recall.rewording.rewriting import reworded
from snapshots.recall.round_trip import BestHits, More, nothing_more, reading_of, statements_beside
from snapshots.recall.search import Question, Stopwatch, current_image, held_image, in_other_words, prepare_question
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
    found = answer_query(tenant_id, subject_external_id, asked, question)
    searched = perf_counter() - started
    if writer and SNAPSHOTS in query.lanes:
        found = reword_and_search(tenant_id, subject_external_id, asked, question, found, writer)
    if model:
        found = rerank_answer(query, found, model)
    missing = unconfigured(query, model, writer)
    found = replace(found, degraded=found.degraded | missing) if missing else found
    total = perf_counter() - started
    count_recall(found, total)
    own = {stage: found.timings_ms[stage] for stage in ("rewrite", "rerank") if stage in found.timings_ms}
    spent = {"embed": question.embed_ms, "search": searched * 1000 - question.embed_ms, **own, "total": total * 1000}
    timings = {stage: round(ms, 3) for stage, ms in spent.items()}
    return replace(found, timings_ms=timings, vectors=question.probe.vectors)


def unconfigured(query: RecallQuery, model: Reranker | None, writer: ChatModel | None) -> frozenset[DegradedReason]:
    """Return what the caller asked for and this installation, or its tenant's routes, has no model for."""
    lacking = (
        (query.rerank and model is None, DegradedReason.RERANK_UNCONFIGURED),
        (query.rewrite and writer is None, DegradedReason.REWRITE_UNCONFIGURED),
    )
    return frozenset(reason for is_lacking, reason in lacking if is_lacking)


def answer_query(tenant_id: UUID, external_id: str, query: RecallQuery, question: Question) -> Recalled:
    """Return what is remembered: snapshots, notes and replies in one read, the other lanes alone in one scope."""
    if query.searches:
        with TURNS.seat(query):
            return search_memory(known_to_product(tenant_id, external_id), query, question)
    with tenant_tx(tenant_id):
        subject_id = subject_id_of(external_id)
        if subject_id is None:
            return Recalled(degraded=question.degraded)
        return recall_in_scope(subject_id, query, question)


def search_memory(whose: Whose, query: RecallQuery, question: Question, more: More = nothing_more) -> Recalled:
    """Return what the subject's memory answers, as it is or as it was known then; nothing for an unknown subject.

    Where somebody writes in between, the image is brought up to date and asked again; where that does not end, the
    answer is that of a moment ago, without what is gone since. Where "yesterday" is another day by the subject's clock,
    which is read along, it is asked again, too.
    """
    watch, question = Stopwatch(), question.asked_at(query)
    with watch.stage("load"):
        loaded = held_image(whose, question.embedders) or current_image(whose, question.embedders)
    for left in reversed(range(DEFAULT_RECALL.asked_again + 1)):
        if loaded is None:
            break
        with watch.stage("load"):
            held = held_at(whose, loaded, question.embedders, query)
            asked = with_metadata(query, replace(whose, subject_id=loaded.subject_id), held.images, held.earlier)
        with watch.stage("rank"):
            said = held.images[SNAPSHOTS]
            question = question.about_known(said)
            scored = question.judge(query, said)
            ranked = question.rank(asked[SNAPSHOTS], scored, said) if SNAPSHOTS in query.lanes else []
            noted = question.rank_notes(asked[NOTES], held.images[NOTES], (said, scored)) if NOTES in asked else []
            replied = question.rank_replies(asked[REPLIES], held.images[REPLIES]) if REPLIES in asked else []
        best = BestHits([hit for hit in ranked if hit.left_out is None], noted, replied)
        with watch.stage("read"):
            besides = [*statements_beside(whose, loaded.subject_id, query, best), *more(loaded.subject_id, best)]
            read = reading_of(query, whose.run(besides), best, held.earlier)
        meant = question.meant_in(read.zone, query)
        if not left or (read.shows(loaded) and meant is question):
            spent = {"embed": question.embed_ms, **watch.ms}
            degraded = question.degraded | held.degraded
            found = Recalled(read.memories, read.lanes, degraded, spent, read.subject_id, read.state, read.more)
            return replace(
                found,
                left_out=tuple(ranked[len(best.hits) :]),
                notes=read.notes,
                replies=read.replies,
                needs=question.probe.needs,
                zone=read.zone,
                holds_any=any(holds_any(image.columns, query, question.policy) for image in held.images.values()),
            )
        query, question = query.read_in(read.zone), meant
        with watch.stage("load"):
            loaded = loaded if read.shows(loaded) else current_image(whose, question.embedders, loaded)
    return Recalled(degraded=question.degraded)


def recall_in_scope(subject_id: UUID, query: RecallQuery, question: Question) -> Recalled:
    """Return what a known subject's memory answers to a prepared question, in the open scope."""
    if query.searches:
        return search_memory(in_scope(subject_id), query, question)
    watch = Stopwatch()
    with watch.stage("lanes"):
        lanes = recall_lanes(subject_id, query)
    return Recalled(lanes=lanes, degraded=question.degraded, timings_ms={"embed": question.embed_ms, **watch.ms})


def reword_and_search(
    tenant_id: UUID, external_id: str, query: RecallQuery, question: Question, found: Recalled, model: ChatModel
) -> Recalled:
    """Return what all wordings find; without others in time what was ``found``, which the answer says."""
    with (watch := Stopwatch()).stage("rewrite"):
        others = reworded(query.text, model, passage=settings.REWRITE_PASSAGE)
        if others:
            found = answer_query(tenant_id, external_id, query, in_other_words(question, others))
    degraded = found.degraded if others is not None else found.degraded | {DegradedReason.REWRITE_TIMEOUT}
    return replace(found, degraded=degraded, timings_ms={**found.timings_ms, **watch.ms})


def rerank_answer(query: RecallQuery, found: Recalled, model: Reranker) -> Recalled:
    """Return what was found, the snapshots in the reranker's order.

    Without its answer in time they stay as they were, which the answer says. Notes and replies are not reranked.
    """
    with (watch := Stopwatch()).stage("rerank"):
        memories = rerank_head(query.text, found.memories, model)
    degraded = found.degraded if memories is not None else found.degraded | {DegradedReason.RERANK_TIMEOUT}
    kept = narrowed(query, found.memories if memories is None else memories)
    answer = found if query.explain else unexplained(found)
    return replace(answer, memories=kept, degraded=degraded, timings_ms={**found.timings_ms, **watch.ms})


def count_recall(found: Recalled, seconds: float) -> None:
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
