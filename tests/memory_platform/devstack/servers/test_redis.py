"""The embedded Redis serves redis-py and Celery and comes back after a crash. Rows: D6."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from celery import Celery

from memory_platform.devstack.errors import AlreadyRunning
from memory_platform.devstack.servers.redis import EmbeddedRedis

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def server(open_directory: Path) -> Iterator[EmbeddedRedis]:
    embedded = EmbeddedRedis(open_directory / "redis")
    embedded.start()
    yield embedded
    embedded.stop()


def test_redis_py_reads_the_address(server: EmbeddedRedis) -> None:
    with redis.Redis.from_url(server.url, decode_responses=True) as client:
        client.set("家", "上海")
        assert client.get("家") == "上海"
        assert str(client.info("server")["redis_version"]).startswith("6.2")


def test_celery_publishes_and_a_second_connection_receives(server: EmbeddedRedis) -> None:
    app = Celery(broker=server.broker_url)
    app.send_task("nudge", args=["tenant"], queue="wake-ups")
    with app.connection_for_read() as connection:
        message = connection.SimpleQueue("wake-ups").get(timeout=5)
        message.ack()
    assert message.headers["task"] == "nudge"


def test_it_has_no_network_port(server: EmbeddedRedis) -> None:
    with redis.Redis.from_url(server.url) as client:
        assert client.config_get("port") == {"port": "0"}
    assert server.socket.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_a_clean_stop_keeps_everything(server: EmbeddedRedis) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.set("kept", "1")
    server.stop()
    assert server.pid is None
    assert not server.is_ready()
    server.start()
    with redis.Redis.from_url(server.url) as client:
        assert client.get("kept") == b"1"


@pytest.mark.slow
def test_a_killed_server_starts_again_with_what_was_synced(server: EmbeddedRedis) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.set("synced", "1")
        client.config_set("appendfsync", "always")
        client.set("synced too", "1")
    server.kill()
    server.start()
    with redis.Redis.from_url(server.url) as client:
        assert client.exists("synced", "synced too") == 2


def test_a_second_owner_of_the_directory_is_refused(server: EmbeddedRedis) -> None:
    with pytest.raises(AlreadyRunning):
        EmbeddedRedis(server.home).start()
    assert server.is_ready()
