"""How a question is answered: prepare it, read and rank the memory, ask models for more. The whole road, top-down.

Models are asked with no transaction open. An answer takes two round trips to Postgres: the first brings the index of
the memory up to date, the other reads the memory's state with the texts and the lanes. Texts come from Postgres under
row-level security in any case: no index can show one tenant's words to another.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from uuid import UUID

from django.conf import settings

from memory_platform.observability.metrics import (
    MEMORY_HITS,
    MEMORY_MISSES,
    RECALL_DEGRADED,
    RECALL_STAGE_SECONDS,
    RETRIEVAL_SECONDS,
)
from memory_platform.observability.tracing import DEGRADED, RECORDS, SEARCH, STORE, TENANT, open_memory_span
from memory_platform.postgres.prepared_statements import Statement
from memory_platform.providers.contracts import ChatModel, Reranker
from memory_platform.providers.registry import reranker
from profiles.belief_queries import (
    BeliefRows,
    find_subject_id,
    load_beliefs,
    load_tags,
)
from snapshots.recall.answer import (
    BestHits,
    RecallAnswer,
    build_answer_statements,
    build_belief_query,
    build_lane_answers,
    parse_answer,
)
from snapshots.recall.config import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.loading.load_stored_memory import (
    SubjectReader,
    make_reader_by_product_id,
    make_reader_in_scope,
)
from snapshots.recall.loading.loaded_indexes import find_cached_index, load_current_index
from snapshots.recall.loading.metadata_filters import resolve_metadata_conditions
from snapshots.recall.loading.past_index_limits import TURNS
from snapshots.recall.loading.past_indexes import load_indexes_at
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import RecallQuestion, Stopwatch, add_wordings, prepare_question
from snapshots.recall.ranking.memory_ranking import (
    find_valid_rows,
    rank_notes_or_replies,
    rank_replies,
    rank_scored_snapshots,
    score_all_rows,
)
from snapshots.recall.ranking.memory_relevance import raise_need_for_known_name
from snapshots.recall.ranking.rerank import drop_explanations, rerank_head, trim_to_query, widen_query_for_reranker
from snapshots.recall.rewording.question_rewriting import rewrite_question
from snapshots.recall.rewording.wording_fusion import rank_wordings
from snapshots.recall.values import NOTES, REPLIES, SNAPSHOTS, DegradedReason, RankedHit, RecallQuery, join_reasons
from tenants.isolation import tenant_tx
from tenants.services.usage.metered_chat import find_metered_chat

# The statements of a caller that are run in the same round trip as the texts of the best memories.
ExtraStatements = Callable[[UUID, BestHits], Sequence[Statement]]


def recall(
    tenant_id: UUID, subject_external_id: str, query: RecallQuery, policy: RecallPolicy = DEFAULT_RECALL
) -> RecallAnswer:
    """Return the answer of the subject's memory to ``query.text``; an empty one for an unknown subject. Opens the
    tenant's scopes itself; models are asked before and after them."""
    with open_memory_span(SEARCH) as span:
        found = _recall(tenant_id, subject_external_id, query, policy)
        span.describe(describe_answer(tenant_id, found))
    return found


def describe_answer(tenant_id: UUID, answer: RecallAnswer) -> dict[str, object]:
    """Return the attributes of an answer for a trace."""
    count = sum(map(len, (answer.memories, answer.notes, answer.replies)))
    return {TENANT: tenant_id, STORE: answer.subject_id, RECORDS: count, DEGRADED: join_reasons(answer.degraded)}


def _recall(tenant_id: UUID, subject_external_id: str, query: RecallQuery, policy: RecallPolicy) -> RecallAnswer:
    started = perf_counter()
    question = prepare_question(query.text, policy, lanes=query.lanes)
    model = reranker(settings.RERANKER) if query.rerank else None
    writer = find_metered_chat(tenant_id, "rewrite") if query.rewrite else None
    asked = widen_query_for_reranker(query) if model else query
    found = search_original_question(tenant_id, subject_external_id, asked, question)
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
    count_recall(found, query.lanes, total)
    own = {stage: found.timings_ms[stage] for stage in ("rewrite", "rerank") if stage in found.timings_ms}
    spent = {"embed": question.embed_ms, "search": searched * 1000 - question.embed_ms, **own, "total": total * 1000}
    timings = {stage: round(ms, 3) for stage, ms in spent.items()}
    return replace(found, timings_ms=timings, vectors=question.probe.vectors)


