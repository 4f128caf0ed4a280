"""How a context is made: request, inputs, prompt, receipt. The whole road, top-down.

Two round trips to Postgres read, one writes. Models are asked, and memories are ranked, with no transaction open. When
the memory changes between reading and writing, nothing is written and the context is made again; after a few tries in
one transaction that holds the memory. An unknown subject gets an answer and stays unknown.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import in_zone, utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import CONTEXT_SECONDS, CONTEXT_TOKENS
from memory_platform.observability.tracing import SEARCH, open_memory_span
from memory_platform.providers.token_estimator import CachedTokenCounter, TokenEstimator
from snapshots.context.assemble_context import assemble_context
from snapshots.context.choosing.relevance_threshold import AbstainReason
from snapshots.context.config import DEFAULT_CONTEXT, ContextPolicy
from snapshots.context.gathering.candidate_items import MaterialBounds, build_material, load_task_passages, move_to_zone
from snapshots.context.gathering.conversation_inputs import (
    ContextSurroundings,
    ConversationScene,
    build_surroundings_queries,
    load_conversation_scene,
    parse_surroundings,
)
from snapshots.context.gathering.document_passages import (
    lock_passages,
    make_document_passages,
    make_document_query,
)
from snapshots.context.gathering.memory_lock import lock_memory_for_reading
from snapshots.context.receipt_record import (
    list_receipt_candidates,
    list_shown_documents,
    load_component_versions,
    render_sent_prompt,
    render_stored_sections,
    render_token_report,
)
from snapshots.context.turn.all_or_past_questions import asks_about_past, asks_for_all
from snapshots.context.turn.chat_model_intent import fill_by_chat_model
from snapshots.context.turn.inferred_request_fields import corrects_last_reply, fill_intent, fill_phase
from snapshots.context.turn.model_tier import TierRoute, choose_tier_route, is_answered_well
from snapshots.context.values import AssembledContext, ContextMaterial, ContextRequest, Passage
from snapshots.context.writing.prompt_fence import make_nonce
from snapshots.knowledge.search.documents_beside_memory import search_beside_memory
from snapshots.knowledge.search.values import DocumentScope
from snapshots.models import Receipt
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.config import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.filtering.filter_grammar import FilterNode
from snapshots.recall.loading.load_stored_memory import (
    SubjectReader,
    make_reader_by_product_id,
    make_reader_by_product_id_in_scope,
)
from snapshots.recall.pipeline import describe_answer, search_memory
from snapshots.recall.question import RecallQuestion, Stopwatch, prepare_question
from snapshots.recall.ranking.slot_relevance import judge_slots
from snapshots.recall.values import NOTES, REPLIES, SNAPSHOTS, DegradedReason, RecallQuery, join_reasons
from snapshots.receipts.values import ContextOutdated, ReceiptDraft
from snapshots.receipts.write import write_receipt, write_receipt_in_own_transaction
from tenants.isolation import tenant_tx

COUNTER = CachedTokenCounter(TokenEstimator(), DEFAULT_CONTEXT.texts_remembered)
CONTEXT_LANES = frozenset({SNAPSHOTS, NOTES, REPLIES, "preferences", "tags", "profile"})
# Tries without a lock, while others may change the memory.
UNLOCKED_TRIES = 2


@dataclass(frozen=True, slots=True)
class ContextCall:
    """A call for a context. Intent and phase in ``request`` are the caller's; None leaves them to the rules.

    ``tasks`` and ``replies`` say whether tasks in progress and the assistant's words may go in, ``knowledge`` which
    documents may; None for none. ``recall`` and ``filter`` apply to the memories. ``by_model``: a chat model may be
    asked for the intent.
    """

    request: ContextRequest
    policy_version: str
    conversation_id: str | None = None
    tasks: bool = False
    knowledge: DocumentScope | None = None
    replies: bool = False
    filter: FilterNode | None = None
    recall: RecallPolicy = DEFAULT_RECALL
    experiment: str = ""
    arm: str = ""
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call for which all models have been asked, and which of them did not answer. It can be answered repeatedly.
    ``documents`` are the passages of documents that were found for it."""

    subject: str
    call: ContextCall
    question: RecallQuestion
    policy: ContextPolicy
    missing: frozenset[DegradedReason]
    watch: Stopwatch
    documents: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextInputs:
    """The rows that one context is made of."""

    recall_answer: RecallAnswer
    surroundings: ContextSurroundings = field(default_factory=ContextSurroundings)
    scene: ConversationScene | None = None
    tasks: tuple[Passage, ...] = ()
    missing: frozenset[DegradedReason] = frozenset()

    @property
    def degraded_reasons(self) -> frozenset[DegradedReason]:
        without_redis = self.scene is not None and self.scene.window.degraded
        return (
            self.recall_answer.degraded
            | self.missing
            | ({DegradedReason.REDIS_UNAVAILABLE} if without_redis else set())
        )


