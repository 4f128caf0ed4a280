"""End a conversation for its product, and report the result later."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial

from django.db import transaction

from memory_platform.kernel.ids import stable_id
from snapshots.conversation_queries import add_archived_words
from snapshots.intake.conversations import lock_conversation
from snapshots.models import Conversation, Message, Snapshot, SnapshotKind, Work
from snapshots.queue.enqueue import end_conversation
from snapshots.queue.worker_wake_ups import wake_workers
from snapshots.summaries.conversation_snapshots import CONVERSATION_VERSION
from snapshots.understanding.config import SUMMARY
from tenants.isolation import current_tenant_id

END_SNAPSHOT_KINDS = (SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT)


class NothingMade(StrEnum):
    """Why the end of a conversation left no snapshot; the values are public."""

    NOT_REMEMBERED = "not_remembered"
    LATER_END = "later_end"
    NO_TOOL_CALL = "no_tool_call"
    NOTHING_TO_KEEP = "nothing_to_keep"


@dataclass(frozen=True, slots=True)
class EndResult:
    """How many snapshots one end made; ``reason`` where it made none."""

    snapshots: int
    reason: NothingMade | None = None


def end_conversation_on_request(subject_id: str, conversation_id: str) -> tuple[Conversation, Work]:
    """End a conversation by the product's own ids; a second time is the same work. Raises ConversationUnknown."""
    conversation = lock_conversation(subject_id, conversation_id)
    work = end_conversation(conversation)
    transaction.on_commit(partial(wake_workers, current_tenant_id()), robust=True)
    return conversation, work


def load_end_result(work: Work) -> EndResult:
    """Return the result of a conversation's finished end, read from the present rows, in the open scope."""
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