def search_original_question(
    tenant_id: UUID, external_id: str, query: RecallQuery, question: RecallQuestion
) -> RecallAnswer:
    """Return the answer without rewriting and reranking."""
    if query.searches_index:
        with TURNS.hold_slot(query):
            return search_memory(make_reader_by_product_id(tenant_id, external_id), query, question)
    with tenant_tx(tenant_id):
        subject_id = find_subject_id(external_id)
        if subject_id is None:
            return RecallAnswer(degraded=question.degraded)
        return recall_in_scope(subject_id, query, question)


def recall_in_scope(subject_id: UUID, query: RecallQuery, question: RecallQuestion) -> RecallAnswer:
    """Return the answer of a known subject's memory to a prepared question, in the open scope."""
    if query.searches_index:
        return search_memory(make_reader_in_scope(subject_id), query, question)
    watch, wanted = Stopwatch(), build_belief_query(query)
    with watch.stage("lanes"):
        tags = load_tags(subject_id, as_of=query.as_of, known_at=query.known_at) if "tags" in query.lanes else ()
        beliefs = BeliefRows()
        if wanted.facts or wanted.preferences:
            both = {"facts": wanted.facts, "preferences": wanted.preferences}
            beliefs = load_beliefs(subject_id, as_of=query.as_of, known_at=query.known_at, **both)
        lanes = build_lane_answers(query, beliefs, tags)
    timings = {"embed": question.embed_ms, **watch.ms}
    return RecallAnswer(lanes=lanes, degraded=question.degraded, timings_ms=timings, subject_id=subject_id)


def search_memory(
    reader: SubjectReader,
    query: RecallQuery,
    question: RecallQuestion,
    more: ExtraStatements = lambda _subject_id, _best: (),
) -> RecallAnswer:
    """Return the answer of the subject's memory as it is, or as it was at ``query.known_at``.

    After a concurrent write, the index is updated and ranked again; the last try returns its answer as it is, without
    memories that are gone since. The index is also ranked again when the subject's time zone, which is read along,
    gives "yesterday" another day.
    """
    watch, question = Stopwatch(), question.resolve_times_at(query.text, query.read_at)
    with watch.stage("load"):
        cached = find_cached_index(reader, question.embedders)
        loaded = load_current_index(reader, question.embedders, cached)
    for left in reversed(range(DEFAULT_RECALL.asked_again + 1)):
        if loaded is None:
            break
        with watch.stage("load"):
            held = load_indexes_at(reader, loaded, question.embedders, query)
            asked = resolve_metadata_conditions(
                query, replace(reader, subject_id=loaded.subject_id), held.indexes, held.earlier
            )
        with watch.stage("rank"):
            question = replace(question, probe=raise_need_for_known_name(question.probe, held.indexes[SNAPSHOTS]))
            best = rank_lanes(question, asked, held.indexes)
        with watch.stage("read"):
            besides = [*build_answer_statements(reader, loaded.subject_id, query, best), *more(loaded.subject_id, best)]
            found = parse_answer(query, reader.run(besides), best, held.earlier)
        is_current = (found.subject_id, found.state) == (loaded.subject_id, loaded.state)
        local = query.apply_time_zone(found.zone)
        meant = question if local is query else question.resolve_times_at(query.text, local.read_at)
        if not left or (is_current and meant is question):
            skew = question.policy.clock_skew_seconds
            return replace(
                found,
                degraded=question.degraded | held.degraded,
                timings_ms={"embed": question.embed_ms, **watch.ms},
                needs=question.probe.needs,
                holds_any=any(find_valid_rows(one.columns, query, skew=skew).any() for one in held.indexes.values()),
            )
        query, question = local, meant
        with watch.stage("load"):
            loaded = loaded if is_current else load_current_index(reader, question.embedders, loaded)
    return RecallAnswer(degraded=question.degraded)


