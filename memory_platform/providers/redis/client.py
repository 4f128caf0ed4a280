"""Redis client: a call costs at most its timeout, and nothing while Redis is known to be silent.

Redis holds only data that can be rebuilt, so nobody waits for it: no retries, and after a failure a pause in which
calls are refused at once (redis-py's defaults make 59 s of a peer that accepts and never answers).
"""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar, cast

from django.conf import settings
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError, ResponseError
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


class RedisScript:
    """A Lua script for every request, over a connection that its thread keeps; ``use`` names it in metrics and logs.

    redis-py takes a connection from the pool, checks that it is alive, and packs the command anew: twice the time of
    the call itself. A kept connection that has died fails one call, which callers continue without.
    """

    def __init__(self, use: str, source: str) -> None:
        self._use = use
        self._source = source
        self._hash = hashlib.sha1(source.encode()).hexdigest()  # noqa: S324  # how Redis names scripts
        self._kept = threading.local()

    def run(self, redis: BoundedRedis, keys: Sequence[str], arguments: Sequence[object]) -> list[Any]:
        """Return the script's answer, a list of integers and bytes. Raises RedisAway."""
        rest = (str(len(keys)), *keys, *(str(argument) for argument in arguments))
        return redis.call(self._use, lambda client: self._ask(client, rest))

    def _ask(self, client: "Redis", rest: Sequence[str]) -> list[Any]:
        connection = self._connection(client)
        try:
            connection.send_packed_command([pack_command("EVALSHA", self._hash, *rest)])
            return cast(list[Any], connection.read_response())
        except NoScriptError:  # Redis was started anew: it learns the script from this call
            connection.send_packed_command([pack_command("EVAL", self._source, *rest)])
            return cast(list[Any], connection.read_response())
        except ResponseError:
            raise
        except BaseException:
            connection.disconnect()  # what is still under way must not answer the next call
            raise

    def _connection(self, client: "Redis") -> Any:
        pool = client.connection_pool
        owner = (os.getpid(), id(pool))
        if getattr(self._kept, "owner", None) != owner:
            self._kept.connection, self._kept.owner, self._kept.pool = pool.make_connection(), owner, pool
        return self._kept.connection


def pack_command(*parts: str) -> bytes:
    encoded = [part.encode() for part in parts]
    return b"*%d\r\n%b" % (len(encoded), b"".join(b"$%d\r\n%b\r\n" % (len(part), part) for part in encoded))
