"""How far ``manage.py make_notes`` has read a subject's messages, so that a killed run does not start again.

A pass reads all messages accepted before it began, in the order in which they were said, and marks each batch together
with its notes. Another version of the classifier begins anew, and an import has everything read again.
"""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.snapshot_store import lock_memory
from snapshots.models import Message, MessageRole, SnapshotKind, SnapshotSource, SubjectMemory
from snapshots.understanding.grading.clause_classifier import load_clause_classifier
from tenants.isolation import tenant_tx

CLEARED_PASS = {"noting_until": None, "noting_said_at": None, "noting_message": None}


def select_unread_messages() -> QuerySet[Message]:
    """Return the users' messages that have no note and were not read for one, in the open scope."""
    made = SnapshotSource.objects.filter(
        subject_id=OuterRef("subject_id"), message_id=OuterRef("id"), memory__kind=SnapshotKind.NOTE
    )
    later = Q(noting_said_at__gt=OuterRef("said_at"))
    later |= Q(noting_said_at=OuterRef("said_at"), noting_message__gte=OuterRef("id"))
    read = SubjectMemory.objects.filter(
        Q(noted_until__gte=OuterRef("accepted_at")) | Q(later, noting_until__gte=OuterRef("accepted_at")),
        subject_id=OuterRef("subject_id"),
        noted_by=load_clause_classifier().version,
    )
    rows = Message.objects.filter(role=MessageRole.USER, remember=True, subject__erasing=False)
    return rows.filter(~Exists(made), ~Exists(read))


def list_passes(tenant_id: UUID, subject_id: UUID) -> Iterator[tuple[datetime, list[UUID]]]:
    """Yield the passes over a subject's messages: the end of their acceptance time, and the unread messages in the
    order in which they were said. An interrupted pass comes first. Opens scopes of its own."""
    began = utc_now()
    with tenant_tx(tenant_id):
        own = SubjectMemory.objects.filter(subject_id=subject_id, noted_by=load_clause_classifier().version)
        interrupted = own.values_list("noting_until", flat=True).first()
    for after, until in ((None, interrupted), (interrupted, began)) if interrupted else ((None, began),):
        with tenant_tx(tenant_id):
            rows = select_unread_messages().filter(subject_id=subject_id, accepted_at__lte=until)
            rows = rows.filter(accepted_at__gt=after) if after else rows
            left = list(rows.order_by("said_at", "id").values_list("id", flat=True))
        yield until, left


def mark_messages_read(subject_id: UUID, last: Message, until: datetime) -> None:
    lock_memory(subject_id)
    own = SubjectMemory.objects.filter(subject_id=subject_id)
    own.exclude(noted_by=load_clause_classifier().version).update(
        noted_by=load_clause_classifier().version, noted_until=None
    )
    own.update(noting_until=until, noting_said_at=last.said_at, noting_message=last.id)


def mark_pass_done(subject_id: UUID, until: datetime) -> None:
    own = SubjectMemory.objects.filter(subject_id=subject_id, noting_until=until)
    own.update(noted_until=until, **CLEARED_PASS)


def reset_passes(subject_id: UUID) -> None:
    """Have all messages of a subject read again, in the open scope: an import brought some that no pass has seen."""
    SubjectMemory.objects.filter(subject_id=subject_id).update(noted_until=None, **CLEARED_PASS)
