"""How a question is answered: prepare it, read and rank the memory, ask models for more. The whole road, top-down.

Models are asked with no transaction open. An answer takes one round trip to Postgres where this process holds the
image of the memory, else two: the first brings the image up to date, the other reads the memory's state with the texts
and the lanes. Texts come from Postgres under row-level security in any case: no image can show one tenant's words to
another.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from uuid import UUID

from django.conf import settings

from memory_platform.kernel.text import beginning
from memory_platform.observability.metrics import MEMORY_HITS, RECALL_DEGRADED, RECALL_STAGE_SECONDS, RETRIEVAL_SECONDS
from memory_platform.postgres.prepared import Rows, Statement
from memory_platform.providers.contracts import ChatModel, Reranker
from memory_platform.providers.registry import reranker
from profiles.belief_queries import (
    Beliefs,
    HeldBeliefs,
    beliefs_held,
    beliefs_of,
    beliefs_statement,
    subject_id_of,
    tags_held,
    tags_of,
    tags_statement,
)
from profiles.models import Tag
from profiles.services.tags.lookup import lookup_tags
from snapshots.embedding.versions import HeldThen
from snapshots.recall.answer import Recalled, RecalledLanes
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.images.image import Image
from snapshots.recall.loading.cache import find_cached_image, load_current_image
from snapshots.recall.loading.current import (
    STATE,
    Whose,
    in_scope,
    known_to_product,
    state_of,
    zone_of_rows,
    zone_statement,
)
from snapshots.recall.loading.earlier import TURNS
from snapshots.recall.loading.metadata import with_metadata
from snapshots.recall.loading.past import held_at
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.question import Question, Stopwatch, add_wordings, prepare_question
from snapshots.recall.ranking.pipeline import held_rows, judge_memories, rank_apart, rank_judged, rank_replies
from snapshots.recall.ranking.relevance import raise_need
from snapshots.recall.ranking.rerank import narrowed, rerank_head, unexplained, widened
from snapshots.recall.rewording.rewriting import reworded
from snapshots.recall.rewording.wordings import rank_wordings
from snapshots.recall.texts import notes_of, notes_statement, texts_of, texts_statement
from snapshots.recall.values import NOTES, REPLIES, SNAPSHOTS, RankedHit, RecallQuery
from tenants.isolation import tenant_tx
from tenants.services.usage.model_use import chat_for


@dataclass(frozen=True, slots=True)
class BestHits:
    """The best memories of each lane that is ranked, and those that the answer leaves out."""

    hits: Sequence[RankedHit]
    noted: Sequence[RankedHit]
    replied: Sequence[RankedHit]
    left_out: Sequence[RankedHit] = ()


# The statements of a caller that are run in the same round trip as the texts of the best memories.
More = Callable[[UUID, BestHits], Sequence[Statement]]


def recall(
    tenant_id: UUID, subject_external_id: str, query: RecallQuery, policy: RecallPolicy = DEFAULT_RECALL
) -> Recalled:
    """Return the answer of the subject's memory to ``query.text``; an empty one for an unknown subject.

    Opens the tenant's scopes itself; models are asked before and after them.
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
    missing = {
        DegradedReason.RERANK_UNCONFIGURED: query.rerank and model is None,
        DegradedReason.REWRITE_UNCONFIGURED: query.rewrite and writer is None,
    }
    found = replace(found, degraded=found.degraded.union(reason for reason, lacks in missing.items() if lacks))
    total = perf_counter() - started
    count_recall(found, total)
    own = {stage: found.timings_ms[stage] for stage in ("rewrite", "rerank") if stage in found.timings_ms}
    spent = {"embed": question.embed_ms, "search": searched * 1000 - question.embed_ms, **own, "total": total * 1000}
    timings = {stage: round(ms, 3) for stage, ms in spent.items()}
    return replace(found, timings_ms=timings, vectors=question.probe.vectors)


