"""Erase windows in Redis, and count those left."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from memory_platform.providers.redis.client import RedisAway, redis_client
from snapshots.window.redis_store import USE, drop_cached_turns, make_window_key


def drop_cached_windows(tenant_id: UUID, conversations: list[UUID]) -> bool:
    """Drop windows, which the next reader builds again; return False while Redis is away."""
    try:
        drop_cached_turns(redis_client(), [make_window_key(tenant_id, one) for one in conversations])
    except RedisAway:
        return False
    return True


def count_windows_left(tenant_id: UUID, conversations: Iterable[UUID]) -> dict[str, Any]:
    """Return how many windows were looked for in Redis, and how many still hold words; ``away`` if it cannot tell."""
    keys = [make_window_key(tenant_id, one) for one in conversations]
    try:
        left = sum(bool(redis_client().call(USE, lambda client, key=key: client.hget(key, "turns"))) for key in keys)  # type: ignore[misc]
    except RedisAway:
        return {"away": True}
    return {"away": False, "windows": len(keys), "left": left}