@dataclass(frozen=True, slots=True)
class ContextDraft:
    """A context whose receipt is not written yet."""

    prepared_call: PreparedCall
    findings: ContextInputs
    context: AssembledContext
    route: TierRoute

    @property
    def subject_id(self) -> UUID | None:
        """None for an unknown subject, which stays unknown."""
        return self.findings.recall_answer.subject_id


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """A context, its receipt, and milliseconds by stage. An unknown subject leaves no receipt."""

    call: ContextCall
    context: AssembledContext
    route: TierRoute
    optional_receipt: Receipt | None
    degraded_reason: str | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def subject_id(self) -> UUID | None:
        return self.optional_receipt.subject_id if self.optional_receipt else None

    @property
    def receipt(self) -> Receipt:
        """The receipt of a known subject. Raises NotFound for an unknown one."""
        if self.optional_receipt is None:
            raise NotFound("No subject with this id.")
        return self.optional_receipt


def build_context(
    tenant_id: UUID, subject_external_id: str, call: ContextCall, policy: ContextPolicy = DEFAULT_CONTEXT
) -> ContextAnswer:
    """Return a context that fits its budget and record its receipt. Opens scopes itself. Raises BudgetTooSmall."""
    prepared = infer_intent_and_embed_question(tenant_id, subject_external_id, call, policy)
    for _ in range(UNLOCKED_TRIES):
        with suppress(ContextOutdated):
            return record_receipt_alone(
                tenant_id, draft_prepared_context(make_reader_by_product_id(tenant_id, prepared.subject), prepared)
            )
        prepared = add_document_passages(tenant_id, prepared)
    with tenant_tx(tenant_id):
        return build_context_locked(prepared)


def draft_context(
    tenant_id: UUID, subject_external_id: str, call: ContextCall, policy: ContextPolicy = DEFAULT_CONTEXT
) -> ContextDraft:
    """Return a context and write nothing. No scope may be open. Raises BudgetTooSmall."""
    prepared = infer_intent_and_embed_question(tenant_id, subject_external_id, call, policy)
    return draft_prepared_context(make_reader_by_product_id(tenant_id, subject_external_id), prepared)


def infer_intent_and_embed_question(
    tenant_id: UUID, subject_external_id: str, call: ContextCall, policy: ContextPolicy
) -> PreparedCall:
    """Return the call with its intent and embedded question. Asks models: no scope may be open."""
    watch = Stopwatch()
    question = prepare_question(call.request.query, call.recall, lanes=(SNAPSHOTS, NOTES))
    watch.ms["embed"] = question.embed_ms
    request, missing = call.request, frozenset[DegradedReason]()
    if call.by_model:
        with watch.stage("understand"):
            request, missing = fill_by_chat_model(tenant_id, request, reads_phase=policy.detect_phase)
    request = fill_intent(request, question.probe.vectors)
    prepared = PreparedCall(subject_external_id, replace(call, request=request), question, policy, missing, watch)
    return add_document_passages(tenant_id, prepared)


