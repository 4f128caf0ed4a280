"""A circuit breaker: a service that failed several times in a row is left alone for a while, then tried by one caller.

Kept here because the libraries hold a lock during the call, so that one slow call delays all others.
"""

import threading
import time

from memory_platform.kernel.errors import Unavailable
from memory_platform.providers.config import CIRCUIT, CircuitConfig


class CircuitOpen(Unavailable):
    """The service failed a moment ago and is not called yet."""

    code = "circuit_open"


class Circuit:
    """Counts failures in a row. Safe in threads; no lock is held while the service works."""

    def __init__(self, config: CircuitConfig = CIRCUIT) -> None:
        self._policy = config
        self._lock = threading.Lock()
        self._failures = 0
        self._refuse_until: float | None = None

    @property
    def is_closed(self) -> bool:
        return self._refuse_until is None

    @property
    def pause_left_s(self) -> float:
        """Seconds for which the service is still left alone."""
        until = self._refuse_until
        return 0.0 if until is None else max(0.0, until - time.monotonic())

    def refuse_while_open(self) -> None:
        """Raise CircuitOpen while the service is left alone; after the pause one caller passes as a trial."""
        with self._lock:
            now = time.monotonic()
            if self._refuse_until is None:
                return
            if now < self._refuse_until:
                raise CircuitOpen("The model failed a moment ago.")
            self._refuse_until = now + self._policy.pause_s

    def note_success(self) -> None:
        with self._lock:
            self._failures, self._refuse_until = 0, None

    def note_failure(self) -> None:
        """Count one failure; the last tolerated one, or a failed trial, opens the circuit."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._policy.failures:
                self._refuse_until = time.monotonic() + self._policy.pause_s
