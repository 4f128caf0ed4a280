"""Redis that may be away costs little. Rows: C2, R6. Matrix: 29, 30."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.providers.redis.client import BoundedRedis, RedisAway, RedisConfig
from tests.black_hole import black_hole, count_redis_failures, redis_tried_once_per_pause
from tests.log_lines import log_lines

SHORT_PAUSE = RedisConfig(pause_s=0.2)


def ping(client: Redis) -> bool:
    return bool(client.ping())


def seconds_to_fail(redis: BoundedRedis) -> float:
    started = time.monotonic()
    with pytest.raises(RedisAway):
        redis.call("test", ping)
    return time.monotonic() - started


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EmbeddedRedis]:
    redis = EmbeddedRedis(tmp_path / "redis", durable=False)
    redis.start()
    yield redis
    redis.stop()


@pytest.fixture
def silent_url() -> Iterator[str]:
    """Address of a peer that accepts and never answers."""
    with black_hole() as port:
        yield f"redis://127.0.0.1:{port}/0"


@pytest.mark.processes
def test_a_call_returns_what_redis_answers(server: EmbeddedRedis) -> None:
    assert BoundedRedis(server.url).call("test", ping)


def test_a_peer_that_never_answers_costs_its_time_out_once(silent_url: str) -> None:
    redis = BoundedRedis(silent_url)

    with redis_tried_once_per_pause():
        assert seconds_to_fail(redis) > 0.25
        for _ in range(20):
            seconds_to_fail(redis)


def test_after_the_pause_one_caller_tries_and_the_others_are_refused_at_once(silent_url: str) -> None:
    redis = BoundedRedis(silent_url, SHORT_PAUSE)
    seconds_to_fail(redis)
    time.sleep(0.25)

    before = count_redis_failures()
    threads = [threading.Thread(target=seconds_to_fail, args=[redis]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 1 <= count_redis_failures() - before <= 2  # two threads may pass the check in the same instant


@pytest.mark.slow
@pytest.mark.processes
def test_a_killed_server_is_used_again_when_it_is_back(server: EmbeddedRedis, caplog: pytest.LogCaptureFixture) -> None:
    redis = BoundedRedis(server.url, RedisConfig(answer_s=60, pause_s=SHORT_PAUSE.pause_s))
    assert redis.call("test", ping)
    server.kill()

    seconds_to_fail(redis)
    errors = [line["error"] for line in log_lines(caplog) if line["event"] == "cache.failed"]
    assert errors == ["ConnectionError"], "a server that is gone refuses: nobody waits until the time is out"
    server.start()
    time.sleep(0.25)
    assert redis.call("test", ping)


@pytest.mark.processes
def test_a_refused_command_does_not_keep_others_away(server: EmbeddedRedis) -> None:
    redis = BoundedRedis(server.url)

    def hash_command_on_a_string(client: Redis) -> object:
        client.set("text", "value")
        return client.hget("text", "field")

    with pytest.raises(RedisAway):
        redis.call("test", hash_command_on_a_string)
    assert redis.call("test", ping)
