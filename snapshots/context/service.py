"""The road of a context, told once: prepare the query, read what may go in, assemble, leave a receipt.

One round trip to Postgres reads, one writes. Models are asked, and memories are ranked, with no transaction open.
Between reading and writing the memory may change: then nothing is left, and the context is made anew; where that does
not end, in one transaction that holds the memory. Nobody becomes known by being asked about: an unknown subject gets an
answer and leaves nothing.
"""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.local_time import in_zone
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import CONTEXT_SECONDS, CONTEXT_TOKENS
from memory_platform.providers.tokens import CountsRemembered, TokenEstimator
from snapshots.context.assemble import assemble
from snapshots.context.choosing.threshold import Abstained
from snapshots.context.gathering.holding import hold_memory
from snapshots.context.gathering.material import Bounds, dated_in, material_of
from snapshots.context.gathering.scene import scene_of, statements_along, surroundings_of
from snapshots.context.gathering.tasks import task_passages
from snapshots.context.policy import DEFAULT_CONTEXT, ContextPolicy
from snapshots.context.record import candidates_from, kept_sections, render_sent, shown_tokens
from snapshots.context.stages import ContextAnswer, ContextQuery, Draft, Findings, PreparedQuery
from snapshots.context.turn.everything import asks_for_all
from snapshots.context.turn.past import asks_about_past
from snapshots.context.turn.reading import puts_right, with_intent, with_phase
from snapshots.context.turn.route import ModelRoute, is_good_hit, route_for
from snapshots.context.turn.understanding import understand
from snapshots.context.values import ContextRequest, Material
from snapshots.context.versions import made_by
from snapshots.context.writing.fence import new_nonce
from snapshots.models import Receipt
from snapshots.recall.degraded import DegradedReason, joined
from snapshots.recall.loading.current import Whose, known_in_scope, known_to_product
from snapshots.recall.pipeline import search_memory
from snapshots.recall.question import Stopwatch, prepare_question
from snapshots.recall.ranking.slots import judge_slots
from snapshots.recall.values import DOCUMENTS, NOTES, REPLIES, SNAPSHOTS, RecallQuery
from snapshots.receipts.errors import ContextOutdated
from snapshots.receipts.values import ReceiptDraft
from snapshots.receipts.write import note_receipt, write_receipt
from tenants.isolation import tenant_tx

COUNTER = CountsRemembered(TokenEstimator(), DEFAULT_CONTEXT.texts_remembered)
LANES_OF_CONTEXTS = frozenset({SNAPSHOTS, NOTES, REPLIES, "preferences", "tags", "profile"})
# How often a context is made while others may change the memory meanwhile.
TRIED_FREELY = 2


def build_context(
    tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy = DEFAULT_CONTEXT
) -> ContextAnswer:
    """Return a context that fits its budget, and leave a receipt; an unknown subject stays unknown, without one.

    Opens the tenant's scopes itself. Raises BudgetTooSmall; then nothing is written.
    """
    prepared = prepare_query(tenant_id, subject_external_id, asked, policy)
    for _ in range(TRIED_FREELY):
        with suppress(ContextOutdated):
            return leave_receipt_alone(tenant_id, make_draft(known_to_product(tenant_id, prepared.subject), prepared))
    with tenant_tx(tenant_id):
        return build_held(prepared)


def draft_context(
    tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy = DEFAULT_CONTEXT
) -> Draft:
    """Return a context of what is remembered now, and write nothing. No scope may be open. Raises BudgetTooSmall."""
    prepared = prepare_query(tenant_id, subject_external_id, asked, policy)
    return make_draft(known_to_product(tenant_id, subject_external_id), prepared)


def prepare_query(
    tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy
) -> PreparedQuery:
    """Return a request with what models make of it. No scope may be open."""
    watch = Stopwatch()
    lanes = (SNAPSHOTS, NOTES, *((DOCUMENTS,) if asked.knowledge else ()))
    question = prepare_question(asked.request.query, asked.recall, lanes=lanes)
    watch.ms["embed"] = question.embed_ms
    missing: frozenset[DegradedReason] = frozenset()
    if asked.by_model:
        with watch.stage("understand"):
            request, missing = understand(tenant_id, asked.request, reads_phase=policy.detect_phase)
            asked = replace(asked, request=request)
    asked = replace(asked, request=with_intent(asked.request, question.probe.vectors))
    return PreparedQuery(subject_external_id, asked, question, policy, missing, watch)


def make_draft(whose: Whose, prepared: PreparedQuery) -> Draft:
    """Return a context of what is remembered of ``whose`` subject as it is read, and write nothing. Raises
    BudgetTooSmall."""
    asked, request, question, policy = prepared.asked, prepared.asked.request, prepared.question, prepared.policy
    with prepared.watch.stage("recall"):
        findings = replace(read_findings(whose, prepared), missing=prepared.missing)
    with prepared.watch.stage("assemble"):
        zone = findings.found.zone
        at = in_zone(request.at or utc_now(), zone)
        request = replace(request, at=at, asks_for_all=asks_for_all(request.query))
        material = read_material(whose, findings, prepared)
        first = material.said_first or ((request.query,) if asked.conversation_id is not None else ())
        material = replace(material, tasks=findings.tasks, said_first=first)
        material = dated_in(material, zone or at.tzinfo)
        if policy.detect_phase:
            request = with_phase(request, material.turns, question.probe.vectors)
        context = assemble(request, material, counter=COUNTER, nonce=new_nonce(), policy=policy)
        if findings.found.subject_id is None:
            context = replace(context, abstained=Abstained.UNKNOWN_SUBJECT)
        route = choose_route(request, material, findings.around.route, policy)
    return Draft(prepared, findings, context, route)


