"""The queue's gauges, set each time the metrics are read: numbers of the whole platform, not of a tenant."""

import math
import time
from contextlib import suppress

from django.db import DatabaseError, connection

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import (
    BEAT_HEARTBEAT_SECONDS,
    COMPRESS_QUEUE_SIZE,
    WORK_DEAD,
    WORK_OLDEST_DUE_SECONDS,
)
from memory_platform.providers.redis.client import RedisAway, redis_client
from snapshots.queue import sql

# The key in Redis under which the sweep leaves when it ran, in seconds since 1970.
SWEPT_AT_KEY = "platform:swept-at"


def record_sweep() -> None:
    """Leave a sign that beat and a worker live. Without Redis there is none, and the sweep does not need it."""
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
    """Return waiting items, dead items, and the age in seconds of the item that is due longest (0 when none is)."""
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
