"""What a chat model is asked about messages, and what it proposes (row E1)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import ChatModel, ChatUnavailable
from profiles.models import Subject
from snapshots.echo.shown_memories import ShownBefore, shown_before
from snapshots.extraction.gate import speaks_for_subject
from snapshots.extraction.memories import is_forgotten_message, own_names
from snapshots.extraction.policy import READING, ReadingPolicy
from snapshots.extraction.reading import read
from snapshots.extraction.statements import utterance_of
from snapshots.extraction.values import Candidate, Utterance
from snapshots.extraction.worth import says_something
from snapshots.models import Message, MessageRole
from snapshots.queue.values import ClaimedWork

Proposed = Mapping[str, Sequence[Candidate]]
"""What a model proposes, by message."""


@dataclass(frozen=True, slots=True)
class Share:
    """Work of one subject, in its order, and the messages of it that a model reads at once."""

    items: tuple[ClaimedWork, ...]
    spoken: tuple[Utterance, ...]


def propose(model: ChatModel, shares: Sequence[Share]) -> Proposed:
    """Return what a model proposes; after its first failure it is not asked again. No transaction may be open."""
    proposed: dict[str, Sequence[Candidate]] = {}
    for share in shares:
        if share.spoken:
            try:
                proposed |= read(model, share.spoken)
            except ChatUnavailable as unavailable:
                log(Event.EXTRACTION_DEGRADED, messages=len(share.spoken), error=unavailable.failure)
                break
    return proposed


def shares_of(items: Sequence[ClaimedWork], policy: ReadingPolicy = READING) -> Iterator[Share]:
    """Yield the work subject by subject, in shares that one question can hold; in the open scope.

    What the subject had forgotten, and what says nothing or is not the subject's, is shown to no model.
    """
    messages = {message.id: message for message in _messages(items)}
    names = own_names(Subject.objects.filter(id__in={item.subject_id for item in items}))
    before = shown_before(_by_users(messages.values()))
    by_subject: dict[UUID, list[ClaimedWork]] = {}
    for item in sorted(items, key=_position):
        by_subject.setdefault(item.subject_id, []).append(item)
    for subject_id, work in by_subject.items():
        held: list[ClaimedWork] = []
        spoken: list[Utterance] = []
        for item in work:
            message = messages.get(item.message_id) if item.message_id else None
            shown = [_unpasted(message, before)] if message and _is_shown(message, names[subject_id]) else []
            length = sum(min(len(one.text), policy.message_chars) for one in (*spoken, *shown))
            if held and (length > policy.chars or len(held) == policy.messages):
                yield Share(tuple(held), tuple(spoken))
                held, spoken = [], []
            held.append(item)
            spoken += shown
        yield Share(tuple(held), tuple(spoken))


def _messages(held: Sequence[ClaimedWork]) -> list[Message]:
    """Return the messages of claimed work in its order; those that must not be remembered are left out."""
    ids = [item.message_id for item in held if item.message_id]
    rows = Message.objects.filter(subject_id__in={item.subject_id for item in held}, id__in=ids, remember=True)
    found = {row.id: row for row in rows.select_related("conversation")}
    return [found[message_id] for message_id in ids if message_id in found]


def _is_shown(message: Message, names: frozenset[str]) -> bool:
    spoken = utterance_of(message)
    return speaks_for_subject(spoken, names) and says_something(spoken.text) and not is_forgotten_message(message)


def _by_users(messages: Iterable[Message]) -> list[Message]:
    return [message for message in messages if message.role == MessageRole.USER]


def _unpasted(message: Message, shown: ShownBefore) -> Utterance:
    return replace(utterance_of(message), text=shown.echoes(message).unpasted(message.content))


def _position(item: ClaimedWork) -> int:
    return item.position
