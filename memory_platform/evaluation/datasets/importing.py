"""Loading a data set the way a product would: accepted in batches, each conversation ended; safe to repeat."""

from collections import Counter
from collections.abc import Callable
from uuid import UUID

from memory_platform.evaluation.datasets.reading import Dataset, DatasetConversation
from profiles.services.subjects import ensure_subject
from snapshots.intake.accept import accept_messages
from snapshots.intake.conversation_end import end_on_request
from snapshots.intake.values import IncomingMessage
from tenants.isolation import tenant_tx

BATCH = 200
"""Messages in one transaction: a stop loses at most these, and a repeat takes them up."""


def import_dataset(
    dataset: Dataset, tenant_id: UUID, counts: "Counter[str]", *, advance: Callable[[int], object]
) -> None:
    """Load ``dataset`` into a tenant; ``advance`` is called with the number of messages that each batch brought.

    ``counts`` grows while it runs, so that a caller knows how far it came: ``messages``, and of them ``stored``,
    ``duplicate`` and ``content_differs``.
    """
    for conversation in dataset.conversations:
        for start in range(0, len(conversation.messages), BATCH):
            batch = conversation.messages[start : start + BATCH]
            accept(tenant_id, conversation, batch, counts)
            advance(len(batch))
        if conversation.messages:
            end(tenant_id, conversation)


def accept(
    tenant_id: UUID, conversation: DatasetConversation, batch: tuple[IncomingMessage, ...], counts: "Counter[str]"
) -> None:
    """Accept one batch in one transaction, and count what became of it."""
    with tenant_tx(tenant_id):
        accepted = accept_messages(ensure_subject(conversation.subject_id), conversation.conversation_id, batch)
    counts["messages"] += len(batch)
    counts.update(fate.verdict for fate in accepted.messages)
    counts.update(fate.reason for fate in accepted.messages if fate.reason)


def end(tenant_id: UUID, conversation: DatasetConversation) -> None:
    """End a conversation; a second time is the same end."""
    with tenant_tx(tenant_id):
        end_on_request(conversation.subject_id, conversation.conversation_id)
