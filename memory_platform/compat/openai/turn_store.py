"""Keeps both turns of a call after its answer went out, by the intake that the REST API has.

The user's message counts as said once the endpoint has begun to answer it. A reply is kept whole or not at all: one
that the endpoint or the client broke off was not given.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory_platform.api.views.idempotency import write_with_retries
from memory_platform.compat.openai.call_memory import CallMemory
from memory_platform.compat.openai.config import PROXY
from memory_platform.compat.openai.forms.spoken_items import ASSISTANT, USER, ModelReply, SpokenItem, read_message
from memory_platform.compat.openai.turn_message_ids import CallTurn, number_turn
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import PROXY_TURNS
from memory_platform.observability.request_logging import log_failure
from profiles.selectors import build_subject_key, find_subject
from profiles.services.subjects import ensure_subject
from snapshots.feedback.record_outcome import record_outcome
from snapshots.feedback.values import OutcomePart
from snapshots.intake.pipeline import accept_messages, prepare_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Message, MessageRole, Snapshot
from snapshots.policies.effective_policies import load_effective_notes_policy
from tenants.isolation import tenant_tx
from tenants.services.keys import Caller
from tenants.services.usage.quotas import reserve_snapshots

STORED, FAILED, EMPTY = "stored", "failed", "empty"


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """The turn of a call, ready to be stored. ``is_named``: the client named the conversation. ``memory``: the memory
    that went into it."""

    caller: Caller
    subject_id: str
    conversation_id: str
    turn: CallTurn
    memory: CallMemory
    said_at: datetime
    is_named: bool = False
    is_retried: bool = False


class SubjectGone(MemoryPlatformError):
    """The subject was erased while the model answered: its words must not come back."""

    code = "subject_gone"


def store_turn(heard: HeardTurn, reply: ModelReply | None) -> None:
    """Keep the turn, and record the reply at the receipt. Never raises: the client has its answer."""
    try:
        outcome = STORED if store_messages(heard, reply) else EMPTY
        if reply and reply.text and heard.memory.receipt_id:
            record_reply_outcome(heard.caller.tenant_id, heard.memory.receipt_id, reply.text)
    except Exception as error:  # noqa: BLE001 -- nobody is left to tell but the operator
        outcome = FAILED
        log(Event.TURN_LOST, tenant=heard.caller.tenant_id, error=getattr(error, "code", type(error).__qualname__))
        if not isinstance(error, MemoryPlatformError):
            log_failure(error)
    PROXY_TURNS.labels(outcome=outcome).inc()


def store_messages(heard: HeardTurn, reply: ModelReply | None) -> int:
    """Store the turn's messages and the reply; return how many were offered. Those stored before are duplicates."""
    caller, tenant_id = heard.caller, heard.caller.tenant_id
    with tenant_tx(tenant_id):
        start = find_start(heard)
    incoming = build_messages(heard, reply, start)
    if not incoming:
        return 0
    policy = load_effective_notes_policy(tenant_id, caller.policy_epoch)
    prepared = prepare_messages(tenant_id, heard.subject_id, heard.conversation_id, incoming, policy)

    def write() -> None:
        with tenant_tx(tenant_id):
            reserve_snapshots(caller.limits, len(incoming), Snapshot.objects.count)
            if heard.memory.knew and find_subject(heard.subject_id) is None:
                raise SubjectGone
            accept_messages(ensure_subject(heard.subject_id), heard.conversation_id, incoming, prepared)

    write_with_retries(write)
    return len(incoming)


def record_reply_outcome(tenant_id: UUID, receipt_id: UUID, reply: str) -> None:
    """Record the reply as the outcome of the context that went into the call."""
    with tenant_tx(tenant_id):
        record_outcome(receipt_id, OutcomePart(reply=reply))


def build_messages(heard: HeardTurn, reply: ModelReply | None, start: str) -> list[IncomingMessage]:
    """Return the messages that the REST API would take; others are left out."""
    numbered = number_turn(heard.turn, start, PROXY.messages)
    values = list(numbered.messages)
    if reply:
        said = {"content": reply.text or None, "tool_calls": list(reply.tool_calls) or None}
        values.append({"message_id": numbered.reply_id, "role": ASSISTANT, **said})
    messages = [message for one in values if (message := read_message(one)) is not None]
    return [replace(one, said_at=heard.said_at) if one.role == USER else one for one in messages]


def find_start(heard: HeardTurn) -> str:
    """Return the value that stands for all turns before the call's first item, in the open scope.

    A client that tells the history, or began the conversation with these words, needs nothing. One that sends only its
    newest message may say the same words again: the place of the message in the conversation tells them apart.
    """
    asked = heard.turn.last_user_item
    if not heard.is_named or heard.turn.tells_history or asked is None:
        return ""
    own = Message.objects.filter(
        subject_id=build_subject_key(heard.subject_id), conversation__external_id=heard.conversation_id
    )
    replies = own.filter(role=MessageRole.ASSISTANT).order_by("-seq").values_list("seq", flat=True)
    last = own.filter(role=MessageRole.USER).order_by("-seq").first()
    if last is not None and last.content == read_text(asked):
        is_answered = replies.filter(seq__gt=last.seq).exists()
        if not is_answered or heard.is_retried or heard.turn.is_continued:
            replies = replies.filter(seq__lt=last.seq)
    return str(replies.first() or 0)


def read_text(item: SpokenItem) -> str:
    """Return the words of an item as they are stored, "" if it is not."""
    message = read_message({"role": item.role, **item.values})
    return message.text if message else ""
