"""Dead work: tried again or given up by a person, with an audit record."""

from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from profiles.audit import record_act
from profiles.models import Subject
from snapshots.models import Work, WorkKind, WorkState
from snapshots.queue.metrics import remove_work
from snapshots.queue.worker_wake_ups import wake_workers
from tenants.isolation import current_tenant_id
from tenants.services.audit import Actor, record_audit

REPLAYED_AT_ONCE = 1_000


def replay_work(work: Work, *, by: Actor, reason: str = "") -> bool:
    """Make one dead item ready again with all its attempts; return False when it is not dead (any more)."""
    replayed = _make_ready_again([work.pk]) == 1
    if replayed:
        record_act(by, "work.replayed", work, reason)
    return replayed


def discard_work(work: Work, *, by: Actor, reason: str) -> bool:
    """Give one dead item up for good and count it as removed; return False when it is not dead (any more). The message
    stays; nothing is learned from it."""
    dead = Work.objects.filter(pk=work.pk, state=WorkState.DEAD)
    if not dead.select_for_update().exists():
        return False
    remove_work([work.pk])
    record_act(by, "work.discarded", work, reason)
    return True


def replay_dead_work(
    *, by: Actor, kind: WorkKind | None = None, subject: Subject | None = None, at_most: int = REPLAYED_AT_ONCE
) -> int:
    """Make the oldest dead items ready again, of one kind or subject where given; return how many."""
    dead = Work.objects.filter(state=WorkState.DEAD)
    if kind is not None:
        dead = dead.filter(kind=kind)
    if subject is not None:
        dead = dead.filter(subject_id=subject.pk)
    replayed = _make_ready_again(list(dead.order_by("position").values_list("pk", flat=True)[:at_most]))
    if replayed:
        record_audit(
            by,
            "work.replayed_in_bulk",
            object_kind="work",
            subject_ref=subject.pk if subject else None,
            reason=f"{replayed} items",
        )
    return replayed


def _make_ready_again(ids: list[UUID]) -> int:
    dead = Work.objects.filter(pk__in=ids, state=WorkState.DEAD)
    list(dead.order_by("position").select_for_update().values_list("pk"))  # as all who wait for items lock them
    revived = dead.update(state=WorkState.READY, attempts=0, due_at=Now(), error_code="")
    if revived:
        transaction.on_commit(partial(wake_workers, current_tenant_id()), robust=True)
    return revived
