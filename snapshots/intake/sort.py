"""Which of the incoming messages are new: pure, the order of acceptance is the order of the request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import orjson

from memory_platform.kernel.ids import new_id
from memory_platform.kernel.local_time import offset_of
from memory_platform.providers.tokens import TokenEstimator
from snapshots.intake.special import NOTHING_SPECIAL, Screened
from snapshots.intake.values import CONTENT_DIFFERS, SPECIAL_CATEGORY, AcceptedMessage, IncomingMessage
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
    conversation: Conversation,
    incoming: Sequence[IncomingMessage],
    known: Mapping[str, Known],
    *,
    at: datetime,
    special: Screened = NOTHING_SPECIAL,
) -> Sorted:
    """Give each new message the next order number; an id that is known, or came before in the batch, keeps its own.

    What the ``special`` ones tell stays in their conversation, or they are not stored.
    """
    seen = dict(known)
    fates: list[AcceptedMessage] = []
    new: list[Message] = []
    for place, message in enumerate(incoming):
        message_id = message.message_id or str(new_id())
        fingerprint = message.fingerprint()
        first = seen.get(message_id)
        if first is not None:
            reason = None if first.fingerprint == fingerprint else CONTENT_DIFFERS
            fates.append(AcceptedMessage(message_id, first.seq, "duplicate", reason))
            continue
        is_special = place in special.places
        if is_special and special.refused:
            fates.append(AcceptedMessage(message_id, None, "rejected", SPECIAL_CATEGORY))
            continue
        seq = conversation.next_seq + len(new)
        seen[message_id] = Known(seq, fingerprint)
        fates.append(AcceptedMessage(message_id, seq, "stored", SPECIAL_CATEGORY if is_special else None))
        told = replace(message, remember=False) if is_special else message
        new.append(_row(conversation, told, message_id, seq, fingerprint, at))
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
    said_at = message.said_at or at
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
        said_at=said_at.astimezone(UTC),
        said_offset=offset_of(said_at),
        accepted_at=at,
    )
