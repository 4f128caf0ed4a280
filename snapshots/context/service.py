"""A context as one call: read what may go in, assemble, leave a receipt. One round trip to Postgres reads, one writes.

Models are asked, and memories are ranked, with no transaction open. Between reading and writing the memory may change:
then nothing is left, and the context is made anew; where that does not end, in one transaction that holds the memory.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import CONTEXT_SECONDS, CONTEXT_TOKENS
from memory_platform.providers.tokens import CountsRemembered, TokenEstimator
from profiles.services.subjects import ensure_subject
from snapshots.context.assemble import assemble
from snapshots.context.gathering.holding import hold_memory
from snapshots.context.gathering.material import local_time, material_of, standing_notes
from snapshots.context.gathering.scene import Scene, Surroundings, scene_of, statements_along, surroundings_of
from snapshots.context.gathering.tasks import task_passages
from snapshots.context.policy import DEFAULT_CONTEXT, ContextPolicy
from snapshots.context.record import candidates_from, kept_sections, render_sent, shown_tokens
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
from snapshots.recall.now import recall_of
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.ranking.replies import asks_for_replies
from snapshots.recall.search import Question, Stopwatch, prepare_question
from snapshots.recall.values import DOCUMENTS, NOTES, REPLIES, SNAPSHOTS, RecallQuery
from snapshots.receipts.errors import ContextOutdated
from snapshots.receipts.values import ReceiptDraft
from snapshots.receipts.write import note_receipt, write_receipt
from tenants.isolation import tenant_tx

COUNTER = CountsRemembered(TokenEstimator(), DEFAULT_CONTEXT.texts_remembered)
LANES_OF_CONTEXTS = frozenset({SNAPSHOTS, NOTES, "preferences", "tags", "profile"})
"""Replies besides, where they are asked for."""
TRIED_FREELY = 2
"""How often a context is made while others may change the memory meanwhile."""


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """One request for a context. Intent and phase in ``request`` are the caller's; None leaves them to the rules.

    ``tasks``: whether the tasks in progress may go in; ``replies``: whether what the assistant said may, also where the
    query does not ask for it; ``knowledge``: whether documents may, of which none are held yet, as the answer says.
    ``recall`` steers which memories are found, ``filter`` narrows them as it does there; ``experiment`` and ``arm`` by
    name are the subject's part in one.
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
    """Whether a chat model may be asked what the turn is after."""


@dataclass(frozen=True, slots=True)
class Held:
    """What was read for one context."""

    found: Recalled
    around: Surroundings = field(default_factory=Surroundings)
    scene: Scene | None = None
    tasks: tuple[Passage, ...] = ()
    missing: frozenset[DegradedReason] = frozenset()

    @property
    def degraded(self) -> frozenset[DegradedReason]:
        """What was missing meanwhile."""
        without_redis = self.scene is not None and self.scene.window.degraded
        return self.found.degraded | self.missing | ({DegradedReason.REDIS_UNAVAILABLE} if without_redis else set())


@dataclass(frozen=True, slots=True)
class Ready:
    """A request for which every model has been asked, to be answered from what is remembered, also more than once.

    ``asked`` has its intent; ``missing``: what could not be asked.
    """

    subject: str
    asked: ContextQuery
    question: Question
    policy: ContextPolicy
    missing: frozenset[DegradedReason]
    watch: Stopwatch


@dataclass(frozen=True, slots=True)
class Drawn:
    """A context of which nothing is written yet; ``held.found.subject_id`` is None for a subject that is new."""

    ready: Ready
    held: Held
    context: AssembledContext
    route: ModelRoute


@dataclass(frozen=True, slots=True)
class Built:
    """A context, its receipt, and milliseconds by stage."""

    context: AssembledContext
    route: ModelRoute
    receipt: Receipt
    timings_ms: Mapping[str, float] = field(default_factory=dict)


def build_context(
    tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy = DEFAULT_CONTEXT
) -> Built:
    """Return a context that fits its budget, and leave a receipt; makes the subject on first sight.

    Opens the tenant's scopes itself. Raises BudgetTooSmall; then nothing is written.
    """
    ready = made_ready(tenant_id, subject_external_id, asked, policy)
    for _ in range(TRIED_FREELY):
        with suppress(ContextOutdated):
            return leave_receipt_alone(tenant_id, drawn_from(known_to_product(tenant_id, ready.subject), ready))
    with tenant_tx(tenant_id):
        return build_held(ready)


def draw_context(
    tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy = DEFAULT_CONTEXT
) -> Drawn:
    """Return a context of what is remembered now, and write nothing. No scope may be open. Raises BudgetTooSmall."""
    ready = made_ready(tenant_id, subject_external_id, asked, policy)
    return drawn_from(known_to_product(tenant_id, subject_external_id), ready)


def made_ready(tenant_id: UUID, subject_external_id: str, asked: ContextQuery, policy: ContextPolicy) -> Ready:
    """Return a request with what models make of it. No scope may be open."""
    watch = Stopwatch()
    lanes = (SNAPSHOTS, NOTES, *((DOCUMENTS,) if asked.knowledge else ()))
    question = prepare_question(asked.request.query, asked.recall, lanes=lanes)
    watch.ms["embed"] = question.embed_ms
    missing: frozenset[DegradedReason] = frozenset()
    if asked.by_model:
        with watch.stage("understand"):
            request, missing = understand(tenant_id, asked.request)
            asked = replace(asked, request=request)
    asked = replace(asked, request=with_intent(asked.request, question.probe.vectors))
    return Ready(subject_external_id, asked, question, policy, missing, watch)


