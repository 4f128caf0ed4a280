"""How a context is made: request, inputs, prompt, receipt. The whole road, top-down.

One round trip to Postgres reads, one writes. Models are asked, and memories are ranked, with no transaction open. When
the memory changes between reading and writing, nothing is written and the context is made again; after a few tries in
one transaction that holds the memory. An unknown subject gets an answer and stays unknown.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.local_time import in_zone
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import CONTEXT_SECONDS, CONTEXT_TOKENS
from memory_platform.providers.tokens import CountsRemembered, TokenEstimator
from snapshots.context.assemble import assemble
from snapshots.context.choosing.threshold import Abstained
from snapshots.context.gathering.holding import hold_memory
from snapshots.context.gathering.material import Bounds, dated_in, material_of
from snapshots.context.gathering.scene import Scene, Surroundings, scene_of, statements_along, surroundings_of
from snapshots.context.gathering.tasks import task_passages
from snapshots.context.policy import DEFAULT_CONTEXT, ContextPolicy
from snapshots.context.record import candidates_from, kept_sections, made_by, render_sent, shown_tokens
from snapshots.context.turn.memory_questions import asks_about_past, asks_for_all
from snapshots.context.turn.reading import puts_right, with_intent, with_phase
from snapshots.context.turn.route import ModelRoute, is_good_hit, route_for
from snapshots.context.turn.understanding import understand
from snapshots.context.values import AssembledContext, ContextRequest, Material, Passage
from snapshots.context.writing.fence import new_nonce
from snapshots.models import Receipt
from snapshots.recall.answer import Recalled
from snapshots.recall.degraded import DegradedReason, joined
from snapshots.recall.filtering.grammar import FilterNode
from snapshots.recall.loading.current import Whose, known_in_scope, known_to_product
from snapshots.recall.pipeline import search_memory
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.question import Question, Stopwatch, prepare_question
from snapshots.recall.ranking.slots import judge_slots
from snapshots.recall.values import DOCUMENTS, NOTES, REPLIES, SNAPSHOTS, RecallQuery
from snapshots.receipts.errors import ContextOutdated
from snapshots.receipts.values import ReceiptDraft
from snapshots.receipts.write import note_receipt, write_receipt
from tenants.isolation import tenant_tx

COUNTER = CountsRemembered(TokenEstimator(), DEFAULT_CONTEXT.texts_remembered)
LANES_OF_CONTEXTS = frozenset({SNAPSHOTS, NOTES, REPLIES, "preferences", "tags", "profile"})
# Tries without a lock, while others may change the memory.
TRIED_FREELY = 2


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """A call for a context. Intent and phase in ``request`` are the caller's; None leaves them to the rules.

    ``tasks``, ``replies`` and ``knowledge`` say whether tasks in progress, the assistant's words and documents may go
    in. ``recall`` and ``filter`` apply to the memories. ``by_model``: a chat model may be asked for the intent.
    """

    request: ContextRequest
    policy_version: str
    conversation_id: str | None = None
    tasks: bool = False
    knowledge: bool = False
    replies: bool = False
    filter: FilterNode | None = None
    recall: RecallPolicy = DEFAULT_RECALL
    experiment: str = ""
    arm: str = ""
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A call for which all models have been asked, and which of them did not answer. It can be answered repeatedly."""

    subject: str
    asked: ContextQuery
    question: Question
    policy: ContextPolicy
    missing: frozenset[DegradedReason]
    watch: Stopwatch


@dataclass(frozen=True, slots=True)
class Findings:
    """The rows that one context is made of."""

    found: Recalled
    around: Surroundings = field(default_factory=Surroundings)
    scene: Scene | None = None
    tasks: tuple[Passage, ...] = ()
    missing: frozenset[DegradedReason] = frozenset()

    @property
    def degraded(self) -> frozenset[DegradedReason]:
        without_redis = self.scene is not None and self.scene.window.degraded
        return self.found.degraded | self.missing | ({DegradedReason.REDIS_UNAVAILABLE} if without_redis else set())


