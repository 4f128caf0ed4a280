"""How an endpoint's last calls went, in Redis, where all processes share it: times, kinds of failures, never content.

Without Redis nothing is recorded and nothing is known. Web and worker processes record; commands do not.
"""

import hashlib
import math
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.providers.config import HEALTH
from memory_platform.providers.redis.client import RedisAway, RedisScript, redis_client

OK = "ok"
_recording = threading.Event()
_RECORD = RedisScript(
    "endpoint_health",
    """
if ARGV[1] == 'ok' then
  redis.call('HSET', KEYS[1], 'succeeded_at', ARGV[3], 'failures', 0, 'paused_until', 0)
  redis.call('LPUSH', KEYS[2], ARGV[2])
  redis.call('LTRIM', KEYS[2], 0, ARGV[5] - 1)
  redis.call('EXPIRE', KEYS[2], ARGV[6])
else
  redis.call('HSET', KEYS[1], 'failed_at', ARGV[3], 'failure', ARGV[1], 'paused_until', ARGV[4])
  redis.call('HINCRBY', KEYS[1], 'failures', 1)
end
redis.call('EXPIRE', KEYS[1], ARGV[6])
return {1}
""",
)
_READ = RedisScript("endpoint_health", "return {redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, -1)}")


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """``latencies_ms`` of the last successful calls, the newest first. ``failures``: in a row, of all processes.
    ``failure``: the kind of the last one. ``paused_until``: until then a process leaves the endpoint alone."""

    latencies_ms: Sequence[int] = ()
    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    failure: str = ""
    failures: int = 0
    paused_until: datetime | None = None

    def percentile_ms(self, share: float) -> int | None:
        """Return the latency that this share of the calls did not exceed; None if there was no call."""
        ordered = sorted(self.latencies_ms)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None


def identify_endpoint(*parts: str) -> str:
    """Return a short name for an endpoint's use, address and model, without showing them."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def identify_chat_endpoint(endpoint: ChatEndpoint) -> str:
    return identify_endpoint("chat", endpoint.qualified_model_name, endpoint.base_url, endpoint.project)


def start_recording() -> None:
    """Record the calls of this process from now on."""
    _recording.set()


def stop_recording() -> None:
    _recording.clear()


def record_call(endpoint: str, outcome: str, seconds: float, *, pause_s: float = 0.0) -> None:
    """Record one call, if this process records.

    ``outcome``: :data:`OK` or the kind of the failure. ``pause_s``: how long this process leaves the endpoint alone.
    """
    if not _recording.is_set():
        return
    now = time.time()
    values = (outcome, round(seconds * 1000), now, now + pause_s if pause_s else 0, HEALTH.calls, HEALTH.kept_s)
    with suppress(RedisAway):
        _RECORD.run(redis_client(), _name_keys(endpoint), values)


def read_health(endpoint: str) -> EndpointHealth | None:
    """Return how the endpoint's last calls went; None if Redis does not tell."""
    try:
        fields, latencies = _READ.run(redis_client(), _name_keys(endpoint), ())
    except RedisAway:
        return None
    values = {key.decode(): value.decode() for key, value in zip(fields[::2], fields[1::2], strict=True)}
    return EndpointHealth(
        latencies_ms=tuple(int(one) for one in latencies),
        succeeded_at=_parse_time(values.get("succeeded_at")),
        failed_at=_parse_time(values.get("failed_at")),
        failure=values.get("failure", ""),
        failures=int(values.get("failures", 0)),
        paused_until=_parse_time(values.get("paused_until")),
    )


def _name_keys(endpoint: str) -> tuple[str, str]:
    return f"endpoint:{{{endpoint}}}", f"endpoint:{{{endpoint}}}:ms"


def _parse_time(value: Any) -> datetime | None:
    seconds = float(value or 0)
    return datetime.fromtimestamp(seconds, UTC) if seconds else None
