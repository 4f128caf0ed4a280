"""The scheduled job that prunes threads: each keeps as many checkpoints as the tenant's policy says."""

from collections.abc import Callable, Iterator
from uuid import UUID

from django.db.models import Count

from snapshots.job_preview import CarePreview
from snapshots.models import Checkpoint
from snapshots.threads.pruning import plan_pruning, prune_thread
from tenants.isolation import tenant_tx


def find_long_threads(keep: int) -> list[UUID]:
    """Return, in the open scope, the threads with more than ``keep`` checkpoints in a namespace."""
    counted = Checkpoint.objects.order_by().values("thread_id", "namespace").annotate(held=Count("id"))
    return sorted(set(counted.filter(held__gt=keep).values_list("thread_id", flat=True)))


def preview_pruning(keep: int) -> CarePreview:
    """Return how many checkpoints the next run deletes, in the open scope."""
    counts = list(_count_checkpoints_to_prune(keep))
    said = [f"thread {thread_id}: {count}" for thread_id, count in counts]
    return CarePreview({"threads": len(counts), "checkpoints": sum(count for _, count in counts)}, said)


def prune_tenant(tenant_id: UUID, *, keep: int, may_go_on: Callable[[], bool] = lambda: True) -> int:
    """Prune the long threads of a tenant, each in a transaction of its own; return how many checkpoints went.

    Runs outside any ``tenant_tx``. Safe to run twice, also at once, and to kill.
    """
    with tenant_tx(tenant_id):
        long_threads = find_long_threads(keep)
    pruned = 0
    for thread_id in long_threads:
        if not may_go_on():
            break
        with tenant_tx(tenant_id):
            pruned += prune_thread(thread_id, keep)
    return pruned


def _count_checkpoints_to_prune(keep: int) -> Iterator[tuple[UUID, int]]:
    for thread_id in find_long_threads(keep):
        count = len(plan_pruning(thread_id, keep))
        if count:
            yield thread_id, count
