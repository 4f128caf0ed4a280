"""Django's cache in the platform's Redis: small JSON values that every process must see."""

import json
import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.locmem import LocMemCache

from memory_platform.providers.redis.client import BoundedRedis, RedisAway, Result, redis_client

PREFIX = "console:"
# For how long a process keeps its own values after a read that failed.
AWAY_MS = 10_000


class SharedCache(BaseCache):
    """Keeps values in Redis. While Redis is away each process keeps its own, so that limits hold at least there.

    A Redis that answers reads and refuses writes (a full disk, a replica) is away as well: after a call that failed,
    the process keeps its own values for as long as the value of that call would have lived.
    """

    # When Redis is asked again, in monotonic seconds; one for all threads, which have a cache each.
    _away_until = 0.0

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._local = LocMemCache("shared", params)

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        text, ttl = json.dumps(value), self._ttl_ms(timeout)
        return bool(
            self._call(
                lambda redis: redis.call("console", lambda client: client.set(PREFIX + key, text, nx=True, px=ttl)),
                lambda: self._local.add(key, value, timeout),
                ttl,
            )
        )

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        text: Any = self._call(
            lambda redis: redis.call("console", lambda client: client.get(PREFIX + key)),
            lambda: json.dumps(self._local.get(key)),
        )
        value = json.loads(text) if text else None
        return default if value is None else value

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        text, ttl = json.dumps(value), self._ttl_ms(timeout)
        self._call(
            lambda redis: redis.call("console", lambda client: client.set(PREFIX + key, text, px=ttl)),
            lambda: self._local.set(key, value, timeout),
            ttl,
        )

    def delete(self, key: str, version: int | None = None) -> bool:
        return bool(
            self._call(
                lambda redis: redis.call("console", lambda client: client.delete(PREFIX + key)),
                lambda: self._local.delete(key),
            )
        )

    def _ttl_ms(self, timeout: Any) -> int:
        seconds = self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout
        return max(1, int((seconds or 0) * 1000))

    def _call(
        self, shared: Callable[[BoundedRedis], Result], local: Callable[[], Result], ttl_ms: int = AWAY_MS
    ) -> Result:
        if time.monotonic() < SharedCache._away_until:
            return local()
        try:
            return shared(redis_client())
        except RedisAway:
            SharedCache._away_until = time.monotonic() + ttl_ms / 1000
            return local()
