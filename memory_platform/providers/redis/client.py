"""Redis client: a call costs at most its timeout, and nothing while Redis is known to be silent.

Redis holds only data that can be rebuilt, so nobody waits for it: no retries, and after a failure a pause in which
calls are refused at once (redis-py's defaults make 59 s of a peer that accepts and never answers).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError
from redis.retry import Retry

from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.number_sources import assumed, promised
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import CACHE_FAILURES

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RedisConfig:
    """Timeouts and pauses, in seconds."""

    answer_s: float = promised(0.3)
    pause_s: float = assumed(2.0, owner="providers", settle_by="fault runs: Redis killed and black-holed under load")


class RedisAway(Unavailable):
    """Redis did not answer in time, refused, or failed a moment ago. Callers continue without it."""

    code = "redis_unavailable"


class BoundedRedis:
    """One process's connections to one Redis; safe in threads and across forks, as redis-py's pool is."""

    def __init__(self, url: str, config: RedisConfig | None = None) -> None:
        self._policy = config or RedisConfig()
        self._client: Redis = Redis.from_url(
            url,
            socket_timeout=self._policy.answer_s,
            socket_connect_timeout=self._policy.answer_s,
            retry=Retry(NoBackoff(), 0),
            driver_info=None,  # two commands less in each handshake
        )
        self._paused_until: float | None = None

    def call(self, use: str, command: Callable[["Redis"], Result]) -> Result:
        """Return ``command(client)``; ``use`` names the purpose in metrics and logs. Raises RedisAway."""
        self._refuse_while_paused()
        try:
            result = command(self._client)
        except (RedisError, OSError) as error:
            self._note_failure(use, error)
            raise RedisAway("Redis does not answer.") from None
        self._paused_until = None
        return result

    def close(self) -> None:
        self._client.close()

    def _refuse_while_paused(self) -> None:
        if self._paused_until is None:
            return
        now = time.monotonic()
        if now < self._paused_until:
            raise RedisAway("Redis did not answer a moment ago.")
        self._paused_until = now + self._policy.pause_s  # one caller tries, the others stay refused meanwhile

    def _note_failure(self, use: str, error: Exception) -> None:
        # A refusal (out of memory, read-only) comes at once: only silence and lost connections are worth a pause.
        if not isinstance(error, ResponseError):
            self._paused_until = time.monotonic() + self._policy.pause_s
        CACHE_FAILURES.labels(use=use).inc()
        log(Event.CACHE_FAILED, use=use, error=type(error).__name__)


def redis_client() -> BoundedRedis:
    return _client(settings.REDIS_URL)


@lru_cache(maxsize=4)
def _client(url: str) -> BoundedRedis:
    return BoundedRedis(url)