def answer_query(tenant_id: UUID, external_id: str, query: RecallQuery, question: Question) -> Recalled:
    """Return the answer without rewriting and reranking."""
    if query.searches:
        with TURNS.seat(query):
            return search_memory(known_to_product(tenant_id, external_id), query, question)
    with tenant_tx(tenant_id):
        subject_id = subject_id_of(external_id)
        if subject_id is None:
            return Recalled(degraded=question.degraded)
        return recall_in_scope(subject_id, query, question)


def recall_in_scope(subject_id: UUID, query: RecallQuery, question: Question) -> Recalled:
    """Return the answer of a known subject's memory to a prepared question, in the open scope."""
    if query.searches:
        return search_memory(in_scope(subject_id), query, question)
    watch, wanted = Stopwatch(), wanted_beliefs(query)
    with watch.stage("lanes"):
        tags = tags_held(subject_id, as_of=query.as_of, known_at=query.known_at) if "tags" in query.lanes else ()
        beliefs = HeldBeliefs()
        if wanted.facts or wanted.preferences:
            both = {"facts": wanted.facts, "preferences": wanted.preferences}
            beliefs = beliefs_held(subject_id, as_of=query.as_of, known_at=query.known_at, **both)
        lanes = lanes_of(query, beliefs, tags)
    return Recalled(lanes=lanes, degraded=question.degraded, timings_ms={"embed": question.embed_ms, **watch.ms})


def search_memory(
    whose: Whose, query: RecallQuery, question: Question, more: More = lambda _subject_id, _best: ()
) -> Recalled:
    """Return the answer of the subject's memory as it is, or as it was at ``query.known_at``.

    When somebody writes meanwhile, the image is brought up to date and ranked again; after the last try the answer is
    that of a moment ago, without what is gone since. It is also ranked again when the subject's time zone, which is
    read along, gives "yesterday" another day.
    """
    watch, question = Stopwatch(), question.asked_at(query.text, query.read_at)
    with watch.stage("load"):
        loaded = find_cached_image(whose, question.embedders) or load_current_image(whose, question.embedders)
    for left in reversed(range(DEFAULT_RECALL.asked_again + 1)):
        if loaded is None:
            break
        with watch.stage("load"):
            held = held_at(whose, loaded, question.embedders, query)
            asked = with_metadata(query, replace(whose, subject_id=loaded.subject_id), held.images, held.earlier)
        with watch.stage("rank"):
            question = replace(question, probe=raise_need(question.probe, held.images[SNAPSHOTS]))
            best = rank_lanes(question, asked, held.images)
        with watch.stage("read"):
            besides = [*statements_beside(whose, loaded.subject_id, query, best), *more(loaded.subject_id, best)]
            found = answer_of(query, whose.run(besides), best, held.earlier)
        is_current = (found.subject_id, found.state) == (loaded.subject_id, loaded.state)
        local = query.read_in(found.zone)
        meant = question if local is query else question.asked_at(query.text, local.read_at)
        if not left or (is_current and meant is question):
            skew = question.policy.clock_skew_seconds
            return replace(
                found,
                degraded=question.degraded | held.degraded,
                timings_ms={"embed": question.embed_ms, **watch.ms},
                needs=question.probe.needs,
                holds_any=any(held_rows(one.columns, query, skew=skew).any() for one in held.images.values()),
            )
        query, question = local, meant
        with watch.stage("load"):
            loaded = loaded if is_current else load_current_image(whose, question.embedders, loaded)
    return Recalled(degraded=question.degraded)


def rank_lanes(question: Question, asked: Mapping[str, RecallQuery], images: Mapping[str, Image]) -> BestHits:
    """Return the best memories of each lane; ``asked`` holds the query by lane, with its filter on metadata read."""
    query, said = asked[SNAPSHOTS], images[SNAPSHOTS]
    probe, policy = question.probe, question.policy
    # Statements are judged in any case: notes are as relevant as their messages.
    scored = judge_memories(query, probe, said, policy)
    ranked: list[RankedHit] = []
    if SNAPSHOTS in query.lanes and question.others:
        ranked = rank_wordings(query, scored, question.others, said, policy)
    elif SNAPSHOTS in query.lanes:
        ranked = rank_judged(query, scored, said, policy)
    hits = [hit for hit in ranked if hit.left_out is None]
    noted = rank_apart(asked[NOTES], probe, images[NOTES], policy, said=(said, scored)) if NOTES in asked else []
    replied = rank_replies(asked[REPLIES], probe, images[REPLIES], policy) if REPLIES in asked else []
    return BestHits(hits, noted, replied, ranked[len(hits) :])


