"""Answers of the demo world: contexts with their receipts, replies and the users' reactions."""

from uuid import UUID

from memory_platform.devstack.seed.data import SeedAnswer
from profiles.models import Subject
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.feedback.outcome import classify_sense_of_part, record_outcome
from snapshots.feedback.tallies.indicators import roll_up_recent_indicators
from snapshots.feedback.values import OutcomePart
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.jobs import drain_work_job
from snapshots.models import Conversation
from snapshots.policies.effective import load_effective_policies_in_scope
from snapshots.queue.metrics import roll_up_waits
from tenants.isolation import tenant_tx
from tenants.services.usage.recording import roll_up_usage


def run_waiting_work(tenant_id: UUID) -> None:
    """Do the tenant's waiting work here, so that the demo world's memories exist before anybody looks."""
    drain_work_job(tenant_id=str(tenant_id))


def roll_up_days(tenant_id: UUID) -> None:
    """Roll up the tenant's days of quality, latency and usage, as jobs do within the hour."""
    roll_up_recent_indicators(tenant_id)
    roll_up_waits(tenant_id)
    roll_up_usage(tenant_id)


def record_demo_answer(tenant_id: UUID, subject_id: str, plan: SeedAnswer) -> None:
    """Request a context, post the turn and report its outcome; do nothing if the conversation exists."""
    with tenant_tx(tenant_id):
        if Conversation.objects.filter(subject__external_id=subject_id, external_id=plan.conversation_id).exists():
            return
        policies = load_effective_policies_in_scope(tenant_id, subject_id)
    query = ContextCall(ContextRequest(plan.query), policies.version, plan.conversation_id, recall=policies.recall)
    receipt = build_context(tenant_id, subject_id, query, policies.context).receipt
    told = OutcomePart(plan.reply, plan.next)
    sense = classify_sense_of_part(tenant_id, receipt.id, told)
    with tenant_tx(tenant_id):
        subject = Subject.objects.get(external_id=subject_id)
        turns = (("user", plan.query), ("assistant", plan.reply))
        accept_messages(
            subject, plan.conversation_id, [IncomingMessage(role=role, content=said) for role, said in turns]
        )
    with tenant_tx(tenant_id):
        record_outcome(receipt.id, told, sense=sense)
    with tenant_tx(tenant_id):
        accept_messages(subject, plan.conversation_id, [IncomingMessage(role="user", content=plan.next)])
