"""Writes the cost ledger: usage is recorded with its cause, and a job adds it to its day.

An event is written in the transaction of its cause, and removed in the one that adds it: whenever a process dies, each
is counted once. Requests come from Redis as totals since an epoch, so adding them twice changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import cast
from uuid import UUID

from django.db import connection
from redis import Redis

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.providers.redis.client import RedisAway, redis_client
from tenants.config import LEDGER_CONFIG, LedgerConfig
from tenants.isolation import current_tenant_id, tenant_tx
from tenants.models import UsageEvent, UsageRequests
from tenants.services.usage.request_rates import KEPT, make_counts_key

USE = "usage"

_ACCEPTED = """
INSERT INTO usage_event (tenant_id, id, messages, contexts, tokens_in_context, tokens_full_history, sections)
VALUES (%s, %s, %s, 0, 0, 0, '[]')
"""

_ADD_UP = """
WITH taken AS (
  DELETE FROM usage_event WHERE tenant_id = %(tenant)s AND id IN (
    SELECT id FROM usage_event WHERE tenant_id = %(tenant)s LIMIT %(batch)s FOR UPDATE SKIP LOCKED
  )
  RETURNING (at AT TIME ZONE 'UTC')::date AS day, messages, contexts, tokens_in_context, tokens_full_history, sections
), parts AS (
  SELECT day, jsonb_object_agg(name, tokens) AS sections FROM (
    SELECT day, part ->> 'name' AS name, sum((part ->> 'tokens')::bigint) AS tokens
    FROM taken, jsonb_array_elements(taken.sections) part WHERE part ->> 'name' IS NOT NULL GROUP BY 1, 2
  ) named GROUP BY day
), added AS (
  INSERT INTO usage_day AS kept (tenant_id, id, day, requests, refused, messages, contexts, tokens_in_context,
                                 tokens_full_history, sections)
  SELECT %(tenant)s, gen_random_uuid(), day, 0, 0, sum(messages), sum(contexts), sum(tokens_in_context),
         sum(tokens_full_history), coalesce((SELECT parts.sections FROM parts WHERE parts.day = taken.day), '{}')
  FROM taken GROUP BY day ORDER BY day
  ON CONFLICT (tenant_id, day) DO UPDATE SET
    messages = kept.messages + excluded.messages,
    contexts = kept.contexts + excluded.contexts,
    tokens_in_context = kept.tokens_in_context + excluded.tokens_in_context,
    tokens_full_history = kept.tokens_full_history + excluded.tokens_full_history,
    sections = (
      SELECT coalesce(jsonb_object_agg(key, tokens), '{}') FROM (
        SELECT key, sum(value::bigint) AS tokens FROM (
          SELECT * FROM jsonb_each_text(kept.sections) UNION ALL SELECT * FROM jsonb_each_text(excluded.sections)
        ) both_days GROUP BY key
      ) named
    )
)
SELECT count(*) FROM taken
"""

_TOLD = """
INSERT INTO usage_requests AS kept (tenant_id, id, day, epoch, requests, refused) VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (tenant_id, day, epoch) DO UPDATE SET
  requests = greatest(kept.requests, excluded.requests), refused = greatest(kept.refused, excluded.refused)
"""

_SUM = """
INSERT INTO usage_day AS kept (tenant_id, id, day, requests, refused, messages, contexts, tokens_in_context,
                               tokens_full_history, sections)
SELECT %(tenant)s, gen_random_uuid(), day, sum(requests), sum(refused), 0, 0, 0, 0, '{}'
FROM usage_requests WHERE tenant_id = %(tenant)s AND day = %(day)s GROUP BY day
ON CONFLICT (tenant_id, day) DO UPDATE SET requests = excluded.requests, refused = excluded.refused
"""


def record_message_usage(count: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_ACCEPTED, [current_tenant_id(), new_id(), count])


def roll_up_usage(
    tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True, config: LedgerConfig = LEDGER_CONFIG
) -> int:
    """Add the usage since the last run to its days; return the number of events.

    Runs outside any ``tenant_tx``. Safe to run twice, also at once, and to kill.
    """
    added = 0
    roll_up_requests(tenant_id)
    while may_go_on():
        with tenant_tx(tenant_id), connection.cursor() as cursor:
            cursor.execute(_ADD_UP, {"tenant": tenant_id, "batch": config.batch})
            some = int(cursor.fetchone()[0])
        added += some
        if some < config.batch:
            break
    return added


def preview_usage(tenant_id: UUID) -> dict[str, int]:
    """Return the events and requests that the next roll-up would add.

    Runs outside any ``tenant_tx``. Without Redis the requests are unknown.
    """
    with tenant_tx(tenant_id):
        told = {(row.day, row.epoch): row.requests for row in UsageRequests.objects.all()}
        events = UsageEvent.objects.count()
    counted = _load_requests_by_day(tenant_id)
    return {"events": events, "requests": sum(max(0, each.requests - told.get(each.key, 0)) for each in counted)}


def roll_up_requests(tenant_id: UUID) -> None:
    """Record the requests that Redis has counted on the days that it still keeps; nothing without Redis."""
    for each in _load_requests_by_day(tenant_id):
        with tenant_tx(tenant_id), connection.cursor() as cursor:
            cursor.execute(_TOLD, [tenant_id, new_id(), each.day, each.epoch, each.requests, each.refused])
            cursor.execute(_SUM, {"tenant": tenant_id, "day": each.day})


@dataclass(frozen=True, slots=True)
class _DayCounts:
    """Redis's counts of one day since the epoch in which they began."""

    day: date
    epoch: str
    requests: int
    refused: int

    @property
    def key(self) -> tuple[date, str]:
        return self.day, self.epoch


def _load_requests_by_day(tenant_id: UUID) -> list[_DayCounts]:
    today = utc_now().date()
    try:
        counted = _read_counts(tenant_id, [today - timedelta(days=back) for back in range(KEPT.days)])
    except RedisAway:
        return []
    found = []
    for day, counts in counted.items():
        epoch, requests, refused = (counts.get(name, b"0") for name in (b"epoch", b"requests", b"refused"))
        found.append(_DayCounts(day, epoch.decode(), int(requests), int(refused)))
    return found


def _read_counts(tenant_id: UUID, days: list[date]) -> dict[date, dict[bytes, bytes]]:
    """Return the counts in Redis of the days that have any, in one round trip. Raises RedisAway."""

    def read(client: "Redis") -> list[dict[bytes, bytes]]:
        asked = client.pipeline(transaction=False)
        for day in days:
            asked.hgetall(make_counts_key(tenant_id, f"{day:%Y-%m-%d}"))
        return cast(list[dict[bytes, bytes]], asked.execute())

    found = redis_client().call(USE, read)
    return {day: counts for day, counts in zip(days, found, strict=True) if counts}