@dataclass(frozen=True, slots=True)
class Draft:
    """A context whose receipt is not written yet."""

    prepared: PreparedQuery
    findings: Findings
    context: AssembledContext
    route: ModelRoute

    @property
    def subject_id(self) -> UUID | None:
        """None for an unknown subject, which stays unknown."""
        return self.findings.found.subject_id


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """A context, its receipt, and milliseconds by stage. An unknown subject leaves no receipt."""

    asked: ContextQuery
    context: AssembledContext
    route: ModelRoute
    receipt_left: Receipt | None
    degraded_reason: str | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def subject_id(self) -> UUID | None:
        return self.receipt_left.subject_id if self.receipt_left else None

    @property
    def receipt(self) -> Receipt:
        """The receipt of a known subject. Raises NotFound for an unknown one."""
        if self.receipt_left is None:
            raise NotFound("receipt")
        return self.receipt_left


def build_context(
    tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy = DEFAULT_CONTEXT
) -> ContextAnswer:
    """Return a context that fits its budget and record its receipt. Opens scopes itself. Raises BudgetTooSmall."""
    prepared = prepare_query(tenant_id, subject_external_id, asked, policy)
    for _ in range(TRIED_FREELY):
        with suppress(ContextOutdated):
            return leave_receipt_alone(tenant_id, make_draft(known_to_product(tenant_id, prepared.subject), prepared))
    with tenant_tx(tenant_id):
        return build_held(prepared)


def draft_context(
    tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy = DEFAULT_CONTEXT
) -> Draft:
    """Return a context and write nothing. No scope may be open. Raises BudgetTooSmall."""
    prepared = prepare_query(tenant_id, subject_external_id, asked, policy)
    return make_draft(known_to_product(tenant_id, subject_external_id), prepared)


def prepare_query(
    tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy
) -> PreparedQuery:
    """Return the call with its intent and embedded question. Asks models: no scope may be open."""
    watch = Stopwatch()
    lanes = (SNAPSHOTS, NOTES, *((DOCUMENTS,) if asked.knowledge else ()))
    question = prepare_question(asked.request.query, asked.recall, lanes=lanes)
    watch.ms["embed"] = question.embed_ms
    request, missing = asked.request, frozenset[DegradedReason]()
    if asked.by_model:
        with watch.stage("understand"):
            request, missing = understand(tenant_id, request, reads_phase=policy.detect_phase)
    request = with_intent(request, question.probe.vectors)
    return PreparedQuery(subject_external_id, replace(asked, request=request), question, policy, missing, watch)


def make_draft(whose: Whose, prepared: PreparedQuery) -> Draft:
    """Return a context of the memory as it is now, and write nothing. Raises BudgetTooSmall."""
    asked, request, policy = prepared.asked, prepared.asked.request, prepared.policy
    with prepared.watch.stage("recall"):
        findings = read_findings(whose, prepared)
    with prepared.watch.stage("assemble"):
        zone = findings.found.zone
        at = in_zone(request.at or utc_now(), zone)
        request = replace(request, at=at, asks_for_all=asks_for_all(request.query))
        material = read_material(whose, findings, prepared)
        first = material.said_first or ((request.query,) if asked.conversation_id is not None else ())
        material = dated_in(replace(material, tasks=findings.tasks, said_first=first), zone or at.tzinfo)
        if policy.detect_phase:
            request = with_phase(request, material.turns, prepared.question.probe.vectors)
        context = assemble(request, material, counter=COUNTER, nonce=new_nonce(), policy=policy)
        if findings.found.subject_id is None:
            context = replace(context, abstained=Abstained.UNKNOWN_SUBJECT)
        route = route_for(
            request.intent,
            corrected=puts_right(request.query, material.turns),
            before=findings.around.route,
            good_hit=lambda: is_good_hit(request.query, material.memories, policy),
            policy=policy,
        )
    return Draft(prepared, findings, context, route)


def read_findings(whose: Whose, prepared: PreparedQuery) -> Findings:
    """Read everything that may go into the context. A conversation that nobody has started is empty."""
    asked, query = prepared.asked, query_of(prepared)
    asks_past = asked.filter is None and asks_about_past(asked.request.query)  # what ended is in no image to filter
    along = partial(statements_along, whose.tenant_id, conversation_id=asked.conversation_id, asks_past=asks_past)
    found = search_memory(whose, query, prepared.question, along)
    if found.subject_id is None:
        return Findings(found, missing=prepared.missing)
    around = surroundings_of(found.more)
    tasks = task_passages(whose, found.subject_id) if asked.tasks else ()
    return Findings(found, around, scene_of(whose, around), tasks, prepared.missing)


