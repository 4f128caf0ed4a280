"""Which of the incoming messages are new: pure, the order of acceptance is the order of the request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import orjson

from memory_platform.kernel.ids import new_id
from memory_platform.providers.tokens import TokenEstimator
from snapshots.intake.values import CONTENT_DIFFERS, AcceptedMessage, IncomingMessage
from snapshots.models import Conversation, Message

COUNTER = TokenEstimator()


@dataclass(frozen=True, slots=True)
class Known:
    """A message that is stored already: its order and the fingerprint of its content."""

    seq: int
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Sorted:
    """Every incoming message's fate, and the rows of the new ones."""

    fates: tuple[AcceptedMessage, ...]
    new: tuple[Message, ...]


def sort_out(
    conversation: Conversation, incoming: Sequence[IncomingMessage], known: Mapping[str, Known], *, at: datetime
) -> Sorted:
    """Give each new message the next order number; an id that is known, or came before in the batch, keeps its own."""
    seen = dict(known)
    fates: list[AcceptedMessage] = []
    new: list[Message] = []
    for message in incoming:
        message_id = message.message_id or str(new_id())
        fingerprint = message.fingerprint()
        first = seen.get(message_id)
        if first is not None:
            reason = None if first.fingerprint == fingerprint else CONTENT_DIFFERS
            fates.append(AcceptedMessage(message_id, first.seq, "duplicate", reason))
            continue
        seq = conversation.next_seq + len(new)
        seen[message_id] = Known(seq, fingerprint)
        fates.append(AcceptedMessage(message_id, seq, "stored"))
        new.append(_row(conversation, message, message_id, seq, fingerprint, at))
    return Sorted(tuple(fates), tuple(new))


def tokens_of(message: IncomingMessage) -> int:
    """Return the estimated tokens of a message: its text, and its tool calls as JSON."""
    calls = orjson.dumps(message.tool_calls).decode() if message.tool_calls else ""
    return COUNTER.count(message.text) + (COUNTER.count(calls) if calls else 0)


def _row(
    conversation: Conversation,
    message: IncomingMessage,
    message_id: str,
    seq: int,
    fingerprint: bytes,
    at: datetime,
) -> Message:
    return Message(
        subject_id=conversation.subject_id,
        conversation=conversation,
        external_id=message_id,
        seq=seq,
        role=message.role,
        name=message.name,
        content=message.text,
        parts=message.parts,
        tool_calls=list(message.tool_calls) if message.tool_calls else None,
        tool_call_id=message.tool_call_id or "",
        metadata=dict(message.metadata),
        remember=message.remember and conversation.remember,
        content_hash=fingerprint,
        tokens=tokens_of(message),
        said_at=message.said_at or at,
        accepted_at=at,
    )
