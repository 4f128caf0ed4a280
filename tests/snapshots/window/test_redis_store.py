"""The window in Redis never goes backwards and never answers for another version. Rows: C2."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from redis import Redis

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.providers.redis.client import BoundedRedis, RedisAway
from snapshots.window.redis_store import erase_turns, load_cached_turns, make_window_key, store_turns
from snapshots.window.values import WindowMessage

pytestmark = pytest.mark.processes


def turn(content: str, seq: int = 1) -> WindowMessage:
    said_at = datetime(2026, 3, 1, 8, 30, 0, 123456, tzinfo=UTC)
    calls = [{"id": "call_1", "function": {"name": "天气", "arguments": "{}"}}]
    return WindowMessage(uuid4(), f"消息-{seq}", seq, "user", None, content, said_at, 12, calls, None)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedRedis]:
    """A Redis of this module's own: its tests kill it."""
    path: Path = tmp_path_factory.mktemp("redis")
    redis = EmbeddedRedis(path, durable=False)
    redis.start()
    yield redis
    redis.stop()


@pytest.fixture
def redis(server: EmbeddedRedis) -> BoundedRedis:
    server.start()
    return BoundedRedis(server.url)


@pytest.fixture
def key() -> str:
    return make_window_key(uuid4(), uuid4())


def content_of(redis: BoundedRedis, key: str, version: int) -> list[str] | None:
    turns = load_cached_turns(redis, key, version)
    return None if turns is None else [one.content for one in turns]


def test_what_was_kept_comes_back_exactly(redis: BoundedRedis, key: str) -> None:
    turns = (turn("你好，导航回家 🚗"), turn('quotes " and \\ and \u2028', 2))

    assert store_turns(redis, key, 7, turns)
    assert load_cached_turns(redis, key, 7) == turns


def test_an_empty_window_is_not_a_lost_one(redis: BoundedRedis, key: str) -> None:
    assert load_cached_turns(redis, key, 1) is None
    store_turns(redis, key, 1, ())
    assert load_cached_turns(redis, key, 1) == ()


def test_another_version_than_the_one_asked_for_is_no_window(redis: BoundedRedis, key: str) -> None:
    store_turns(redis, key, 7, [turn("seventh")])

    assert load_cached_turns(redis, key, 6) is None
    assert load_cached_turns(redis, key, 8) is None


def test_a_late_older_write_does_not_replace_a_newer_one(redis: BoundedRedis, key: str) -> None:
    store_turns(redis, key, 8, [turn("newer")])

    assert not store_turns(redis, key, 7, [turn("older")])
    assert content_of(redis, key, 8) == ["newer"]


def test_writers_in_any_order_leave_the_newest(redis: BoundedRedis, key: str) -> None:
    versions = list(range(1, 101))
    random.Random(5).shuffle(versions)  # noqa: S311 - an order, not a secret
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda version: store_turns(redis, key, version, [turn(f"v{version}")]), versions))

    assert content_of(redis, key, 100) == ["v100"]


def test_a_buried_window_is_empty_at_once_and_a_late_writer_cannot_raise_it(redis: BoundedRedis, key: str) -> None:
    store_turns(redis, key, 3, [turn("canary")])

    erase_turns(redis, [key])

    assert not store_turns(redis, key, 4, [turn("canary")])
    assert load_cached_turns(redis, key, 3) is None
    assert "canary" not in str(redis.call("test", lambda client: client.hvals(key)))


def test_the_window_leaves_after_a_day(redis: BoundedRedis, key: str) -> None:
    def seconds_left(client: Redis) -> int:
        return int(client.ttl(key))  # type: ignore[arg-type]  # redis-py types every answer as perhaps awaitable

    store_turns(redis, key, 3, [turn("hot")])
    assert 86_000 < redis.call("test", seconds_left) <= 86_400


def test_tenants_and_conversations_have_keys_of_their_own() -> None:
    tenant, conversation = UUID(int=1), UUID(int=2)
    assert make_window_key(tenant, conversation) != make_window_key(conversation, tenant)


def test_a_killed_redis_is_an_error_that_callers_expect(server: EmbeddedRedis, redis: BoundedRedis, key: str) -> None:
    store_turns(redis, key, 1, [turn("hot")])
    server.kill()

    with pytest.raises(RedisAway):
        load_cached_turns(redis, key, 1)
    with pytest.raises(RedisAway):
        store_turns(redis, key, 2, [turn("hot")])
