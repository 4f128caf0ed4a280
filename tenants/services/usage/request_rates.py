"""Requests of a key a second: one token bucket in Redis per key, checked and counted by one Lua call.

Without Redis nobody is limited and nothing is counted: a limit must never be why a memory is not answered.
"""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.redis.client import RedisAway, RedisScript, redis_client
from tenants.errors import RateLimited
from tenants.services.usage.quotas import Limits

# How long a day's counts wait for the roll-up.
KEPT = timedelta(days=4)

MICROSECONDS = 1_000_000

# A bucket is the time at which it will be full again (GCRA). Returns the remaining requests (-1: refused), microseconds
# until the next request, microseconds until it is full. A day's counts have the time of their first as their epoch: if
# Redis lost them, they begin anew under another one.
TAKE = RedisScript(
    "rate",
    """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local step, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local due = tonumber(redis.call('GET', KEYS[1]) or 0)
if due < now then due = now end
local left = burst - 1 - (due - now) / step
local taken = left > -0.000001
if redis.call('HINCRBY', KEYS[2], taken and 'requests' or 'refused', 1) == 1 then
  redis.call('HSETNX', KEYS[2], 'epoch', string.format('%.0f', now))
  redis.call('EXPIRE', KEYS[2], ARGV[3])
end
if not taken then return {-1, math.ceil(-left * step), math.ceil(due - now)} end
due = due + step
redis.call('SET', KEYS[1], string.format('%.0f', due), 'PX', math.ceil((due - now) / 1000))
return {math.floor(left + 0.000001), 0, math.ceil(due - now)}
""",
)


@dataclass(frozen=True, slots=True)
class BucketState:
    """The state of a key's bucket after a request: its size, the rest, when it is full again."""

    allowed: int
    remaining: int
    full_at: datetime


def make_bucket_key(tenant_id: UUID, key_id: str) -> str:
    return f"r:{{{tenant_id}}}:{key_id}"


def make_counts_key(tenant_id: UUID, day: str) -> str:
    return f"u:{{{tenant_id}}}:{day}"


def take_request(tenant_id: UUID, key_id: str, limits: Limits) -> BucketState | None:
    """Take one request from the key's bucket and count it; None if Redis is away. Raises RateLimited."""
    now = utc_now()
    keys = (make_bucket_key(tenant_id, key_id), make_counts_key(tenant_id, f"{now:%Y-%m-%d}"))
    step = MICROSECONDS / limits.requests_per_second
    try:
        left, wait, full = TAKE.run(redis_client(), keys, (step, limits.burst, int(KEPT.total_seconds())))
    except RedisAway:
        return None
    full_at = now + timedelta(microseconds=full)
    if left < 0:
        raise RateLimited(
            "requests_per_second",
            allowed=limits.burst,
            remaining=0,
            resets_at=full_at.astimezone(UTC),
            retry_after_s=max(1, math.ceil(wait / MICROSECONDS)),
        )
    return BucketState(limits.burst, left, full_at)
