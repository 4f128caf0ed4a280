"""How long work waits, by day: rolled up while the items are kept, since they leave after a month."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from snapshots.models import QueueDay
from tenants.isolation import current_tenant_id, tenant_tx

WAITS_SQL = """
SELECT (done_at AT TIME ZONE 'UTC')::date AS day, count(*) AS done,
       percentile_cont(0.95) WITHIN GROUP (ORDER BY wait) AS p95, max(wait) AS longest
FROM (
    SELECT done_at, greatest(0, extract(epoch FROM done_at - created_at)::float8 * 1000) AS wait
    FROM work
    WHERE tenant_id = %(tenant)s AND state = 'done' AND done_at >= %(since)s::date::timestamp AT TIME ZONE 'UTC'
) AS waited
GROUP BY 1
"""


def roll_up_waits(tenant_id: UUID) -> int:
    """Write anew how long the work of today and yesterday (UTC) had waited; return the rows written."""
    with tenant_tx(tenant_id):
        rows = list(_compute_days())
        QueueDay.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["tenant", "day"],
            update_fields=["done", "waited_p95_ms", "waited_longest_ms"],
        )
    return len(rows)


def count_changed_days() -> int:
    held = dict(QueueDay.objects.values_list("id", "done"))
    return sum(held.get(row.id) != row.done for row in _compute_days())


def _compute_days() -> Iterator[QueueDay]:
    since = utc_now().date() - timedelta(days=1)
    with connection.cursor() as cursor:
        cursor.execute(WAITS_SQL, {"tenant": current_tenant_id(), "since": since})
        found = cursor.fetchall()
    for day, done, p95, longest in found:
        row_id = stable_id("queue_day", current_tenant_id(), day)
        yield QueueDay(id=row_id, day=day, done=done, waited_p95_ms=p95, waited_longest_ms=longest)
