"""The worker's second care: profile facts, preferences and tags from each message, in the order they were accepted."""

from collections.abc import Collection, Sequence
from uuid import UUID

from profiles.models import ProfileFact, Subject
from profiles.services.forgetting import is_forgotten
from snapshots.extraction.learn import Lesson, learn
from snapshots.extraction.pipeline import extract
from snapshots.extraction.policy import RUNNING
from snapshots.extraction.statements import utterance_of
from snapshots.extraction.values import Extraction, ExtractionContext, Rejection
from snapshots.models import Message
from snapshots.queue.enqueue import enqueue_summaries
from snapshots.queue.leases import complete, hold
from snapshots.queue.values import ClaimedWork
from tenants.isolation import tenant_tx

NOTHING = Extraction()


def apply_extractions(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Learn from claimed messages by rules; no model is called, so reading and writing share one transaction."""
    with tenant_tx(tenant_id):
        held = hold(items)
        messages = _messages(held)
        subjects = Subject.objects.in_bulk({message.subject_id for message in messages})
        names = own_names(list(subjects.values()))
        for message in messages:
            subject = subjects[message.subject_id]
            if learn(lesson_of(subject, message, names[subject.id])):
                names |= own_names([subject])
        enqueue_summaries({message.conversation_id for message in messages}, every=RUNNING.turns)
        complete(held)


def lesson_of(subject: Subject, message: Message, names: frozenset[str]) -> Lesson:
    """Return what a message teaches; of what the subject had forgotten only that it was refused."""
    extraction = extract(utterance_of(message), context=ExtractionContext(own_names=names))
    name = (message.conversation.external_id, message.external_id)
    if extraction != NOTHING and is_forgotten(subject.id, message.content, name):
        extraction = refused(extraction)
    return Lesson(subject, message.conversation, message, extraction)


def refused(extraction: Extraction) -> Extraction:
    """Return every candidate as a rejection without its value: it was read from what the subject had forgotten."""
    found = (*extraction.corrections, *extraction.facts, *extraction.preferences, *extraction.tags)
    return Extraction(rejections=tuple(Rejection("forgotten", candidate.evidence) for candidate in found))


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


def _messages(held: Sequence[ClaimedWork]) -> list[Message]:
    """Return the messages of held work in its order; those that must not be remembered are left out."""
    ids = [item.message_id for item in held if item.message_id]
    rows = Message.objects.filter(subject_id__in={item.subject_id for item in held}, id__in=ids, remember=True)
    found = {row.id: row for row in rows.select_related("conversation")}
    return [found[message_id] for message_id in ids if message_id in found]