def add_document_passages(tenant_id: UUID, prepared_call: PreparedCall) -> PreparedCall:
    """Return the call with the passages of documents that answer it now; itself where none may go in. Opens scopes."""
    call, question = prepared_call.call, prepared_call.question
    asked = call.knowledge and make_document_query(call.request, prepared_call.policy, call.knowledge)
    if not asked:
        return prepared_call
    with prepared_call.watch.stage("documents"):
        found = search_beside_memory(tenant_id, asked, question.probe.vectors)
        passages = make_document_passages(found.passages, least=asked.min_relevance)
    return replace(prepared_call, documents=passages, missing=prepared_call.missing | found.degraded)


def draft_prepared_context(reader: SubjectReader, prepared_call: PreparedCall) -> ContextDraft:
    """Return a context of the memory as it is now, and write nothing. Raises BudgetTooSmall."""
    asked, request, policy = prepared_call.call, prepared_call.call.request, prepared_call.policy
    with prepared_call.watch.stage("recall"):
        findings = load_inputs(reader, prepared_call)
    with prepared_call.watch.stage("assemble"):
        zone = findings.recall_answer.zone
        at = in_zone(request.at or utc_now(), zone)
        request = replace(request, at=at, asks_for_all=asks_for_all(request.query))
        material = make_material(reader, findings, prepared_call)
        first = material.said_first or ((request.query,) if asked.conversation_id is not None else ())
        material = replace(material, tasks=findings.tasks, knowledge=prepared_call.documents, said_first=first)
        material = move_to_zone(material, zone or at.tzinfo)
        if policy.detect_phase:
            request = fill_phase(request, material.turns, prepared_call.question.probe.vectors)
        context = assemble_context(request, material, counter=COUNTER, nonce=make_nonce(), policy=policy)
        if findings.recall_answer.subject_id is None:
            context = replace(context, abstained=AbstainReason.UNKNOWN_SUBJECT)
        route = choose_tier_route(
            request.intent,
            corrected=corrects_last_reply(request.query, material.turns),
            before=findings.surroundings.route,
            good_hit=lambda: is_answered_well(request.query, material.memories, policy),
            policy=policy,
        )
    return ContextDraft(prepared_call, findings, context, route)


def load_inputs(reader: SubjectReader, prepared_call: PreparedCall) -> ContextInputs:
    """Read everything that may go into the context. A conversation that nobody has started is empty."""
    asked, query = prepared_call.call, make_recall_query(prepared_call)
    asks_past = asked.filter is None and asks_about_past(asked.request.query)  # what ended is in no index to filter
    along = partial(
        build_surroundings_queries, reader.tenant_id, conversation_id=asked.conversation_id, asks_past=asks_past
    )
    with open_memory_span(SEARCH) as span:
        found = search_memory(reader, query, prepared_call.question, along)
        span.describe(describe_answer(reader.tenant_id, found))
    if found.subject_id is None:
        return ContextInputs(found, missing=prepared_call.missing)
    around = parse_surroundings(found.more)
    tasks = load_task_passages(reader, found.subject_id) if asked.tasks else ()
    return ContextInputs(found, around, load_conversation_scene(reader, around), tasks, prepared_call.missing)


def make_recall_query(prepared_call: PreparedCall) -> RecallQuery:
    asked, policy = prepared_call.call, prepared_call.policy
    candidates = policy.compute_candidate_limit(asked.request.budget, asked.request.intent_named)
    return RecallQuery(
        asked.request.query,
        asked_at=utc_now(),
        clock=asked.request.at,
        lanes=CONTEXT_LANES,
        replies_named=asked.replies,
        top_k=candidates,
        notes_top_k=candidates,
        explain=True,
        strict=asked.request.strict,
        whole=not asked.request.strict,
        by_relevance=True,
        filter=asked.filter,
        left_out=policy.left_out_noted,
        # Sources only matter where the window may hold the same message.
        sources_within=asked.conversation_id or "",
    )


