"""The connections to one endpoint, which no call keeps from the others.

httpx bounds each wait for a byte, not that for an answer: an endpoint that sends one byte of its head a second holds
a connection, and the thread that reads it, for a day. Of a hundred such calls none would be left for the next.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx


class Connections:
    """Safe in threads. ``late_s``: how long after its time a call may still hold a connection."""

    def __init__(self, headers: Mapping[str, str], *, late_s: float) -> None:
        self._headers = headers
        self._late_s = late_s
        self._lock = threading.Lock()
        self._client = self._make_client()
        self._lent: dict[object, tuple[float, httpx.Client]] = {}

    @contextmanager
    def lend(self, ends: float) -> Iterator[httpx.Client]:
        """Lend the connections to a call that is to be over at ``ends`` (monotonic).

        Where an earlier one is not over long after its time, all are closed, and this call begins with new ones; others
        that had an answer to come fail with ``httpx.TransportError``.
        """
        call = object()
        with self._lock:
            self._close_what_is_late()
            client = self._client
            self._lent[call] = ends, client
        try:
            yield client
        finally:
            with self._lock:
                del self._lent[call]

    def _close_what_is_late(self) -> None:
        late = time.monotonic() - self._late_s
        held = {client for ends, client in self._lent.values() if ends < late}
        if self._client in held:
            self._client = self._make_client()
        for client in held:
            client.close()

    def _make_client(self) -> httpx.Client:
        return httpx.Client(headers=dict(self._headers), follow_redirects=False)
