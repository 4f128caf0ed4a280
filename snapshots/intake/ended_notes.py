"""What new messages end of what is held, worked out before they are accepted: embedding needs time and no transaction.

Endings: only short messages with a hint of a change are looked at, of a subject with notes; the rest is the worker's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.models import Subject
from snapshots.echo.shown_memories import ShownBefore, shown_before
from snapshots.intake.order_vectors import Vectors, vectors_for_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Conversation, Message, MessageRole
from snapshots.understanding.believing.message_lessons import own_names
from snapshots.understanding.believing.policy import EXTRACTION
from snapshots.understanding.changes.foresee import Ending, HeldChange, endings_of, held_changes
from snapshots.understanding.changes.judge import Effect
from snapshots.understanding.changes.sentences import changing_sentences
from snapshots.understanding.changes.words import may_change
from snapshots.understanding.config import CHANGES
from snapshots.understanding.drafting.draft import spoken_of
from snapshots.understanding.grading.orders import without_orders
from snapshots.understanding.grading.reader import grade_messages
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.statements.statements import Heard
from tenants.isolation import tenant_tx


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What messages end, by their words; ``vectors`` by which their orders to forget find what they mean."""

    by_text: Mapping[str, tuple[Ending, ...]] = field(default_factory=dict)
    vectors: Vectors = field(default_factory=dict)


NOTHING_FORESEEN = Foreseen()


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a subject when its messages come."""

    held: Sequence[HeldChange]
    names: frozenset[str]
    heard: Sequence[Heard]


def foresee(tenant_id: UUID, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]) -> Foreseen:
    """Return what messages for the product's own ids end of the notes that are held, and what their orders to forget
    need. Opens scopes of its own to read; costs nothing where no message holds a hint."""
    endings = _endings_by_text(tenant_id, subject_id, conversation_id, incoming)
    vectors = vectors_for_messages(tenant_id, subject_id, conversation_id, incoming)
    return Foreseen(endings, vectors) if endings or vectors else NOTHING_FORESEEN


def _endings_by_text(
    tenant_id: UUID, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]
) -> Mapping[str, tuple[Ending, ...]]:
    """Return what messages end by their words; nothing without the encoder's files."""
    places = list(_worth_looking(incoming))
    if not places:
        return {}
    with tenant_tx(tenant_id):
        known = _known_of(subject_id, conversation_id, incoming, places)
    if known is None:
        return {}
    heard = [spoken_of(one, known.names) for one in known.heard]
    found: dict[str, tuple[Ending, ...]] = {}
    try:
        spoken = without_orders(heard)
        for one, said, grades in zip(known.heard, spoken, grade_messages(spoken), strict=True):
            told = endings_of(changing_sentences(said, grades), known.held)
            endings = [ending for ending in told if ending.effect is not Effect.RETELLS]
            if endings:
                found[one.message.content] = tuple(endings)
    except EmbeddingUnavailable:
        return {}
    return found


def _worth_looking(incoming: Sequence[IncomingMessage]) -> Iterator[int]:
    """Yield the places of the messages that may end something, within what one request may read."""
    left = EXTRACTION.fast_lane_batch_chars
    for place, one in enumerate(incoming):
        text = one.text
        is_short = one.role == MessageRole.USER and one.remember and len(text) <= CHANGES.message_chars
        if not is_short or not may_change(matching_form(text)):
            continue
        left -= len(text)
        if left < 0:
            return
        yield place


def _known_of(
    subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage], places: Sequence[int]
) -> _Known | None:
    """Return what is known beside messages; None where nothing is held that they could end."""
    subject = Subject.objects.filter(external_id=subject_id, erasing=False).first()
    if subject is None:
        return None
    conversation = Conversation.objects.filter(subject_id=subject.id, external_id=conversation_id).first()
    held = held_changes(subject.id) if conversation is None or conversation.remember else ()
    if not held:
        return None
    messages = [_as_row(subject, conversation, one) for one in incoming]
    last = None
    if conversation is not None and 0 in places:
        rows = Message.objects.filter(subject_id=subject.id, conversation_id=conversation.id)
        last = rows.order_by("-seq").first()
    shown: ShownBefore = shown_before([messages[place] for place in places])
    heard = [Heard(messages[place], messages[place - 1] if place else last, shown) for place in places]
    return _Known(held, own_names([subject])[subject.id], heard)


def _as_row(subject: Subject, conversation: Conversation | None, one: IncomingMessage) -> Message:
    now = utc_now()
    return Message(
        subject_id=subject.id,
        conversation=conversation,
        role=one.role,
        name=one.name,
        content=one.text,
        seq=0,
        said_at=one.said_at or now,
        accepted_at=now,
        remember=one.remember,
    )
