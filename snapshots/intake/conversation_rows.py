"""The conversation's row: created on first sight, and locked, because the order of locks is the order of messages."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from memory_platform.kernel.ids import stable_id
from profiles.models import Subject
from profiles.selectors import build_subject_key
from snapshots.conversation_queries import add_archived_words
from snapshots.errors import ConversationUnknown
from snapshots.models import Conversation, ConversationStatus, Message, Snapshot, SnapshotKind, Work
from snapshots.queue.enqueue import end_conversation
from snapshots.queue.worker_wake_ups import wake_workers
from snapshots.summaries.conversation_snapshots import CONVERSATION_VERSION
from snapshots.understanding.config import SUMMARY
from tenants.isolation import current_tenant_id


def lock_or_create_conversation(subject: Subject, external_id: str) -> Conversation:
    # Not FOR UPDATE: workers that store memories of this conversation hold its key and must not wait.
    rows = Conversation.objects.select_for_update(no_key=True)
    found = rows.filter(subject=subject, external_id=external_id).first()
    if found is not None:
        return found
    # A conversation that a twin request made meanwhile is locked by the same statement, so it cannot vanish again.
    Conversation.objects.bulk_create(
        [Conversation(subject=subject, external_id=external_id)],
        update_conflicts=True,
        unique_fields=["tenant", "subject", "external_id"],
        update_fields=["last_accepted_at"],  # any field that no key refers to would do
    )
    return Conversation.objects.get(subject=subject, external_id=external_id)


def lock_conversation(subject_id: str, conversation_id: str) -> Conversation:
    """Return an existing conversation by the product's own ids, its row locked. Raises ConversationUnknown."""
    rows = Conversation.objects.select_for_update(no_key=True, of=("self",))
    found = rows.filter(subject_id=build_subject_key(subject_id), external_id=conversation_id).first()
    if found is None:
        raise ConversationUnknown
    return found


def record_acceptance(conversation: Conversation, stored: int) -> None:
    """Count ``stored`` new messages. A conversation that had ended is open again, and its next end makes new work."""
    reopened = conversation.status == ConversationStatus.ENDED
    conversation.next_seq += stored
    conversation.version += 1
    conversation.generation += reopened
    conversation.status = ConversationStatus.OPEN
    conversation.ended_at = None
    Conversation.objects.filter(id=conversation.id, subject_id=conversation.subject_id).update(
        next_seq=conversation.next_seq,
        version=conversation.version,
        generation=conversation.generation,
        status=conversation.status,
        ended_at=None,
        last_accepted_at=Now(),  # the database's clock: the job that ends idle conversations reads it
    )


def set_remember(conversation: Conversation, *, remember: bool) -> Conversation:
    """Set whether messages accepted from now on may teach anything; ``conversation`` is locked."""
    if conversation.remember != remember:
        conversation.remember = remember
        conversation.version += 1
        Conversation.objects.filter(id=conversation.id, subject_id=conversation.subject_id).update(
            remember=remember, version=F("version") + 1
        )
    return conversation


END_SNAPSHOT_KINDS = (SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT)


class NothingMade(StrEnum):
    """Why the end of a conversation left no snapshot; the values are public."""

    NOT_REMEMBERED = "not_remembered"
    LATER_END = "later_end"
    NO_TOOL_CALL = "no_tool_call"
    NOTHING_TO_KEEP = "nothing_to_keep"


@dataclass(frozen=True, slots=True)
class EndResult:
    """How many snapshots one end made; ``reason`` if it made no snapshot."""

    snapshots: int
    reason: NothingMade | None = None


def end_conversation_on_request(subject_id: str, conversation_id: str) -> tuple[Conversation, Work]:
    """End a conversation by the product's own ids; a second time is the same work. Raises ConversationUnknown."""
    conversation = lock_conversation(subject_id, conversation_id)
    work = end_conversation(conversation)
    transaction.on_commit(partial(wake_workers, current_tenant_id()), robust=True)
    return conversation, work


def load_end_result(work: Work) -> EndResult:
    conversation = Conversation.objects.get(subject_id=work.subject_id, id=work.conversation_id)
    numbers = range(conversation.next_seq // SUMMARY.segment_turns + 2)  # the whole, and a segment for so many turns
    ids = [stable_id(CONVERSATION_VERSION, work.conversation_id, work.generation, number) for number in numbers]
    made = Snapshot.objects.filter(subject_id=work.subject_id, kind__in=END_SNAPSHOT_KINDS, id__in=ids).count()
    return EndResult(made, None if made else _explain_empty_end(conversation, work))


def _explain_empty_end(conversation: Conversation, work: Work) -> NothingMade:
    if not conversation.remember:
        return NothingMade.NOT_REMEMBERED
    if conversation.generation != work.generation:
        return NothingMade.LATER_END
    rows = Message.objects.filter(subject_id=work.subject_id, conversation_id=conversation.id, remember=True)
    if any(message.tool_calls for message in add_archived_words(list(rows))):
        return NothingMade.NOTHING_TO_KEEP
    return NothingMade.NO_TOOL_CALL