def query_of(prepared: PreparedQuery) -> RecallQuery:
    """Return the query that a context sends to recall."""
    asked, policy = prepared.asked, prepared.policy
    candidates = policy.candidates_for(asked.request.budget, asked.request.intent_named)
    return RecallQuery(
        asked.request.query,
        asked_at=utc_now(),
        clock=asked.request.at,
        lanes=LANES_OF_CONTEXTS,
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


def read_material(whose: Whose, findings: Findings, prepared: PreparedQuery) -> Material:
    """Return everything that may go in, slots with how probably they help."""
    question, needs = prepared.question, findings.found.needs
    judge = partial(
        judge_slots,
        query=query_of(prepared),
        probe=replace(question.probe, needs=needs, is_named=needs > question.probe.needs),
        # In an open scope no model is asked: new slots are compared by their words.
        embedders=() if whose.is_in_scope else question.embedders,
        policy=question.policy.scoring,
    )
    bounds = Bounds(prepared.policy.vital_classes, is_narrowed=prepared.asked.filter is not None)
    in_han = question.probe.is_chinese
    return material_of(findings.found, findings.scene, findings.around, judge, bounds, in_han=in_han)


def leave_receipt_alone(tenant_id: UUID, draft: Draft) -> ContextAnswer:
    """Record the receipt in one round trip, with no scope open. Raises ContextOutdated."""
    return leave_receipt(draft, partial(note_receipt, tenant_id))


def leave_receipt(draft: Draft, write: Callable[[ReceiptDraft], Receipt] = write_receipt) -> ContextAnswer:
    """Record the receipt in the open scope. Raises ContextOutdated; the scope must then be given up."""
    with draft.prepared.watch.stage("receipt"):
        receipt = write(receipt_draft(draft, draft.subject_id)) if draft.subject_id is not None else None
    return answer_with(draft, receipt)


def leave_receipt_or_anew(draft: Draft) -> ContextAnswer:
    """Record the receipt in the open scope; if the context is outdated, make another one that cannot be."""
    try:
        with transaction.atomic():
            return leave_receipt(draft)
    except ContextOutdated:
        return build_held(draft.prepared)


def build_held(prepared: PreparedQuery) -> ContextAnswer:
    """Return a context and record its receipt in the open scope, while nobody can change the memory.

    Writers wait as long as it takes to read, rank and write. Raises BudgetTooSmall.
    """
    hold_memory(prepared.subject)
    return leave_receipt(make_draft(known_in_scope(prepared.subject), prepared))


def receipt_draft(draft: Draft, subject_id: UUID) -> ReceiptDraft:
    asked, findings, context = draft.prepared.asked, draft.findings, draft.context
    return ReceiptDraft(
        subject_id=subject_id,
        conversation_id=findings.around.conversation.id if findings.around.conversation else None,
        policy_version=asked.policy_version,
        experiment=asked.experiment,
        arm=asked.arm,
        made_by=made_by(),
        intent=context.intent,
        phase=context.phase,
        model_route=draft.route.kept,
        candidates=candidates_from(context, findings.found),
        sections=kept_sections(context),
        tokens=shown_tokens(context.tokens),
        prefix_hash=context.prefix.hash,
        abstained=context.abstained,
        degraded_reason=joined(findings.degraded),
        rendered=render_sent(asked.request.query, context),
        epoch=findings.found.state.epoch or None,  # None: there was no memory that could be forgotten
    )


def answer_with(draft: Draft, receipt: Receipt | None) -> ContextAnswer:
    """Return the answer and record it in metrics and log."""
    spent = draft.prepared.watch.ms
    timings = {**spent, "total": round(sum(spent.values()), 3)}
    CONTEXT_SECONDS.observe(timings["total"] / 1000)
    CONTEXT_TOKENS.observe(draft.context.tokens.total)
    log(Event.CONTEXT_ASSEMBLED, receipt=receipt and receipt.id, tokens=draft.context.tokens.total, ms=timings["total"])
    degraded = joined(draft.findings.degraded)
    return ContextAnswer(draft.prepared.asked, draft.context, draft.route, receipt, degraded, timings)
