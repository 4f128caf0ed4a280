"""Delete memories above a subject's or a tenant's limit, the least worth first: importance x 0.95^days.

Memories out of use leave first. Rows are not retired: a limit is about space. A current vital note counts, but never
leaves.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from django.db import connection
from django.db.models import Count

from snapshots.job_preview import CarePreview
from snapshots.lifecycle.config import EVICTION, PURGE_POLICY, EvictionConfig, PurgePolicy
from snapshots.lifecycle.retention.purge import BatchPace, remove_snapshots
from snapshots.models import Snapshot
from tenants.isolation import current_tenant_id, tenant_tx

LEAST_WORTH_SQL = """
SELECT id, subject_id, position FROM snapshot
WHERE tenant_id = %(tenant)s AND (%(subject)s::uuid IS NULL OR subject_id = %(subject)s)
  AND NOT (kind = 'note' AND retired_at IS NULL AND invalid_at IS NULL AND id IN (
    SELECT snapshot_id FROM note
    WHERE tenant_id = %(tenant)s AND (%(subject)s::uuid IS NULL OR subject_id = %(subject)s) AND vital_class <> ''))
ORDER BY (retired_at IS NULL AND invalid_at IS NULL AND coalesce(expires_at > now(), true)),
  importance * power(%(decay)s, extract(epoch FROM now() - said_at) / 86400), id
LIMIT %(most)s
"""

LeavingSnapshots = Sequence[tuple[UUID, UUID, int]]


def preview_eviction(config: EvictionConfig = EVICTION) -> CarePreview:
    above = {subject_id: count - config.subject for subject_id, count in _count_above_limit(config)}
    left = Snapshot.objects.count() - sum(above.values())
    beyond = max(0, left - config.tenant)
    return CarePreview({"subjects": sum(above.values()), "tenant": beyond}, [f"{one}: {n}" for one, n in above.items()])


def evict_tenant(
    tenant_id: UUID,
    *,
    may_go_on: Callable[[], bool] = lambda: True,
    config: EvictionConfig = EVICTION,
    gently: PurgePolicy = PURGE_POLICY,
) -> int:
    """Delete memories above the limits, in small transactions; return how many left.

    Runs outside any ``tenant_tx``. Safe to run twice, also at once, and to kill: limits are counted anew each time.
    """
    with tenant_tx(tenant_id):
        above = _count_above_limit(config)
    evicted, pace = 0, BatchPace(gently)
    for subject_id, _ in (*above, (None, 0)):
        while may_go_on():
            with pace.time_batch(), tenant_tx(tenant_id):
                some = _evict_batch(subject_id, pace.rows, config)
            evicted += some
            if not some:
                break
    return evicted


def _evict_batch(subject_id: UUID | None, rows: int, config: EvictionConfig) -> int:
    held = Snapshot.objects.filter(subject_id=subject_id) if subject_id else Snapshot.objects.all()
    excess = held.count() - (config.subject if subject_id else config.tenant)
    if excess <= 0:
        return 0
    by_subject = sorted(find_least_worth_snapshots(subject_id, min(rows, excess), config), key=lambda row: str(row[1]))
    return sum(
        remove_snapshots(one, [row[0] for row in found], [row[2] for row in found])
        for one, group in groupby(by_subject, key=itemgetter(1))
        for found in [list(group)]
    )


def find_least_worth_snapshots(
    subject_id: UUID | None, most: int, config: EvictionConfig = EVICTION
) -> LeavingSnapshots:
    """Return (id, subject, position) of the memories that leave first, in the open scope."""
    values = {"tenant": current_tenant_id(), "subject": subject_id, "decay": config.decay, "most": most}
    with connection.cursor() as cursor:
        cursor.execute(LEAST_WORTH_SQL, values)
        found: LeavingSnapshots = cursor.fetchall()
    return found


def _count_above_limit(config: EvictionConfig) -> Sequence[tuple[UUID, int]]:
    counted = Snapshot.objects.order_by("subject_id").values_list("subject_id").annotate(held=Count("id"))
    return list(counted.filter(held__gt=config.subject))
