"""A queue to test with: messages with their work, and small real handlers that leave one mark per item."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Now

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from snapshots.models import Conversation, Message, MessageRole, Work, WorkKind
from snapshots.queue.config import QueueConfig
from snapshots.queue.draining.leases import complete_items, lock_leased
from snapshots.queue.enqueue import enqueue_messages
from snapshots.queue.values import ClaimedWork, Handler, Handlers
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord
from tenants.services.audit import Actor, record_audit

WORKER = Actor(ActorKind.JOB, "test-handler")
SAM = Actor(ActorKind.STAFF, "sam")
MARK = "test.effect"
AT_ONCE = QueueConfig(backoff=timedelta(0), outage_pause=timedelta(0))
"""The real policy without waiting."""


def start_conversation(subject: Subject, name: str = "trip") -> Conversation:
    return Conversation.objects.create(subject=subject, external_id=name)


def post(conversation: Conversation, texts: Iterable[str], role: MessageRole = MessageRole.USER) -> list[Message]:
    """Accept messages as intake does: rows and work in the open transaction."""
    texts = list(texts)
    messages = [
        Message(
            subject_id=conversation.subject_id,
            conversation=conversation,
            external_id=f"m{conversation.next_seq + n}",
            seq=conversation.next_seq + n,
            role=role,
            content=text,
            content_hash=b"",
            said_at=utc_now(),
        )
        for n, text in enumerate(texts)
    ]
    Message.objects.bulk_create(messages)
    Conversation.objects.filter(pk=conversation.pk).update(next_seq=F("next_seq") + len(texts))
    conversation.next_seq += len(texts)
    enqueue_messages(messages)
    return messages


def post_messages(tenant_id: UUID, subject: Subject, count: int, name: str = "trip") -> list[Message]:
    """Commit one conversation with ``count`` messages."""
    with tenant_tx(tenant_id):
        return post(start_conversation(subject, name), [f"fact {n} 事实" for n in range(count)])


def leave_marks(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Handle items by one append-only row each: a duplicate effect would show."""
    with tenant_tx(tenant_id):
        ours = lock_leased(items)
        for item in ours:
            record_audit(WORKER, MARK, object_kind=item.kind, object_id=str(item.id))
        complete_items(ours)


def complete_only(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Handle items by doing nothing."""
    with tenant_tx(tenant_id):
        complete_items(lock_leased(items))


def raising(when: Callable[[ClaimedWork], bool], error: Exception) -> Handler:
    """Return a handler that leaves marks, but raises ``error`` for a batch that holds an item like ``when``."""

    def handler(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
        if any(when(item) for item in items):
            raise error
        leave_marks(tenant_id, items)

    return handler


def handlers(handler: Handler, *kinds: WorkKind) -> Handlers:
    return dict.fromkeys(kinds or tuple(WorkKind), handler)


def marks() -> Counter[str]:
    """Return how often each item had its effect."""
    return Counter(AuditRecord.objects.filter(action=MARK).values_list("object_id", flat=True))


def states(kind: WorkKind | None = None) -> Counter[str]:
    items = Work.objects.filter(kind=kind) if kind else Work.objects.all()
    return Counter(items.order_by().values_list("state", flat=True))


def expire_leases() -> None:
    """Let the leases of the open scope's tenant run out, as time would."""
    Work.objects.filter(state="leased").update(lease_until=Now() - timedelta(seconds=1))


def make_due() -> None:
    """End every back-off of the open scope's tenant."""
    Work.objects.filter(state="ready").update(due_at=Now())
