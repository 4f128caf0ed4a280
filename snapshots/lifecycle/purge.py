"""What has outlived its time leaves: in small batches, each in a transaction of its own, tenant by tenant (row E6).

One list says what leaves and how; the preview counts the same rows that the purge removes.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Now

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import ROWS_PURGED
from profiles.models import IdempotentReply
from snapshots.embedding.store import touch_memory
from snapshots.lifecycle.policy import PURGE_POLICY, PurgePolicy
from snapshots.models import Message, Receipt, Snapshot, Work, WorkKind, WorkState
from snapshots.queue.counts import remove_work, remove_work_of_messages
from tenants.isolation import tenant_tx


@dataclass(frozen=True, slots=True)
class Leaving:
    """One kind of row that leaves. ``rows`` selects them, ``remove`` removes some by id and returns how many it did."""

    kind: str
    rows: Callable[[PurgePolicy], QuerySet[Any]]
    remove: Callable[[Sequence[UUID]], int]


def preview_purge(policy: PurgePolicy = PURGE_POLICY) -> dict[str, int]:
    """Return how many rows of each kind the next purge removes from the tenant of the open scope."""
    return {leaving.kind: leaving.rows(policy).count() for leaving in WHAT_LEAVES}


def purge_tenant(tenant_id: UUID, *, until: float, policy: PurgePolicy = PURGE_POLICY) -> int:
    """Remove what has outlived its time; return the rows removed. Stops at ``until`` (``time.monotonic``) if need be.

    Runs outside any ``tenant_tx``. Safe to run twice, also at once, and to kill: what is left leaves next time.
    """
    removed = {leaving.kind: _purge(tenant_id, leaving, until, policy) for leaving in WHAT_LEAVES}
    if any(removed.values()):
        log(Event.ROWS_PURGED, tenant=tenant_id, **removed)
    return sum(removed.values())


def _purge(tenant_id: UUID, leaving: Leaving, until: float, policy: PurgePolicy) -> int:
    total = 0
    while time.monotonic() < until:
        with tenant_tx(tenant_id):
            ids = list(leaving.rows(policy).order_by().values_list("pk", flat=True)[: policy.batch])
            removed = leaving.remove(ids) if ids else 0
        total += removed
        if removed < policy.batch:
            break
    ROWS_PURGED.labels(kind=leaving.kind).inc(total)
    return total


def _expired_snapshots(_: PurgePolicy) -> QuerySet[Snapshot]:
    return Snapshot.objects.filter(expires_at__lte=Now())


def _remove_snapshots(ids: Sequence[UUID]) -> int:
    """Delete expired snapshots with their words, vectors and sources; each subject's memory begins a new epoch."""
    leaving = Snapshot.objects.filter(pk__in=ids).order_by("subject_id").values_list("subject_id", "position")
    # The memory's lock comes before its snapshots, and in the order of subjects, as for every writer.
    for subject_id, places in groupby(leaving, key=itemgetter(0)):
        touch_memory(subject_id, changed=[position for _, position in places])
    return Snapshot.objects.filter(pk__in=ids, expires_at__lte=Now()).delete()[0]


def _old_messages(policy: PurgePolicy) -> QuerySet[Message]:
    return Message.objects.filter(accepted_at__lte=Now() - policy.messages)


def _remove_messages(ids: Sequence[UUID]) -> int:
    remove_work_of_messages(ids)
    return Message.objects.filter(pk__in=ids).delete()[0]


def _done_work(policy: PurgePolicy) -> QuerySet[Work]:
    done = Work.objects.filter(state=WorkState.DONE, done_at__lte=Now() - policy.done_work)
    return done.exclude(kind=WorkKind.CONVERSATION)  # ending an ended conversation again answers with its work


def _old_replies(policy: PurgePolicy) -> QuerySet[IdempotentReply]:
    return IdempotentReply.objects.filter(created_at__lte=Now() - policy.idempotent_replies)


def _remove_replies(ids: Sequence[UUID]) -> int:
    return IdempotentReply.objects.filter(pk__in=ids).delete()[0]


def _old_receipt_texts(policy: PurgePolicy) -> QuerySet[Receipt]:
    return Receipt.objects.filter(rendered__isnull=False, created_at__lte=Now() - policy.receipt_texts)


def _remove_receipt_texts(ids: Sequence[UUID]) -> int:
    return Receipt.objects.filter(pk__in=ids).update(rendered=None)


WHAT_LEAVES = (
    Leaving("snapshots", _expired_snapshots, _remove_snapshots),
    Leaving("messages", _old_messages, _remove_messages),
    Leaving("work", _done_work, remove_work),
    Leaving("idempotent_replies", _old_replies, _remove_replies),
    Leaving("receipt_texts", _old_receipt_texts, _remove_receipt_texts),
)
