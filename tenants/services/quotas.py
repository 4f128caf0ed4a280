"""Quotas of a tenant: messages a day and stored snapshots (row T6). What would go beyond one is refused whole.

A count is believed for some seconds while it is far from its limit, so that hardly a request pays for one. What other
processes write meanwhile may go beyond a limit by that much.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from tenants.errors import QuotaExceeded
from tenants.isolation import current_tenant_id
from tenants.policy import LIMIT_POLICY, LimitPolicy
from tenants.services.limits import Limits

MESSAGES = "messages_per_day"
SNAPSHOTS = "stored_snapshots"
MOST_HELD = 10_000

_TODAY = """
SELECT coalesce((SELECT messages FROM usage_day WHERE tenant_id = %(tenant)s AND day = %(day)s), 0)
     + coalesce((SELECT sum(messages) FROM usage_event WHERE tenant_id = %(tenant)s AND at >= %(since)s), 0)
"""


@dataclass(frozen=True, slots=True)
class _Meter:
    """What is bounded: its public name, the span that a count is of, how long one is believed.

    ``near``: share of the limit from which a count is not believed. ``resets_at`` None: when something is deleted.
    """

    name: str
    span: str
    allowed: int
    trusted_for: timedelta
    near: float
    resets_at: datetime | None
    retry_after: timedelta


@dataclass(slots=True)
class _Count:
    """A count as it was read, with what this process has added since."""

    used: int
    read_at: float


_counts: dict[tuple[UUID, str, str], _Count] = {}


def take_messages(limits: Limits, adding: int, policy: LimitPolicy = LIMIT_POLICY) -> None:
    """Make room for messages of today, in the open scope. Raises QuotaExceeded."""
    now = utc_now()
    midnight = datetime(now.year, now.month, now.day, tzinfo=UTC)
    resets_at = midnight + timedelta(days=1)
    meter = _Meter(
        MESSAGES,
        f"{midnight:%Y-%m-%d}",
        limits.messages_per_day,
        policy.trusted_for,
        policy.near,
        resets_at,
        resets_at - now,
    )
    _take(meter, adding, lambda: _messages_since(midnight))


def take_snapshots(limits: Limits, adding: int, held: Callable[[], int], policy: LimitPolicy = LIMIT_POLICY) -> None:
    """Make room for snapshots, in the open scope; ``held`` counts those that are stored. Raises QuotaExceeded.

    Counting millions takes a while: it is done once in a time, also at the limit.
    """
    meter = _Meter(
        SNAPSHOTS, "", limits.stored_snapshots, policy.stock_trusted_for, 1.0, None, policy.stock_trusted_for
    )
    _take(meter, adding, held)


def forget_counts() -> None:
    """Count everything anew."""
    _counts.clear()


def _take(meter: _Meter, adding: int, count: Callable[[], int]) -> None:
    key = (current_tenant_id(), meter.name, meter.span)
    known = _counts.get(key)
    if known is None or not _is_believed(known, adding, meter):
        known = _Count(count(), time.monotonic())
        if len(_counts) >= MOST_HELD:
            _counts.clear()
        _counts[key] = known
    if known.used + adding > meter.allowed:
        raise QuotaExceeded(
            meter.name,
            allowed=meter.allowed,
            remaining=max(0, meter.allowed - known.used),
            resets_at=meter.resets_at,
            retry_after_s=math.ceil(meter.retry_after.total_seconds()),
        )
    known.used += adding


def _is_believed(known: _Count, adding: int, meter: _Meter) -> bool:
    is_young = time.monotonic() - known.read_at < meter.trusted_for.total_seconds()
    return is_young and (meter.near >= 1 or known.used + adding <= meter.near * meter.allowed)


def _messages_since(midnight: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_TODAY, {"tenant": current_tenant_id(), "day": midnight.date(), "since": midnight})
        return int(cursor.fetchone()[0])