def drawn_from(whose: Whose, ready: Ready) -> Drawn:
    """Return a context of what is remembered of ``whose`` subject as it is read, and write nothing. Raises
    BudgetTooSmall."""
    asked, request, question, policy = ready.asked, ready.asked.request, ready.question, ready.policy
    with ready.watch.stage("recall"):
        held = replace(read(whose, ready), missing=ready.missing)
    with ready.watch.stage("assemble"):
        request = replace(request, at=local_time(request.at or utc_now(), held.found.lanes))
        material = material_of(
            request.query,
            held.found,
            held.scene,
            full_history=held.around.full_history,
            standing=standing_notes(held.around),
            needs=question.probe.needs,
        )
        first = material.said_first or ((request.query,) if asked.conversation_id is not None else ())
        material = replace(material, tasks=held.tasks, said_first=first)
        if policy.detect_phase:
            request = with_phase(request, material.turns, question.probe.vectors)
        context = assemble(request, material, counter=COUNTER, nonce=new_nonce(), policy=policy)
        route = routed(request, material, held.around.route, policy)
    return Drawn(ready, held, context, route)


def leave_receipt(drawn: Drawn) -> Built:
    """Leave the receipt of a context in the open scope. Raises ContextOutdated; the scope must then be given up."""
    with drawn.ready.watch.stage("receipt"):
        subject_id = drawn.held.found.subject_id or ensure_subject(drawn.ready.subject).id
        receipt = write_receipt(draft_of(drawn, subject_id))
    return built(drawn, receipt)


def leave_receipt_or_anew(drawn: Drawn) -> Built:
    """Leave the receipt of a context in the open scope, or else that of one made anew, which cannot be outdated."""
    try:
        with transaction.atomic():
            return leave_receipt(drawn)
    except ContextOutdated:
        return build_held(drawn.ready)


def build_held(ready: Ready) -> Built:
    """Return a context and leave its receipt, all in the open scope while nobody can change the memory or end the
    subject. They wait as long as it takes to read, rank and write. Raises BudgetTooSmall."""
    hold_memory(ready.subject)
    return leave_receipt(drawn_from(known_in_scope(ready.subject), ready))


def leave_receipt_alone(tenant_id: UUID, drawn: Drawn) -> Built:
    """Do the same with no scope open: in one round trip, but for a subject that is new. Raises ContextOutdated."""
    subject_id = drawn.held.found.subject_id
    if subject_id is None:
        with tenant_tx(tenant_id):
            return leave_receipt(drawn)
    with drawn.ready.watch.stage("receipt"):
        receipt = note_receipt(tenant_id, draft_of(drawn, subject_id))
    return built(drawn, receipt)


def read(whose: Whose, ready: Ready) -> Held:
    """Read everything that might go into the context; a conversation that nobody has started is an empty one."""
    asked, policy = ready.asked, ready.policy
    candidates = policy.candidates_for(
        asked.request.budget, asked.request.intent, intent_read=asked.request.intent_read
    )
    replies = asked.replies or asks_for_replies(asked.request.query)
    query = RecallQuery(
        asked.request.query,
        asked_at=utc_now(),
        lanes=LANES_OF_CONTEXTS | {REPLIES} if replies else LANES_OF_CONTEXTS,
        replies_named=asked.replies,
        top_k=candidates,
        notes_top_k=candidates,
        explain=True,
        strict=asked.request.strict,
        filter=asked.filter,
        left_out=policy.left_out_noted,
        sources_within=asked.conversation_id or "",  # only what its window may hold as well is asked where it is from
    )
    along = partial(statements_along, whose.tenant_id, conversation_id=asked.conversation_id)
    found = recall_of(whose, query, ready.question, along)
    if found.subject_id is None:
        return Held(found)
    around = surroundings_of(found.more)
    tasks = task_passages(whose, found.subject_id) if asked.tasks else ()
    return Held(found, around, scene_of(whose, around), tasks)


def routed(request: ContextRequest, material: Material, before: ModelRoute | None, policy: ContextPolicy) -> ModelRoute:
    """Return which tier of model a turn calls for, after the answer that ``before`` was the route of."""
    return route_for(
        request.intent,
        corrected=puts_right(request.query, material.turns),
        before=before,
        good_hit=lambda: is_good_hit(request.query, material.memories, policy),
        policy=policy,
    )


def draft_of(drawn: Drawn, subject_id: UUID) -> ReceiptDraft:
    """Return the receipt to be of a context."""
    asked, held, context = drawn.ready.asked, drawn.held, drawn.context
    return ReceiptDraft(
        subject_id=subject_id,
        conversation_id=held.around.conversation.id if held.around.conversation else None,
        policy_version=asked.policy_version,
        experiment=asked.experiment,
        arm=asked.arm,
        intent=context.intent,
        phase=context.phase,
        model_route=drawn.route.kept,
        candidates=candidates_from(context, held.found),
        sections=kept_sections(context),
        tokens=shown_tokens(context.tokens),
        prefix_hash=context.prefix.hash,
        degraded_reason=joined(held.degraded),
        rendered=render_sent(asked.request.query, context),
        epoch=held.found.state.epoch or None,  # none: there was no memory that could be forgotten
    )


def built(drawn: Drawn, receipt: Receipt) -> Built:
    """Return a context whose receipt is written, put into metrics and log."""
    spent = drawn.ready.watch.ms
    timings = {**spent, "total": round(sum(spent.values()), 3)}
    CONTEXT_SECONDS.observe(timings["total"] / 1000)
    CONTEXT_TOKENS.observe(drawn.context.tokens.total)
    log(Event.CONTEXT_ASSEMBLED, receipt=receipt.id, tokens=drawn.context.tokens.total, ms=timings["total"])
    return Built(drawn.context, drawn.route, receipt, timings)
