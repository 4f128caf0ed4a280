"""Accepting messages: one page, inside the one open ``tenant_tx`` of the door they came through (rows C1 to C3, C5).

Accepted means committed: message rows and their work items stand in the same transaction. What follows the commit, the
window in Redis and the workers' wake-up, may fail without anybody missing it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import MESSAGES_ACCEPTED
from profiles.models import Subject
from snapshots.intake.conversations import locked_conversation, note_acceptance
from snapshots.intake.corrections import correct_at_once
from snapshots.intake.ended_notes import NOTHING_FORESEEN, Foreseen
from snapshots.intake.forgetting import forget_at_once
from snapshots.intake.rows import insert_messages
from snapshots.intake.sort import Known, sort_out
from snapshots.intake.special import Screened, screen
from snapshots.intake.values import Accepted, IncomingMessage, StoredOrNot
from snapshots.models import Conversation, Message
from snapshots.queue.enqueue import enqueue_messages, nudge
from snapshots.window.values import WindowTurn
from snapshots.window.window import keep_window, turns_after, window
from tenants.isolation import current_tenant_id
from tenants.services.usage.recording import note_messages

VERDICTS = get_args(StoredOrNot)


def accept_messages(
    subject: Subject,
    conversation_id: str,
    incoming: Sequence[IncomingMessage],
    foreseen: Foreseen = NOTHING_FORESEEN,
    special: Screened | None = None,
) -> Accepted:
    """Store the new ones among ``incoming`` in their order, with their work; make or reopen the conversation.

    What they were ``foreseen`` to end is ended with them; else the workers see to it. ``special`` are those that the
    tenant does not want learned from; None looks for them here, by words alone.

    ``conversation_id`` is the product's own. A message whose id is known already, from before or from this batch, is a
    duplicate: the first content stays.
    """
    conversation = locked_conversation(subject, conversation_id)
    known = known_messages(conversation, incoming)
    batch = sort_out(
        conversation, incoming, known, at=utc_now(), special=screen(incoming) if special is None else special
    )
    if batch.new:
        store(conversation, batch.new)
    forgotten = forget_at_once(subject, conversation, batch.new, foreseen.vectors)
    fast_lane = (*forgotten, *correct_at_once(subject, conversation, batch.new, foreseen))
    turns = turns_after(conversation, batch.new)
    verdicts = Counter[str](fate.verdict for fate in batch.fates)
    after = partial(after_commit, current_tenant_id(), conversation, verdicts)
    transaction.on_commit(partial(after, turns), robust=True)
    return Accepted(conversation, batch.fates, window(conversation, turns), fast_lane)


def known_messages(conversation: Conversation, incoming: Sequence[IncomingMessage]) -> dict[str, Known]:
    """Return those of the incoming message ids that the conversation holds already."""
    ids = [message.message_id for message in incoming if message.message_id]
    if not ids or conversation.next_seq == 1:
        return {}
    rows = Message.objects.filter(
        subject_id=conversation.subject_id, conversation_id=conversation.id, external_id__in=ids
    )
    found = rows.order_by().values_list("external_id", "seq", "content_hash")
    return {external_id: Known(seq, bytes(fingerprint)) for external_id, seq, fingerprint in found}


def new_among(subject_external_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]) -> int:
    """Return how many of the incoming messages would be stored now, as far as their ids tell; holds nothing."""
    named = {message.message_id for message in incoming if message.message_id}
    held = Message.objects.filter(
        subject__external_id=subject_external_id, conversation__external_id=conversation_id, external_id__in=named
    )
    return len(named) - held.count() + sum(not message.message_id for message in incoming)


def store(conversation: Conversation, messages: Sequence[Message]) -> None:
    """Write new messages, the work that they bring, and the conversation's state."""
    insert_messages(conversation, messages)
    enqueue_messages(messages)
    note_acceptance(conversation, len(messages))
    note_messages(len(messages))


def after_commit(
    tenant_id: UUID, conversation: Conversation, verdicts: Mapping[str, int], turns: Sequence[WindowTurn]
) -> None:
    """Keep the window hot and wake the workers; the tenant's scope is closed by now."""
    keep_window(tenant_id, conversation.id, conversation.version, turns)
    stored, offered = verdicts.get("stored", 0), sum(verdicts.values())
    if stored:
        nudge(tenant_id)
    for verdict in VERDICTS:
        MESSAGES_ACCEPTED.labels(verdict=verdict).inc(verdicts.get(verdict, 0))
    log(Event.MESSAGES_ACCEPTED, tenant=tenant_id, conversation=conversation.id, messages=stored, offered=offered)