def read_material(whose: Whose, findings: Findings, prepared: PreparedQuery) -> Material:
    """Return what may go in of what was read, slots with how probably they help. In an open scope no model is asked:
    slots that this process has not met are compared by their words."""
    question, needs = prepared.question, findings.found.needs
    probe = replace(question.probe, needs=needs, is_named=needs > question.probe.needs)
    embedders = () if whose.is_in_scope else question.embedders
    return material_of(
        findings.found,
        findings.scene,
        findings.around,
        partial(
            judge_slots,
            query=query_of(prepared),
            probe=probe,
            embedders=embedders,
            policy=question.policy.scoring,
        ),
        Bounds(prepared.policy.vital_classes, is_narrowed=prepared.asked.filter is not None),
        in_han=question.probe.is_chinese,
    )


def read_findings(whose: Whose, prepared: PreparedQuery) -> Findings:
    """Read everything that might go into the context; a conversation that nobody has started is an empty one."""
    asked, query = prepared.asked, query_of(prepared)
    asks_past = asked.filter is None and asks_about_past(asked.request.query)  # what ended is in no image to filter
    along = partial(statements_along, whose.tenant_id, conversation_id=asked.conversation_id, asks_past=asks_past)
    found = search_memory(whose, query, prepared.question, along)
    if found.subject_id is None:
        return Findings(found)
    around = surroundings_of(found.more)
    tasks = task_passages(whose, found.subject_id) if asked.tasks else ()
    return Findings(found, around, scene_of(whose, around), tasks)


def query_of(prepared: PreparedQuery) -> RecallQuery:
    """Return what is asked of recall for a context."""
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
        sources_within=asked.conversation_id or "",  # only what its window may hold as well is asked where it is from
    )


def choose_route(
    request: ContextRequest, material: Material, before: ModelRoute | None, policy: ContextPolicy
) -> ModelRoute:
    """Return which tier of model a turn calls for, after the answer that ``before`` was the route of."""
    return route_for(
        request.intent,
        corrected=puts_right(request.query, material.turns),
        before=before,
        good_hit=lambda: is_good_hit(request.query, material.memories, policy),
        policy=policy,
    )


def leave_receipt_alone(tenant_id: UUID, draft: Draft) -> ContextAnswer:
    """Leave the receipt of a context in one round trip, with no scope open. Raises ContextOutdated."""
    receipt = None
    with draft.prepared.watch.stage("receipt"):
        if draft.subject_id is not None:
            receipt = note_receipt(tenant_id, receipt_draft(draft, draft.subject_id))
    return answer_with(draft, receipt)


def leave_receipt(draft: Draft) -> ContextAnswer:
    """Do the same in the open scope. Raises ContextOutdated; the scope must then be given up."""
    receipt = None
    with draft.prepared.watch.stage("receipt"):
        if draft.subject_id is not None:
            receipt = write_receipt(receipt_draft(draft, draft.subject_id))
    return answer_with(draft, receipt)


def leave_receipt_or_anew(draft: Draft) -> ContextAnswer:
    """Leave the receipt of a context in the open scope, or else that of one made anew, which cannot be outdated."""
    try:
        with transaction.atomic():
            return leave_receipt(draft)
    except ContextOutdated:
        return build_held(draft.prepared)


def build_held(prepared: PreparedQuery) -> ContextAnswer:
    """Return a context and leave its receipt, all in the open scope while nobody can change the memory or end the
    subject. They wait as long as it takes to read, rank and write. Raises BudgetTooSmall."""
    hold_memory(prepared.subject)
    return leave_receipt(make_draft(known_in_scope(prepared.subject), prepared))


def receipt_draft(draft: Draft, subject_id: UUID) -> ReceiptDraft:
    """Return the receipt to be of a context."""
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
        epoch=findings.found.state.epoch or None,  # none: there was no memory that could be forgotten
    )


def answer_with(draft: Draft, receipt: Receipt | None) -> ContextAnswer:
    """Return a context whose receipt is written, put into metrics and log."""
    spent = draft.prepared.watch.ms
    timings = {**spent, "total": round(sum(spent.values()), 3)}
    CONTEXT_SECONDS.observe(timings["total"] / 1000)
    CONTEXT_TOKENS.observe(draft.context.tokens.total)
    log(Event.CONTEXT_ASSEMBLED, receipt=receipt and receipt.id, tokens=draft.context.tokens.total, ms=timings["total"])
    degraded = joined(draft.findings.degraded)
    return ContextAnswer(draft.prepared.asked, draft.context, draft.route, receipt, degraded, timings)
