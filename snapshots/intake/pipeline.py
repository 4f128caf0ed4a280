"""Accept messages: from the request to the commit and the workers' wake-up.

1. ``prepare_messages``: call models and do slow reads, before a transaction is open.

2. ``accept_messages``: lock the conversation, separate new messages from duplicates, store them with their work, carry
out orders to forget and corrections, return the window. Inside the caller's open ``tenant_tx``.

3. ``_run_after_commit``: fill the window in Redis, wake the workers. A failure loses nothing: Postgres still has the
window, and the sweep finds the work.

Accepted means committed: message rows and their work items are in the same transaction.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import get_args
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import MESSAGES_ACCEPTED
from memory_platform.observability.tracing import CONVERSATION, RECORDS, STORE, TENANT, UPSERT, open_memory_span
from profiles.models import Subject
from profiles.selectors import build_subject_key
from snapshots.intake.conversation_rows import lock_or_create_conversation, record_acceptance
from snapshots.intake.corrections_on_arrival import EndingsByText, apply_corrections_and_endings, find_endings_by_text
from snapshots.intake.forget_orders_on_arrival import OrderVectors, carry_out_forget_orders, embed_orders_of_messages
from snapshots.intake.new_messages import (
    Screening,
    insert_messages,
    load_stored_messages,
    number_new_messages,
    screen_by_words,
    screen_with_classifier,
)
from snapshots.intake.values import AcceptedBatch, IncomingMessage, MessageVerdict
from snapshots.models import Conversation, Message
from snapshots.notes.policy_section import NotesPolicy
from snapshots.queue.enqueue import enqueue_messages
from snapshots.queue.worker_wake_ups import wake_workers
from snapshots.understanding.slots.slot_patterns import load_languages
from snapshots.window.cached_window import build_window, cache_window, collect_window_turns
from snapshots.window.values import WindowMessage
from tenants.isolation import current_tenant_id
from tenants.services.usage.ledger_entries import record_message_usage


@dataclass(frozen=True, slots=True)
class Preparation:
    """Results of models on messages that are about to be accepted.

    ``endings``: the notes that each text ends. ``order_vectors``: find the meaning of orders to forget. ``screening``:
    the messages that the tenant does not want learned from; None where nobody looked.
    """

    endings: EndingsByText = field(default_factory=dict)
    order_vectors: OrderVectors = field(default_factory=dict)
    screening: Screening | None = None


UNPREPARED = Preparation()


def prepare_messages(
    tenant_id: UUID,
    subject_id: str,
    conversation_id: str,
    incoming: Sequence[IncomingMessage],
    policy: NotesPolicy | None = None,
) -> Preparation:
    """Return the results of models that accepting messages for the product's own ids needs. Opens scopes of its own to
    read.

    Without a ``policy`` the messages are not screened here. Embeds: no transaction may be open.
    """
    # In a process that just started on a busy machine this took so long that Postgres ended the transaction as idle.
    load_languages()
    return Preparation(
        find_endings_by_text(tenant_id, subject_id, conversation_id, incoming),
        embed_orders_of_messages(tenant_id, subject_id, conversation_id, incoming),
        screen_with_classifier(policy, incoming) if policy else None,
    )


def accept_messages(
    subject: Subject, conversation_id: str, incoming: Sequence[IncomingMessage], preparation: Preparation = UNPREPARED
) -> AcceptedBatch:
    """Store the new ones among ``incoming`` in their order, with their work; create or reopen the conversation.

    ``conversation_id`` is the product's own. A message whose id is known, from before or from this batch, is a
    duplicate: the first content stays. Parts that ``preparation`` lacks use words alone here, or wait for the workers.
    """
    with open_memory_span(UPSERT) as span:
        accepted = _accept_in_open_scope(subject, conversation_id, incoming, preparation)
        told = {STORE: subject.id, RECORDS: len(incoming), CONVERSATION: accepted.conversation.id}
        span.describe({TENANT: current_tenant_id(), **told})
    return accepted


def _accept_in_open_scope(
    subject: Subject, conversation_id: str, incoming: Sequence[IncomingMessage], preparation: Preparation
) -> AcceptedBatch:
    conversation = lock_or_create_conversation(subject, conversation_id)
    stored = load_stored_messages(conversation, incoming)
    screening = screen_by_words(incoming) if preparation.screening is None else preparation.screening
    batch = number_new_messages(conversation, incoming, stored, at=utc_now(), special=screening)
    if batch.new:
        insert_messages(conversation, batch.new)
        enqueue_messages(batch.new)
        record_acceptance(conversation, len(batch.new))
        record_message_usage(len(batch.new))
    # Orders to forget go first: what is forgotten must not correct anything.
    forgotten = carry_out_forget_orders(subject, conversation, batch.new, preparation.order_vectors)
    corrected = apply_corrections_and_endings(subject, conversation, batch.new, preparation.endings)
    turns = collect_window_turns(conversation, batch.new)
    verdicts = Counter[str](fate.verdict for fate in batch.results)
    after = partial(_run_after_commit, current_tenant_id(), conversation, verdicts, turns)
    transaction.on_commit(after, robust=True)
    return AcceptedBatch(conversation, batch.results, build_window(conversation, turns), (*forgotten, *corrected))


def count_new_messages(subject_external_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]) -> int:
    """Return how many of the incoming messages would be stored now, as far as their ids tell; locks nothing."""
    named = {message.message_id for message in incoming if message.message_id}
    held = Message.objects.filter(
        subject_id=build_subject_key(subject_external_id),
        conversation__external_id=conversation_id,
        external_id__in=named,
    )
    return len(named) - held.count() + sum(not message.message_id for message in incoming)


def _run_after_commit(
    tenant_id: UUID, conversation: Conversation, verdicts: Mapping[str, int], turns: Sequence[WindowMessage]
) -> None:
    cache_window(tenant_id, conversation.id, conversation.version, turns)
    stored, offered = verdicts.get("stored", 0), sum(verdicts.values())
    if stored:
        wake_workers(tenant_id)
    for verdict in get_args(MessageVerdict):  # every label, so that each series begins at 0
        MESSAGES_ACCEPTED.labels(verdict=verdict).inc(verdicts.get(verdict, 0))
    log(Event.MESSAGES_ACCEPTED, tenant=tenant_id, conversation=conversation.id, messages=stored, offered=offered)
