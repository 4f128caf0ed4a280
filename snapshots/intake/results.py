"""What the end of a conversation made, or why it made nothing: read from what is there now (row S1)."""

from dataclasses import dataclass
from enum import StrEnum

from memory_platform.kernel.ids import stable_id
from snapshots.models import Conversation, Message, Snapshot, SnapshotKind, Work
from snapshots.selectors import with_words
from snapshots.summaries.conversations import CONVERSATION_VERSION
from snapshots.understanding.statements.policy import SUMMARY

MADE_AT_THE_END = (SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT)


class NothingMade(StrEnum):
    """Why the end of a conversation left no snapshot; the values are public."""

    NOT_REMEMBERED = "not_remembered"
    LATER_END = "later_end"
    NO_TOOL_CALL = "no_tool_call"
    NOTHING_TO_KEEP = "nothing_to_keep"


@dataclass(frozen=True, slots=True)
class EndResult:
    """How many snapshots of one end there are; ``reason`` where there are none."""

    snapshots: int
    reason: NothingMade | None = None


def result_of_end(work: Work) -> EndResult:
    """Return what the finished work of a conversation's end made, in the open scope."""
    conversation = Conversation.objects.get(subject_id=work.subject_id, id=work.conversation_id)
    numbers = range(conversation.next_seq // SUMMARY.segment_turns + 2)  # the whole, and a segment for so many turns
    ids = [stable_id(CONVERSATION_VERSION, work.conversation_id, work.generation, number) for number in numbers]
    made = Snapshot.objects.filter(subject_id=work.subject_id, kind__in=MADE_AT_THE_END, id__in=ids).count()
    return EndResult(made, None if made else _reason(conversation, work))


def _reason(conversation: Conversation, work: Work) -> NothingMade:
    if not conversation.remember:
        return NothingMade.NOT_REMEMBERED
    if conversation.generation != work.generation:
        return NothingMade.LATER_END
    told = Message.objects.filter(subject_id=work.subject_id, conversation_id=conversation.id, remember=True)
    if any(message.tool_calls for message in with_words(list(told))):
        return NothingMade.NOTHING_TO_KEEP
    return NothingMade.NO_TOOL_CALL
