"""The window in Redis: turns under the version of their conversation.

Every change of a conversation's messages raises ``Conversation.version`` in its transaction. A stored window counts
only when it has the version that the reader has just seen in Postgres, and a write never replaces a newer one: late and
lost writes cost a rebuild, never a wrong window.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, cast
from uuid import UUID

import orjson
from redis import Redis

from memory_platform.providers.redis.client import BoundedRedis
from snapshots.window.config import WINDOW_CONFIG
from snapshots.window.values import WindowMessage

USE = "window"
# A version above every real one: a late writer cannot write a deleted conversation's window again.
TOMBSTONE_VERSION = 2**53

CHUNK = 1_000

_WRITE_IF_NEWER = """
local held = redis.call('HGET', KEYS[1], 'version')
if held and tonumber(held) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'turns', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""


def make_window_key(tenant_id: UUID, conversation_id: UUID) -> str:
    return f"w:{tenant_id}:{conversation_id}"


def store_turns(redis: BoundedRedis, key: str, version: int, turns: Sequence[WindowMessage]) -> bool:
    """Store the turns of ``version``; return False when the same or a newer version is there. Raises RedisAway."""
    return _write_if_newer(redis, key, version, orjson.dumps(turns), int(WINDOW_CONFIG.kept_for.total_seconds()))


def load_cached_turns(redis: BoundedRedis, key: str, version: int) -> tuple[WindowMessage, ...] | None:
    """Return the stored turns of exactly ``version``, or None. Raises RedisAway."""

    def read(client: "Redis") -> list[bytes | None]:
        return cast(list[bytes | None], client.hmget(key, ["version", "turns"]))

    held, turns = redis.call(USE, read)
    if held is None or not turns or int(held) != version:
        return None
    return tuple(_parse_turn(one) for one in orjson.loads(turns))


def drop_cached_turns(redis: BoundedRedis, keys: Sequence[str]) -> None:
    """Remove windows; the next reader rebuilds them. Raises RedisAway."""
    if keys:
        redis.call(USE, lambda client: client.unlink(*keys))


def drop_all_windows(redis: BoundedRedis) -> int:
    """Remove the windows of all tenants, tombstones too; return how many there were. Raises RedisAway."""

    def drop(client: "Redis") -> int:
        return sum(cast(int, client.unlink(key)) for key in client.scan_iter(match="w:*", count=CHUNK))

    return redis.call(USE, drop)


def erase_turns(redis: BoundedRedis, keys: Iterable[str]) -> None:
    """Erase windows for good: their content goes at once, and a late writer finds a tombstone. Raises RedisAway."""
    for key in keys:
        _write_if_newer(redis, key, TOMBSTONE_VERSION, b"", int(WINDOW_CONFIG.grave_for.total_seconds()))


def _write_if_newer(redis: BoundedRedis, key: str, version: int, turns: bytes, seconds: int) -> bool:
    def write(client: "Redis") -> Any:
        return client.eval(_WRITE_IF_NEWER, 1, key, str(version), cast(str, turns), str(seconds))

    return bool(redis.call(USE, write))


def _parse_turn(stored: dict[str, Any]) -> WindowMessage:
    said_at = datetime.fromisoformat(stored["said_at"])
    return WindowMessage(**{**stored, "id": UUID(stored["id"]), "said_at": said_at})
