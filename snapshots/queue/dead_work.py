"""Dead work: tried again or given up by a person, with an audit record."""

from functools import partial

from django.db import transaction
from django.db.models.functions import Now

from profiles.audit import record_act
from snapshots.models import Work, WorkState
from snapshots.queue.metrics import remove_work
from snapshots.queue.worker_wake_ups import wake_workers
from tenants.isolation import current_tenant_id
from tenants.services.audit import Actor


def replay_work(work: Work, *, by: Actor, reason: str = "") -> bool:
    """Make one dead item ready again with all its attempts; return False when it is not dead (any more)."""
    dead = Work.objects.filter(pk=work.pk, state=WorkState.DEAD)
    replayed = dead.update(state=WorkState.READY, attempts=0, due_at=Now(), error_code="") == 1
    if replayed:
        transaction.on_commit(partial(wake_workers, current_tenant_id()), robust=True)
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
