"""The connections to one endpoint; a hanging call does not block the others.

httpx limits the wait for each byte, not for an answer: an endpoint that sends one byte a second holds a connection and
its thread for a day, and a hundred such calls would use up the pool.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx


class Connections:
    """Thread-safe. ``late_s``: how long after its deadline a call may still hold a connection."""

    def __init__(self, headers: Mapping[str, str], *, late_s: float) -> None:
        self._headers = headers
        self._late_s = late_s
        self._lock = threading.Lock()
        self._client = self._make_client()
        self._lent: dict[object, tuple[float, httpx.Client]] = {}

    @contextmanager
    def lend(self, ends: float) -> Iterator[httpx.Client]:
        """Lend the connections to a call with this deadline (``ends``, monotonic).

        If an earlier call is long past its deadline, all connections are closed and this call gets new ones; other open
        calls fail with ``httpx.TransportError``.
        """
        call = object()
        with self._lock:
            self._close_late_calls()
            client = self._client
            self._lent[call] = ends, client
        try:
            yield client
        finally:
            with self._lock:
                del self._lent[call]

    def _close_late_calls(self) -> None:
        late = time.monotonic() - self._late_s
        held = {client for ends, client in self._lent.values() if ends < late}
        if self._client in held:
            self._client = self._make_client()
        for client in held:
            client.close()

    def _make_client(self) -> httpx.Client:
        return httpx.Client(headers=dict(self._headers), follow_redirects=False)
