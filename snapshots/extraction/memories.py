"""The worker's second care: profile facts, preferences and tags from each message, in the order they were accepted."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import ChatModel, ChatUnavailable
from profiles.models import ProfileFact, Subject
from profiles.services.forgetting import is_forgotten
from snapshots.extraction.echo import Echoes
from snapshots.extraction.gate import speaks_for_subject
from snapshots.extraction.learn import Lesson, learn
from snapshots.extraction.pipeline import extract
from snapshots.extraction.policy import READING, RUNNING, ReadingPolicy
from snapshots.extraction.reading import read, with_read
from snapshots.extraction.shown import NOTHING_SHOWN, ShownBefore, shown_before
from snapshots.extraction.statements import utterance_of
from snapshots.extraction.values import Candidate, Extraction, ExtractionContext, Rejection, Utterance
from snapshots.extraction.worth import says_something
from snapshots.models import Message, MessageRole
from snapshots.queue.enqueue import enqueue_summaries
from snapshots.queue.leases import complete, hold, release
from snapshots.queue.values import ClaimedWork
from tenants.isolation import tenant_tx
from tenants.services.model_use import chat_for

NOTHING = Extraction()
Proposed = Mapping[str, Sequence[Candidate]]
"""What a model proposes, by message."""


@dataclass(frozen=True, slots=True)
class Share:
    """Work of one subject, in its order, and the messages of it that a model reads at once."""

    items: tuple[ClaimedWork, ...]
    spoken: tuple[Utterance, ...]


def apply_extractions(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Learn from claimed messages: by rules, and with the tenant's model where it has one.

    A model reads with no transaction open, so many messages as few calls can take; the work behind them goes back as
    it was. A model that does not answer costs nothing but time: rules read every message.
    """
    model = chat_for(tenant_id, "extract")
    if model is None:
        _learn_from(tenant_id, items, {})
        return
    with tenant_tx(tenant_id):
        shares = list(shares_of(items))
    now, later = shares[: READING.calls], shares[READING.calls :]
    proposed = proposed_by(model, now)
    _learn_from(tenant_id, sorted((item for share in now for item in share.items), key=_position), proposed)
    if later:
        with tenant_tx(tenant_id):
            release([item for share in later for item in share.items])


def proposed_by(model: ChatModel, shares: Sequence[Share]) -> Proposed:
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


def lesson_of(
    subject: Subject,
    message: Message,
    names: frozenset[str],
    proposed: Sequence[Candidate] = (),
    shown: ShownBefore = NOTHING_SHOWN,
    *,
    changes_only: bool = False,
) -> Lesson:
    """Return what a message teaches, by rules and as proposed; of what the subject had forgotten only that it was
    refused, and so of what is pasted from a prompt. ``changes_only``: a message without corrections is not looked up
    among what was forgotten."""
    echoes = shown.echoes(message)
    spoken = replace(utterance_of(message), text=echoes.unpasted(message.content))
    context = ExtractionContext(own_names=names)
    extraction = with_read(extract(spoken, context=context), proposed, spoken, own_names=names)
    if echoes.pasted:
        extraction = with_echoes(extraction, extract(utterance_of(message), context=context), echoes)
    matters = bool(extraction.corrections) if changes_only else extraction != NOTHING
    if matters and _is_forgotten(message):
        extraction = refused(extraction)
    return Lesson(subject, message.conversation, message, extraction, echoes=echoes)


def refused(extraction: Extraction) -> Extraction:
    """Return every candidate as a rejection without its value: it was read from what the subject had forgotten."""
    return Extraction(
        rejections=tuple(Rejection("forgotten", candidate.evidence) for candidate in candidates_of(extraction))
    )


def with_echoes(own: Extraction, whole: Extraction, echoes: Echoes) -> Extraction:
    """Return what a message teaches in its ``own`` words; what was read from echoes in its whole as rejections without
    their values: the memory may have been forgotten since."""
    refused = (Rejection("echo", one.evidence) for one in candidates_of(whole) if echoes.hold(one.evidence))
    return replace(own, rejections=(*own.rejections, *refused))


def candidates_of(extraction: Extraction) -> Iterator[Candidate]:
    """Yield all that was found, corrections first."""
    yield from extraction.corrections
    yield from extraction.facts
    yield from extraction.preferences
    yield from extraction.tags


def own_names(subjects: Collection[Subject]) -> dict[UUID, frozenset[str]]:
    """Return, per subject, the names under which it speaks itself: the product's id and the profile's name (E1)."""
    facts = ProfileFact.objects.filter(
        subject__in=subjects, is_attribute=False, field="name", retired_at__isnull=True, invalid_at__isnull=True
    )
    called = {fact.subject_id: str(fact.value) for fact in facts}
    return {
        subject.id: frozenset({subject.external_id, *([called[subject.id]] if subject.id in called else [])})
        for subject in subjects
    }


def _learn_from(tenant_id: UUID, items: Sequence[ClaimedWork], proposed: Proposed) -> None:
    """Learn from messages in one transaction, in their order, and complete the work that is still ours."""
    with tenant_tx(tenant_id):
        held = hold(items)
        messages = _messages(held)
        subjects = Subject.objects.in_bulk({message.subject_id for message in messages})
        names = own_names(list(subjects.values()))
        shown = shown_before(_by_users(messages))
        for message in messages:
            subject = subjects[message.subject_id]
            if learn(lesson_of(subject, message, names[subject.id], proposed.get(str(message.id), ()), shown)):
                names |= own_names([subject])
        enqueue_summaries({message.conversation_id for message in messages}, every=RUNNING.turns)
        complete(held)


def _messages(held: Sequence[ClaimedWork]) -> list[Message]:
    """Return the messages of held work in its order; those that must not be remembered are left out."""
    ids = [item.message_id for item in held if item.message_id]
    rows = Message.objects.filter(subject_id__in={item.subject_id for item in held}, id__in=ids, remember=True)
    found = {row.id: row for row in rows.select_related("conversation")}
    return [found[message_id] for message_id in ids if message_id in found]


def _is_shown(message: Message, names: frozenset[str]) -> bool:
    spoken = utterance_of(message)
    return speaks_for_subject(spoken, names) and says_something(spoken.text) and not _is_forgotten(message)


def _by_users(messages: Iterable[Message]) -> list[Message]:
    return [message for message in messages if message.role == MessageRole.USER]


def _unpasted(message: Message, shown: ShownBefore) -> Utterance:
    return replace(utterance_of(message), text=shown.echoes(message).unpasted(message.content))


def _is_forgotten(message: Message) -> bool:
    name = (message.conversation.external_id, message.external_id)
    return is_forgotten(message.subject_id, message.content, name)


def _position(item: ClaimedWork) -> int:
    return item.position
