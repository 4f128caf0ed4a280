"""Quotas of a tenant: messages a day and stored snapshots. A request beyond a quota is refused whole.

A count is cached for some seconds while it is far from its limit, so that hardly a request pays for one. Concurrent
writes of other processes may exceed a limit by that much.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from tenants.config import LIMIT_POLICY, LimitConfig
from tenants.errors import QuotaExceeded
from tenants.isolation import current_tenant_id
from tenants.services.usage.limits import Limits

MESSAGES = "messages_per_day"
SNAPSHOTS = "stored_snapshots"
MOST_HELD = 10_000

_TODAY = """
SELECT coalesce((SELECT messages FROM usage_day WHERE tenant_id = %(tenant)s AND day = %(day)s), 0)
     + coalesce((SELECT sum(messages) FROM usage_event WHERE tenant_id = %(tenant)s AND at >= %(since)s), 0)
"""


@dataclass(frozen=True, slots=True)
class _Meter:
    """One quota: its public name, its period, and how long a count is cached.

    ``near``: share of the limit from which a count is not cached. ``resets_at`` None: after a deletion.
    ``recount_after``: an expensive count is repeated after this many times its duration, if only reserved and perhaps
    unused room would refuse.
    """

    name: str
    span: str
    allowed: int
    trusted_for: timedelta
    near: float
    resets_at: datetime | None
    retry_after: timedelta
    recount_after: float


@dataclass(slots=True)
class _Count:
    """A count as it was read, and with the room reserved by this process since; ``took``: seconds to count."""

    counted: int
    used: int
    read_at: float
    took: float


_counts: dict[tuple[UUID, str, str], _Count] = {}


def reserve_messages(limits: Limits, adding: int, config: LimitConfig = LIMIT_POLICY) -> None:
    """Reserve room for today's messages, in the open scope. Raises QuotaExceeded."""
    now = utc_now()
    midnight = datetime(now.year, now.month, now.day, tzinfo=UTC)
    resets_at = midnight + timedelta(days=1)
    period = (config.trusted_for, config.near, resets_at, resets_at - now, config.recount_after)
    meter = _Meter(MESSAGES, f"{midnight:%Y-%m-%d}", limits.messages_per_day, *period)
    _reserve(meter, adding, lambda: _messages_since(midnight))


def reserve_snapshots(limits: Limits, adding: int, held: Callable[[], int], config: LimitConfig = LIMIT_POLICY) -> None:
    """Reserve room for snapshots, in the open scope; ``held`` counts those that are stored. Raises QuotaExceeded.

    Counting millions takes a while: it is done rarely, also at the limit. Repeated and refused snapshots reserve room
    that they do not use: a count that only they exhaust is read anew.
    """
    believed = config.stock_trusted_for
    meter = _Meter(SNAPSHOTS, "", limits.stored_snapshots, believed, 1.0, None, believed, config.recount_after)
    _reserve(meter, adding, held)


def forget_counts() -> None:
    _counts.clear()


def _reserve(meter: _Meter, adding: int, count: Callable[[], int]) -> None:
    key = (current_tenant_id(), meter.name, meter.span)
    known = _counts.get(key)
    if known is None or not _can_trust_cached_count(known, adding, meter):
        known = _time_count(count)
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


def _time_count(count: Callable[[], int]) -> _Count:
    began = time.monotonic()
    found = count()
    now = time.monotonic()
    return _Count(found, found, now, now - began)


def _can_trust_cached_count(known: _Count, adding: int, meter: _Meter) -> bool:
    age = time.monotonic() - known.read_at
    if age >= meter.trusted_for.total_seconds():
        return False
    if meter.near < 1:
        return known.used + adding <= meter.near * meter.allowed
    had_room = known.counted + adding <= meter.allowed < known.used + adding
    return not had_room or age < meter.recount_after * known.took


def _messages_since(midnight: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_TODAY, {"tenant": current_tenant_id(), "day": midnight.date(), "since": midnight})
        return int(cursor.fetchone()[0])
