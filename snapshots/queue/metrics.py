"""How much work there is, how much was removed, and how long it waits.

For every tenant: accepted = ready + leased + done + dead + removed."""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from uuid import UUID

from django.db import DatabaseError, connection
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Now

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id, stable_id
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import (
    BEAT_HEARTBEAT_SECONDS,
    COMPRESS_QUEUE_SIZE,
    WORK_DEAD,
    WORK_OLDEST_DUE_SECONDS,
)
from memory_platform.providers.redis.client import RedisAway, redis_client
from profiles.models import Subject
from snapshots.models import Conversation, QueueDay, Work, WorkRemoved, WorkState
from snapshots.queue import sql
from snapshots.queue.sql import run_sql
from snapshots.queue.values import PendingWork, TenantBacklog, WorkCounts
from tenants.isolation import current_tenant_id, tenant_tx


def count_pending_work(subject: Subject) -> PendingWork:
    ((open_items, dead, oldest),) = run_sql(sql.PENDING, subject=subject.pk)
    return PendingWork(open_items, dead, oldest)


def count_work() -> WorkCounts:
    states = dict(Work.objects.order_by().values_list("state").annotate(Count("id")))
    removed = WorkRemoved.objects.aggregate(total=Sum("count"))["total"] or 0
    counted = {state: states.get(state, 0) for state in ("ready", "leased", "done", "dead")}
    return WorkCounts(**counted, removed=removed)


def find_tenants_with_due_work(at_most: int) -> list[UUID]:
    """Return tenants with due or abandoned work. Runs outside any tenant's scope."""
    with connection.cursor() as cursor:
        cursor.execute(sql.TENANTS_WITH_DUE_WORK, {"at_most": at_most})
        return [row[0] for row in cursor.fetchall()]


def count_due_work() -> dict[str, int]:
    """Return how many items of the open tenant are due, and how many were abandoned by dead workers."""
    due = Work.objects.filter(state=WorkState.READY, due_at__lte=Now())
    abandoned = Work.objects.filter(state=WorkState.LEASED, lease_until__lte=Now())
    return {"due": due.count(), "abandoned": abandoned.count()}


def count_work_by_tenant() -> list[TenantBacklog]:
    """Return every tenant's waiting and dead items, each at most 1,000. Runs outside any tenant's scope."""
    with connection.cursor() as cursor:
        cursor.execute(sql.BY_TENANT)
        return [TenantBacklog(*row) for row in cursor.fetchall()]


def remove_work(work_ids: Sequence[UUID]) -> int:
    """Delete items and count them as removed, in the open transaction; return how many."""
    return _remove_items(Work.objects.filter(pk__in=work_ids))


def remove_work_of_messages(message_ids: Sequence[UUID]) -> int:
    return _remove_items(Work.objects.filter(message_id__in=message_ids))


def remove_work_of_conversation(conversation: Conversation) -> int:
    return _remove_items(Work.objects.filter(subject_id=conversation.subject_id, conversation_id=conversation.pk))


def remove_work_of_subject(subject_id: UUID) -> int:
    return _remove_items(Work.objects.filter(subject_id=subject_id))


def _remove_items(items: QuerySet[Work]) -> int:
    # By position, as workers lock them: two who lock in different orders wait for each other in a circle.
    list(items.order_by("position").select_for_update().values_list("pk"))
    removed, _ = items.delete()
    if removed:
        run_sql(sql.COUNT_REMOVED, id=new_id(), count=removed)
    return removed


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


def roll_up_waits(tenant_id: UUID, *, since: date | None = None) -> int:
    """Write anew how long the work of the days ``since``, by default yesterday (UTC), had waited; return the rows
    written."""
    with tenant_tx(tenant_id):
        rows = list(_compute_days(since))
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


def _compute_days(since: date | None = None) -> Iterator[QueueDay]:
    since = since or utc_now().date() - timedelta(days=1)
    with connection.cursor() as cursor:
        cursor.execute(WAITS_SQL, {"tenant": current_tenant_id(), "since": since})
        found = cursor.fetchall()
    for day, done, p95, longest in found:
        row_id = stable_id("queue_day", current_tenant_id(), day)
        yield QueueDay(id=row_id, day=day, done=done, waited_p95_ms=p95, waited_longest_ms=longest)


# The key in Redis under which the sweep leaves when it ran, in seconds since 1970.
SWEPT_AT_KEY = "platform:swept-at"


def record_sweep() -> None:
    """Record the time, as a sign that beat and a worker live. Without Redis nothing is recorded; the sweep goes on."""
    with suppress(RedisAway):
        redis_client().call("sweep", lambda client: client.set(SWEPT_AT_KEY, time.time()))


def set_queue_gauges() -> None:
    """Set the queue's gauges, to NaN where the value is unknown. Runs outside any tenant's scope; never raises."""
    waiting, dead, oldest = _measure_backlog()
    COMPRESS_QUEUE_SIZE.set(waiting)
    WORK_DEAD.set(dead)
    WORK_OLDEST_DUE_SECONDS.set(oldest)
    BEAT_HEARTBEAT_SECONDS.set(seconds_since_sweep())


def _measure_backlog() -> tuple[float, float, float]:
    """Return waiting items, dead items, and the age in seconds of the item that is due longest (0: no item is due)."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql.BACKLOG)
            waiting, dead, oldest = cursor.fetchone()
    except DatabaseError as fault:
        log(Event.PROBE_FAILED, part="backlog", error=type(fault).__name__)
        return math.nan, math.nan, math.nan
    return waiting, dead, oldest or 0.0


def seconds_since_sweep() -> float:
    """Return how long ago beat's sweep ran last, NaN when that is unknown."""
    with suppress(RedisAway):
        swept_at = redis_client().call("sweep", lambda client: client.get(SWEPT_AT_KEY))
        if isinstance(swept_at, bytes):
            return max(0.0, time.time() - float(swept_at))
    return math.nan
