"""Django's cache in Redis: what counts log-ins is the same for all processes. Rows: D14."""

import time
from typing import Any

import pytest

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.providers.redis.client import redis_client
from memory_platform.providers.redis.shared_cache import SharedCache


@pytest.fixture
def caches(redis_server: EmbeddedRedis) -> tuple[SharedCache, SharedCache]:
    """Two caches, as two processes have them."""
    return SharedCache("", {}), SharedCache("", {})


def test_one_process_sees_what_another_wrote(caches: tuple[SharedCache, SharedCache]) -> None:
    one, other = caches
    one.set("times", [2.5, 1.0], 60)
    assert other.get("times") == [2.5, 1.0]
    assert not other.add("times", "y", 60)
    assert other.delete("times")
    assert one.get("times", "none") == "none"
    assert one.add("times", "y", 60)


def test_a_value_goes_when_its_time_is_over(caches: tuple[SharedCache, SharedCache]) -> None:
    one, other = caches
    one.add("code", "y", 0.05)
    assert not other.add("code", "y", 0.05)
    time.sleep(0.1)
    assert other.add("code", "y", 60)


def test_while_redis_is_away_each_process_counts_by_itself(settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere.sock"
    SharedCache._away_until = 0.0
    cache = SharedCache("", {})
    assert cache.add("alone", "y", 60)
    assert not cache.add("alone", "y", 60)
    cache.set("alone", [1.0], 60)
    assert cache.get("alone") == [1.0]
    assert cache.delete("alone")
    assert cache.get("alone") is None
    SharedCache._away_until = 0.0


def test_a_redis_that_refuses_writes_switches_no_limit_off(
    redis_server: EmbeddedRedis, caches: tuple[SharedCache, SharedCache]
) -> None:
    one, other = caches
    one.set("tries", [1.0], 60)
    set_needed_replicas(1)
    try:
        one.set("tries", [2.0, 1.0], 60)
        assert one.get("tries") == [2.0, 1.0]
        assert other.get("tries") == [2.0, 1.0], "all threads of the process know it"
        assert one.add("lock", "y", 60)
        assert one.delete("lock")
        assert one.add("lock", "y", 60), "a lock that was taken here is given back here"
    finally:
        set_needed_replicas(0)
        SharedCache._away_until = 0.0
        one.delete("tries")


def set_needed_replicas(count: int) -> None:
    redis_client().call("tests", lambda client: client.config_set("min-replicas-to-write", count))
