"""The new ones among incoming messages: told from duplicates, numbered in the order of the request, and written.

Messages with special categories of data (health, faith ...) are learned from, kept to their conversation, or not
stored, as the policy ``notes.special_categories`` says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import orjson
from django.db import connection

from memory_platform.kernel.clock import offset_of
from memory_platform.kernel.ids import new_id
from memory_platform.providers.contracts import EmbeddingUnavailable
from memory_platform.providers.token_estimator import TokenEstimator
from snapshots.intake.values import CONTENT_DIFFERS, SPECIAL_CATEGORY, IncomingMessage, MessageResult
from snapshots.models import Conversation, Message, MessageRole, VitalClass
from snapshots.notes.policy_section import KEEP, REFUSE, NotesPolicy, load_notes_policy
from snapshots.sensitive.special_categories import find_special_categories
from snapshots.understanding.config import NOTING
from snapshots.understanding.grading.clause_classifier import ClauseGrade, grade_messages
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading.clauses import split_clauses
from tenants.isolation import current_tenant_id

HEALTH = frozenset({VitalClass.ALLERGY, VitalClass.ILLNESS, VitalClass.ACCESSIBILITY})


@dataclass(frozen=True, slots=True)
class Screening:
    """The places of messages that must teach nothing. ``refused``: they are not stored either."""

    places: frozenset[int] = frozenset()
    refused: bool = False


NOTHING_SPECIAL = Screening()


def screen_with_classifier(policy: NotesPolicy, incoming: Sequence[IncomingMessage]) -> Screening:
    """Return the messages that this policy excludes from learning, whoever says them.

    Reads words, and uses the clause reader where no word matches. Embeds: no transaction may be open.
    """
    if policy.special_categories == KEEP:
        return NOTHING_SPECIAL
    spoken = [SpokenMessage(one.text, tuple(split_clauses(one.text)[: NOTING.graded_clauses])) for one in incoming]
    try:
        grades: Sequence[Sequence[ClauseGrade]] = grade_messages(spoken)
    except EmbeddingUnavailable:
        grades = [()] * len(incoming)
    told = [
        _names_special_category(one)
        or any(grade.vital >= NOTING.vital_from and grade.vital_class in HEALTH for grade in own)
        for one, own in zip(incoming, grades, strict=True)
    ]
    return _build_screening(policy, told)


def screen_by_words(incoming: Sequence[IncomingMessage]) -> Screening:
    """Return the same by words alone, in the open scope. The tenant's policy is read only where a message has such
    words."""
    told = [_names_special_category(one) for one in incoming]
    return _build_screening(load_notes_policy(), told) if any(told) else NOTHING_SPECIAL


def _build_screening(policy: NotesPolicy, flags: Sequence[bool]) -> Screening:
    if policy.special_categories == KEEP:
        return NOTHING_SPECIAL
    places = frozenset(place for place, is_told in enumerate(flags) if is_told)
    return Screening(places, policy.special_categories == REFUSE)


def _names_special_category(message: IncomingMessage) -> bool:
    return message.role != MessageRole.SYSTEM and bool(find_special_categories(message.text))


COUNTER = TokenEstimator()

# A batch goes as one JSON value: a tenth of the cost of one parameter per column.
_INSERT = """
INSERT INTO message (
    tenant_id, subject_id, conversation_id, accepted_at, id, external_id, seq, role, name, content, parts, tool_calls,
    tool_call_id, metadata, remember, content_hash, tokens, said_at,
    said_offset
)
SELECT
    %(tenant)s, %(subject)s, %(conversation)s, %(accepted_at)s, m.id, m.external_id, m.seq, m.role, m.name, m.content,
    m.parts, m.tool_calls, m.tool_call_id, m.metadata, m.remember, decode(m.content_hash, 'hex'), m.tokens, m.said_at,
    m.said_offset
FROM jsonb_to_recordset(%(messages)s::jsonb) AS m (
    id uuid, external_id text, seq bigint, role text, name text, content text, parts jsonb, tool_calls jsonb,
    tool_call_id text, metadata jsonb, remember boolean, content_hash text, tokens integer, said_at timestamptz,
    said_offset smallint
)
"""
_COLUMNS = (
    *("id", "external_id", "seq", "role", "name", "content", "parts", "tool_calls", "tool_call_id", "metadata"),
    *("remember", "tokens", "said_at", "said_offset"),
)


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message that is stored already: its order and the fingerprint of its content."""

    seq: int
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class SortedBatch:
    """Every incoming message's fate, and the rows of the new ones."""

    results: tuple[MessageResult, ...]
    new: tuple[Message, ...]


def load_stored_messages(conversation: Conversation, incoming: Sequence[IncomingMessage]) -> dict[str, StoredMessage]:
    ids = [message.message_id for message in incoming if message.message_id]
    if not ids or conversation.next_seq == 1:
        return {}
    rows = Message.objects.filter(
        subject_id=conversation.subject_id, conversation_id=conversation.id, external_id__in=ids
    )
    found = rows.order_by().values_list("external_id", "seq", "content_hash")
    return {external_id: StoredMessage(seq, bytes(fingerprint)) for external_id, seq, fingerprint in found}


def number_new_messages(
    conversation: Conversation,
    incoming: Sequence[IncomingMessage],
    stored: Mapping[str, StoredMessage],
    *,
    at: datetime,
    special: Screening = NOTHING_SPECIAL,
) -> SortedBatch:
    """Give each new message the next order number; an id that is stored, or came before in the batch, keeps its own.
    The ``special`` ones stay in their conversation and teach nothing, or are not stored at all."""
    seen = dict(stored)
    fates: list[MessageResult] = []
    new: list[Message] = []
    for place, message in enumerate(incoming):
        message_id = message.message_id or str(new_id())
        fingerprint = message.fingerprint()
        first = seen.get(message_id)
        if first is not None:
            reason = None if first.fingerprint == fingerprint else CONTENT_DIFFERS
            fates.append(MessageResult(message_id, first.seq, "duplicate", reason))
            continue
        is_special = place in special.places
        if is_special and special.refused:
            fates.append(MessageResult(message_id, None, "rejected", SPECIAL_CATEGORY))
            continue
        seq = conversation.next_seq + len(new)
        seen[message_id] = StoredMessage(seq, fingerprint)
        fates.append(MessageResult(message_id, seq, "stored", SPECIAL_CATEGORY if is_special else None))
        told = replace(message, remember=message.remember and not is_special)
        new.append(_build_row(conversation, told, message_id, seq, fingerprint, at))
    return SortedBatch(tuple(fates), tuple(new))


def estimate_tokens(message: IncomingMessage) -> int:
    calls = orjson.dumps(message.tool_calls).decode() if message.tool_calls else ""
    return COUNTER.count(message.text) + (COUNTER.count(calls) if calls else 0)


def insert_messages(conversation: Conversation, messages: Sequence[Message]) -> None:
    rows = [
        {
            **{column: getattr(message, column) for column in _COLUMNS},
            "content_hash": bytes(message.content_hash).hex(),
        }
        for message in messages
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT,
            {
                "tenant": current_tenant_id(),
                "subject": conversation.subject_id,
                "conversation": conversation.id,
                "accepted_at": messages[0].accepted_at,
                "messages": orjson.dumps(rows).decode(),
            },
        )


def _build_row(
    conversation: Conversation, message: IncomingMessage, message_id: str, seq: int, fingerprint: bytes, at: datetime
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
        tokens=estimate_tokens(message),
        said_at=said_at.astimezone(UTC),
        said_offset=offset_of(said_at),
        accepted_at=at,
    )