def make_material(reader: SubjectReader, findings: ContextInputs, prepared_call: PreparedCall) -> ContextMaterial:
    question, needs = prepared_call.question, findings.recall_answer.needs
    judge = partial(
        judge_slots,
        query=make_recall_query(prepared_call),
        probe=replace(question.probe, needs=needs, is_named=needs > question.probe.needs),
        # In an open scope no model is asked: new slots are compared by their words.
        embedders=() if reader.is_in_scope else question.embedders,
        policy=question.policy.scoring,
    )
    bounds = MaterialBounds(prepared_call.policy.vital_classes, is_narrowed=prepared_call.call.filter is not None)
    in_han = question.probe.is_chinese
    return build_material(findings.recall_answer, findings.scene, findings.surroundings, judge, bounds, in_han=in_han)


def record_receipt_alone(tenant_id: UUID, draft: ContextDraft) -> ContextAnswer:
    """Record the receipt in one round trip, with no scope open. Raises ContextOutdated."""
    return record_receipt(draft, partial(write_receipt_in_own_transaction, tenant_id))


def record_receipt(draft: ContextDraft, write: Callable[[ReceiptDraft], Receipt] = write_receipt) -> ContextAnswer:
    """Record the receipt in the open scope. Raises ContextOutdated; the scope must then be given up."""
    with draft.prepared_call.watch.stage("receipt"):
        receipt = write(make_receipt_draft(draft, draft.subject_id)) if draft.subject_id is not None else None
    return finish_answer(draft, receipt)


def record_receipt_or_retry(draft: ContextDraft) -> ContextAnswer:
    """Record the receipt in the open scope; if the context is outdated, make another one that cannot be."""
    try:
        with transaction.atomic():
            return record_receipt(draft)
    except ContextOutdated:
        return build_context_locked(draft.prepared_call)


def build_context_locked(prepared_call: PreparedCall) -> ContextAnswer:
    """Return a context and record its receipt in the open scope, while nobody can change the memory.

    Writers wait as long as it takes to read, rank and write. Raises BudgetTooSmall.
    """
    lock_memory_for_reading(prepared_call.subject)
    prepared_call = replace(prepared_call, documents=lock_passages(prepared_call.documents))
    return record_receipt(
        draft_prepared_context(make_reader_by_product_id_in_scope(prepared_call.subject), prepared_call)
    )


def make_receipt_draft(draft: ContextDraft, subject_id: UUID) -> ReceiptDraft:
    asked, findings, context = draft.prepared_call.call, draft.findings, draft.context
    return ReceiptDraft(
        subject_id=subject_id,
        conversation_id=findings.surroundings.conversation.id if findings.surroundings.conversation else None,
        policy_version=asked.policy_version,
        experiment=asked.experiment,
        arm=asked.arm,
        made_by=load_component_versions(),
        intent=context.intent,
        phase=context.phase,
        model_route=draft.route.as_receipt,
        candidates=list_receipt_candidates(context, findings.recall_answer),
        sections=render_stored_sections(context),
        tokens=render_token_report(context.tokens),
        prefix_hash=context.prefix.hash,
        abstained=context.abstained,
        degraded_reason=join_reasons(findings.degraded_reasons),
        rendered=render_sent_prompt(asked.request.query, context),
        epoch=findings.recall_answer.state.epoch or None,  # None: there was no memory that could be forgotten
        documents=list_shown_documents(context),
    )


def finish_answer(draft: ContextDraft, receipt: Receipt | None) -> ContextAnswer:
    """Return the answer and record it in metrics and log."""
    spent = draft.prepared_call.watch.ms
    timings = {**spent, "total": round(sum(spent.values()), 3)}
    CONTEXT_SECONDS.observe(timings["total"] / 1000)
    CONTEXT_TOKENS.observe(draft.context.tokens.total)
    log(Event.CONTEXT_ASSEMBLED, receipt=receipt and receipt.id, tokens=draft.context.tokens.total, ms=timings["total"])
    degraded = join_reasons(draft.findings.degraded_reasons)
    return ContextAnswer(draft.prepared_call.call, draft.context, draft.route, receipt, degraded, timings)
