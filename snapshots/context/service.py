"""A context as one call: the question is made ready with no transaction open, then one scope recalls, assembles and
leaves a receipt."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import CONTEXT_SECONDS, CONTEXT_TOKENS
from memory_platform.providers.tokens import TokenEstimator
from profiles.held import subject_id_of
from profiles.services.subjects import ensure_subject
from snapshots.context.assemble import assemble
from snapshots.context.beginning import beginning_of
from snapshots.context.fence import new_nonce
from snapshots.context.guide import language_of
from snapshots.context.material import Scene, material_of
from snapshots.context.policy import DEFAULT_CONTEXT
from snapshots.context.reading import with_intent, with_phase
from snapshots.context.record import candidates_from, shown_sections, shown_tokens
from snapshots.context.values import AssembledContext, ContextRequest
from snapshots.models import Conversation, Receipt
from snapshots.recall.answer import Recalled
from snapshots.recall.degraded import DegradedReason, joined
from snapshots.recall.search import Question, Stopwatch, prepare_question
from snapshots.recall.service import recall_in_scope
from snapshots.recall.values import RecallQuery
from snapshots.receipts.values import ReceiptDraft, Rendered
from snapshots.receipts.write import write_receipt
from snapshots.window.window import window_of
from tenants.isolation import current_tenant_id, tenant_tx

COUNTER = TokenEstimator()
HISTORY_TOKENS = "SELECT coalesce(sum(tokens), 0) FROM message WHERE tenant_id = %s AND subject_id = %s"


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """One request for a context. Intent and phase in ``request`` are the caller's; None leaves them to the rules."""

    request: ContextRequest
    policy_version: str
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """What was read for one context. ``full_history`` in tokens."""

    subject_id: UUID
    conversation: Conversation | None
    scene: Scene | None
    found: Recalled
    full_history: int

    @property
    def degraded(self) -> frozenset[DegradedReason]:
        """What was missing meanwhile."""
        without_redis = self.scene is not None and self.scene.window.degraded
        return self.found.degraded | ({DegradedReason.REDIS_UNAVAILABLE} if without_redis else set())


@dataclass(frozen=True, slots=True)
class Built:
    """A context, its receipt, and milliseconds by stage."""

    context: AssembledContext
    receipt: Receipt
    timings_ms: Mapping[str, float] = field(default_factory=dict)


def build_context(tenant_id: UUID, subject_external_id: str, asked: ContextQuery) -> Built:
    """Return a context that fits its budget, and leave a receipt; makes the subject on first sight.

    Opens the tenant's scope itself. Raises BudgetTooSmall; then nothing is written.
    """
    question = prepare_question(asked.request.query)
    with tenant_tx(tenant_id):
        return build_in_scope(subject_external_id, asked, question)


def build_in_scope(subject_external_id: str, asked: ContextQuery, question: Question) -> Built:
    """Do the same for a prepared question, in the open scope."""
    watch = Stopwatch()
    with watch.stage("total"):
        request = with_intent(asked.request)
        with watch.stage("recall"):
            held = read(known_subject_id(subject_external_id), asked.conversation_id, request, question)
        with watch.stage("assemble"):
            material = material_of(request.query, held.found, held.scene, full_history=held.full_history)
            request = with_phase(request, material.turns)
            context = assemble(request, material, counter=COUNTER, nonce=new_nonce(), policy=DEFAULT_CONTEXT)
        receipt = write_receipt(draft_of(asked, held, context))
    timings = {**watch.ms, "total": round(watch.ms["total"] + question.embed_ms, 3)}
    count(context, receipt, timings["total"])
    return Built(context, receipt, timings)


def known_subject_id(external_id: str) -> UUID:
    """Return the subject's id, making the subject on first sight."""
    return subject_id_of(external_id) or ensure_subject(external_id).id


def read(subject_id: UUID, conversation_id: str | None, request: ContextRequest, question: Question) -> Held:
    """Read everything that might go into the context; a conversation that nobody has started is an empty one."""
    conversation = None
    if conversation_id is not None:
        conversation = Conversation.objects.filter(subject_id=subject_id, external_id=conversation_id).first()
    return Held(
        subject_id=subject_id,
        conversation=conversation,
        scene=scene_of(conversation, request) if conversation else None,
        found=recall_in_scope(subject_id, question_in(request), question),
        full_history=history_tokens(subject_id),
    )


def scene_of(conversation: Conversation, request: ContextRequest) -> Scene:
    """Return the conversation's window, and how it began unless the system prompt tells the guide's language."""
    window = window_of(conversation)
    tells = language_of(request.system_prompt)
    return Scene(conversation.external_id, window, () if tells else beginning_of(conversation, window))


def question_in(request: ContextRequest) -> RecallQuery:
    """Return what a context asks the memory: as much as its budget might hold, explained for the receipt."""
    candidates = DEFAULT_CONTEXT.candidates_for(request.budget, request.intent)
    return RecallQuery(request.query, asked_at=utc_now(), top_k=candidates, explain=True)


def history_tokens(subject_id: UUID) -> int:
    """Return what it would cost to send all that the subject's conversations hold."""
    with connection.cursor() as cursor:
        cursor.execute(HISTORY_TOKENS, [current_tenant_id(), subject_id])
        return int(cursor.fetchone()[0])


def draft_of(asked: ContextQuery, held: Held, context: AssembledContext) -> ReceiptDraft:
    """Return the receipt to be of a context."""
    return ReceiptDraft(
        subject_id=held.subject_id,
        conversation_id=held.conversation.id if held.conversation else None,
        policy_version=asked.policy_version,
        intent=context.intent,
        phase=context.phase,
        candidates=candidates_from(context, held.found.memories),
        sections=shown_sections(context.sections),
        tokens=shown_tokens(context.tokens),
        prefix_hash=context.prefix.hash,
        degraded_reason=joined(held.degraded),
        rendered=Rendered(asked.request.query, context.messages, context.text),
    )


def count(context: AssembledContext, receipt: Receipt, spent_ms: float) -> None:
    """Put one context into metrics and log."""
    CONTEXT_SECONDS.observe(spent_ms / 1000)
    CONTEXT_TOKENS.observe(context.tokens.total)
    log(Event.CONTEXT_ASSEMBLED, receipt=receipt.id, tokens=context.tokens.total, ms=spent_ms)