def statements_beside(whose: Whose, subject_id: UUID, query: RecallQuery, best: BestHits) -> Sequence[Statement]:
    """Return the statements that read an answer beside the images; :func:`answer_of` reads their rows."""
    beliefs = wanted_beliefs(query)
    notes = [notes_statement(whose.tenant_id, subject_id, best.noted)] if NOTES in query.lanes else []
    return (
        whose.statement(STATE),
        zone_statement(whose.tenant_id, subject_id),
        beliefs_statement(whose.tenant_id, subject_id, beliefs),
        tags_statement(whose.tenant_id, subject_id, beliefs),
        texts_statement(whose.tenant_id, subject_id, [*best.hits, *best.replied], query.sources_within),
        *notes,
    )


def answer_of(query: RecallQuery, found: Sequence[Rows], best: BestHits, earlier: Mapping[UUID, HeldThen]) -> Recalled:
    """Return the rows of :func:`statements_beside`, and of the caller's own statements after them, as an answer."""
    state, zone, beliefs, tags, texts, *more = found
    notes = notes_of(more.pop(0), best.noted, earlier) if NOTES in query.lanes else ()
    memories, replies = texts_of(texts, best.hits, earlier), texts_of(texts, best.replied, earlier, lane=REPLIES)
    subject_id, memory_state = state_of(state)
    return Recalled(
        memories=memories,
        notes=notes,
        replies=replies,
        left_out=tuple(best.left_out),
        subject_id=subject_id,
        state=memory_state,
        zone=zone_of_rows(zone),
        lanes=lanes_of(query, beliefs_of(beliefs), tags_of(tags)),
        more=tuple(more),
    )


def wanted_beliefs(query: RecallQuery) -> Beliefs:
    facts, preferences = "profile" in query.lanes, "preferences" in query.lanes
    return Beliefs(query.as_of, query.known_at, facts=facts, preferences=preferences)


def lanes_of(query: RecallQuery, beliefs: HeldBeliefs, tags: tuple[Tag, ...]) -> RecalledLanes:
    if "tags" not in query.lanes or not tags:
        return RecalledLanes(beliefs=beliefs)
    meant = lookup_tags(beginning(query.text, DEFAULT_RECALL.tag_question_chars), tags)
    return RecalledLanes(beliefs=beliefs, tags=tags, meant=tuple(meant))


def reword_and_search(
    tenant_id: UUID, external_id: str, query: RecallQuery, question: Question, found: Recalled, model: ChatModel
) -> Recalled:
    """Return the merged results of all wordings. If rewriting times out, return the original results."""
    with (watch := Stopwatch()).stage("rewrite"):
        others = reworded(query.text, model, passage=settings.REWRITE_PASSAGE)
        if others:
            found = answer_query(tenant_id, external_id, query, add_wordings(question, others))
    degraded = found.degraded if others is not None else found.degraded | {DegradedReason.REWRITE_TIMEOUT}
    return replace(found, degraded=degraded, timings_ms={**found.timings_ms, **watch.ms})


def rerank_answer(query: RecallQuery, found: Recalled, model: Reranker) -> Recalled:
    """Return the snapshots in the reranker's order. If it times out, they keep theirs; notes and replies always do."""
    with (watch := Stopwatch()).stage("rerank"):
        memories = rerank_head(query.text, found.memories, model)
    degraded = found.degraded if memories is not None else found.degraded | {DegradedReason.RERANK_TIMEOUT}
    kept = narrowed(query, found.memories if memories is None else memories)
    answer = found if query.explain else unexplained(found)
    return replace(answer, memories=kept, degraded=degraded, timings_ms={**found.timings_ms, **watch.ms})


def count_recall(found: Recalled, seconds: float) -> None:
    """Record one recall in the metrics."""
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