def rank_lanes(
    question: RecallQuestion, queries: Mapping[str, RecallQuery], indexes: Mapping[str, MemoryIndex]
) -> BestHits:
    """Return the best memories of each lane; ``queries`` holds the query by lane, with its filter on metadata read."""
    query, said = queries[SNAPSHOTS], indexes[SNAPSHOTS]
    probe, policy = question.probe, question.policy
    # Statements are judged in any case: notes are as relevant as their messages.
    scored = score_all_rows(query, probe, said, policy)
    ranked: list[RankedHit] = []
    if SNAPSHOTS in query.lanes and question.others:
        ranked = rank_wordings(query, scored, question.others, said, policy)
    elif SNAPSHOTS in query.lanes:
        ranked = rank_scored_snapshots(query, scored, said, policy)
    hits = [hit for hit in ranked if hit.left_out is None]
    noted = (
        rank_notes_or_replies(queries[NOTES], probe, indexes[NOTES], policy, scored_statements=(said, scored))
        if NOTES in queries
        else []
    )
    replied = rank_replies(queries[REPLIES], probe, indexes[REPLIES], policy) if REPLIES in queries else []
    return BestHits(hits, noted, replied, ranked[len(hits) :])


def reword_and_search(
    tenant_id: UUID,
    external_id: str,
    query: RecallQuery,
    question: RecallQuestion,
    answer: RecallAnswer,
    model: ChatModel,
) -> RecallAnswer:
    """Return the merged results of all wordings. If rewriting times out, return the original results."""
    with (watch := Stopwatch()).stage("rewrite"):
        others = rewrite_question(query.text, model, passage=settings.REWRITE_PASSAGE)
        if others:
            answer = search_original_question(tenant_id, external_id, query, add_wordings(question, others))
    degraded = answer.degraded if others is not None else answer.degraded | {DegradedReason.REWRITE_TIMEOUT}
    return replace(answer, degraded=degraded, timings_ms={**answer.timings_ms, **watch.ms})


def rerank_answer(query: RecallQuery, original_answer: RecallAnswer, model: Reranker) -> RecallAnswer:
    """Return the snapshots in the reranker's order. If it times out, they keep theirs; notes and replies always do."""
    with (watch := Stopwatch()).stage("rerank"):
        memories = rerank_head(query.text, original_answer.memories, model)
    degraded = (
        original_answer.degraded if memories is not None else original_answer.degraded | {DegradedReason.RERANK_TIMEOUT}
    )
    kept = trim_to_query(query, original_answer.memories if memories is None else memories)
    answer = original_answer if query.explain else drop_explanations(original_answer)
    return replace(answer, memories=kept, degraded=degraded, timings_ms={**original_answer.timings_ms, **watch.ms})


def count_recall(answer: RecallAnswer, lanes: Collection[str], seconds: float) -> None:
    RETRIEVAL_SECONDS.observe(seconds)
    for stage, spent_ms in answer.timings_ms.items():
        RECALL_STAGE_SECONDS.labels(stage=stage).observe(spent_ms / 1000)
    for reason in answer.degraded:
        RECALL_DEGRADED.labels(reason=reason).inc()
    hits = {
        SNAPSHOTS: len(answer.memories),
        "profile": len(answer.lanes.beliefs.facts),
        "preferences": len(answer.lanes.beliefs.preferences),
        "tags": len(answer.lanes.meant_tags),
        NOTES: len(answer.notes),
        REPLIES: len(answer.replies),
    }
    for lane, number in hits.items():
        if number:
            MEMORY_HITS.labels(type=lane).inc(number)
        elif lane in lanes:
            MEMORY_MISSES.labels(type=lane).inc()
