"""The notes that new messages end ("I no longer work at Acme"), found before the messages are accepted.

Reading them embeds, which takes time and allows no open transaction. Only short messages with a hint of a change are
read, of a subject with notes; the workers read the rest.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.models import Subject
from snapshots.echo.shown_memories import ShownBefore, shown_before
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

EndingsByText = Mapping[str, tuple[Ending, ...]]


@dataclass(frozen=True, slots=True)
class _Known:
    held: Sequence[HeldChange]
    names: frozenset[str]
    heard: Sequence[Heard]


def endings_by_text(
    tenant_id: UUID, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]
) -> EndingsByText:
    """Return the endings of notes by the text that ends them; none without the encoder's files.

    Takes the product's own ids. Opens a scope of its own to read; costs nothing where no message holds a hint.
    """
    places = list(_worth_looking(incoming))
    if not places:
        return {}
    with tenant_tx(tenant_id):
        known = _known_of(subject_id, conversation_id, incoming, places)
    if known is None:
        return {}
    found: dict[str, tuple[Ending, ...]] = {}
    try:
        spoken = without_orders([spoken_of(one, known.names) for one in known.heard])
        for one, said, grades in zip(known.heard, spoken, grade_messages(spoken), strict=True):
            endings = endings_of(changing_sentences(said, grades), known.held)
            if telling := tuple(ending for ending in endings if ending.effect is not Effect.RETELLS):
                found[one.message.content] = telling
    except EmbeddingUnavailable:
        return {}
    return found


def _worth_looking(incoming: Sequence[IncomingMessage]) -> Iterator[int]:
    """Yield the places of the messages that may end something, within the characters that one request may read."""
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
    """Return the subject's notes, names and utterances; None where no note is held that the messages could end."""
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
