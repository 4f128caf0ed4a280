"""Waiting for work that the platform does after it has answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from memory_platform_client.errors import TimedOut
from memory_platform_client.retries import Flow, Pause

T = TypeVar("T")
FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 2.0


def wait_until(look: Callable[[], Flow[T]], is_done: Callable[[T], bool], timeout_s: float, word: str) -> Flow[T]:
    """Look again and again, more and more rarely, until it is done. ``word`` says in an error what did not happen."""
    ends, pause = time.monotonic() + timeout_s, FIRST_PAUSE_S
    while True:
        found = yield from look()
        if is_done(found):
            return found
        left = ends - time.monotonic()
        if left <= 0:
            raise TimedOut(f"Not {word} within {timeout_s:g} seconds.")
        yield Pause(min(pause, left))
        pause = min(2 * pause, LONGEST_PAUSE_S)
