"""A peer that accepts connections and never says a word: what a lost network looks like to a client."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from memory_platform.observability.metrics import CACHE_FAILURES
from memory_platform.providers.redis.client import RedisConfig


@contextmanager
def black_hole() -> Iterator[int]:
    """Open the port of such a peer on this machine."""
    accepted: list[socket.socket] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                accepted.append(listener.accept()[0])
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    with closing(listener):
        yield int(listener.getsockname()[1])
    for one in accepted:
        one.close()


@contextmanager
def redis_tried_once_per_pause() -> Iterator[None]:
    """Assert that the block meets a silent Redis at most once in each pause after a failure, however long it takes."""
    failures, began = count_redis_failures(), time.monotonic()
    yield
    failures = count_redis_failures() - failures
    pauses = (time.monotonic() - began) / RedisConfig().pause_s
    assert 1 <= failures <= 1 + pauses


def count_redis_failures() -> float:
    return sum(
        one.value for family in CACHE_FAILURES.collect() for one in family.samples if one.name.endswith("_total")
    )
