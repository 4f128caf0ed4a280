"""Tell the demo world's talks, as a product does that asks for a context before each reply and posts both turns."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from memory_platform.devstack.seed.backdating import write_at_past_moment
from memory_platform.devstack.seed.demo_people import SeedTalk
from memory_platform.devstack.seed.events_beside_talks import STORY
from profiles.services.subjects import ensure_subject
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.feedback.record_outcome import classify_sense_of_part, record_outcome
from snapshots.feedback.values import OutcomePart
from snapshots.intake.conversation_rows import end_conversation_on_request, lock_or_create_conversation
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Conversation
from snapshots.policies.effective_policies import load_effective_policies_in_scope
from snapshots.understanding.slots.slot_patterns import load_language
from tenants.isolation import tenant_tx

BETWEEN_LINES = timedelta(seconds=20)
DAY = timedelta(days=1)
LANGUAGES = ("en", "zh")
ROLES = ("user", "assistant")


def compute_talk_start(talk: SeedTalk, now: datetime) -> datetime:
    """Return when a talk began; of today's, before ``now``."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    since_midnight = datetime.combine(midnight, talk.at, UTC) - midnight
    if talk.day == 0:
        return midnight + since_midnight * ((now - midnight) / DAY)
    return midnight - DAY * talk.day + since_midnight


def tell_talk(tenant_id: UUID, talk: SeedTalk, began: datetime) -> bool:
    """Have a conversation and end it, unless it is today's; return False, and do nothing, if it exists."""
    with tenant_tx(tenant_id):
        if Conversation.objects.filter(subject__external_id=talk.subject, external_id=talk.id).exists():
            return False
    for language in LANGUAGES:
        load_language(language)  # takes seconds the first time: not while a transaction is open
    steps = range(0, 2 * talk.answer_count, 2) if talk.answered else range(1)
    for first in steps:
        is_last = first == steps[-1]
        with write_at_past_moment(tenant_id, talk.subject, began + BETWEEN_LINES * first):
            messages = _build_messages(talk, began)
            if talk.answered:
                _answer(tenant_id, talk, messages[first : first + 3])
                messages = messages[first + 2 :]
            if is_last:
                _post(tenant_id, talk, messages)
                STORY[talk.then](tenant_id, talk.subject)
                if talk.day:
                    _end(tenant_id, talk)
    return True


def _build_messages(talk: SeedTalk, began: datetime) -> list[IncomingMessage]:
    return [
        IncomingMessage(
            role=ROLES[number % 2],
            content=said,
            message_id=f"{talk.id}-{number}",
            said_at=began + BETWEEN_LINES * number,
        )
        for number, said in enumerate(talk.lines)
    ]


def _post(tenant_id: UUID, talk: SeedTalk, messages: Sequence[IncomingMessage]) -> None:
    if messages:
        with tenant_tx(tenant_id):
            accept_messages(ensure_subject(talk.subject), talk.id, messages)


def _end(tenant_id: UUID, talk: SeedTalk) -> None:
    with tenant_tx(tenant_id):
        end_conversation_on_request(talk.subject, talk.id)


def _answer(tenant_id: UUID, talk: SeedTalk, messages: Sequence[IncomingMessage]) -> None:
    """Request a context for the question, post question and reply, and report the outcome as far as it is known."""
    query, reply, *following = messages
    with tenant_tx(tenant_id):
        # Before the first context, so that its receipt names the conversation.
        lock_or_create_conversation(ensure_subject(talk.subject), talk.id)
        policies = load_effective_policies_in_scope(tenant_id, talk.subject)
    request = ContextRequest(query.text, at=query.said_at)
    call = ContextCall(request, policies.version, talk.id, recall=policies.recall)
    receipt = build_context(tenant_id, talk.subject, call, policies.context).receipt
    _post(tenant_id, talk, (query, reply))
    told = OutcomePart(reply.text, following[0].text if following else None)
    sense = classify_sense_of_part(tenant_id, receipt.id, told)
    with tenant_tx(tenant_id):
        record_outcome(receipt.id, told, sense=sense)
