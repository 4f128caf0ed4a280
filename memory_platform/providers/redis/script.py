"""A Lua script for every request: over a connection that its thread keeps, by its hash.

redis-py takes a connection from the pool, checks that it is alive, and packs the command anew: twice the time of the
call itself. A kept connection that has died fails one call, which callers continue without.
"""

import hashlib
import os
import threading
from collections.abc import Sequence
from typing import Any, cast

from redis import Redis
from redis.exceptions import NoScriptError, ResponseError

from memory_platform.providers.redis.client import BoundedRedis


class RedisScript:
    """A script whose arguments are texts and numbers; ``use`` names it in metrics and logs."""

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
