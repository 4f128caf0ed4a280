"""How gunicorn reads: a peer that sends slowly, or nothing, holds a thread for a bounded time.

gunicorn has no setting for slow headers or slow bodies, and by itself waits without end in one of its few threads
(``gthread``, 27.0). ``gunicorn.conf.py`` names this worker; without it a single idle peer per thread stops the web.
"""

import selectors
import socket
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any

from django.http import HttpRequest
from gunicorn.http import errors as http  # type: ignore[import-untyped]  # gunicorn has no types
from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]  # gunicorn has no types

from memory_platform.api.errors.problems import problem_response
from memory_platform.api.policy import POLICY
from memory_platform.observability.logs import Event, log
from memory_platform.observability.request_id import accept_request_id

REFUSALS = {http.LimitRequestLine: 414, http.ExpectationFailed: 417, http.LimitRequestHeaders: 431}
"""What gunicorn refuses for another reason than that it is no HTTP (400)."""


class ClockedSocket(socket.socket):
    """A connection whose reads end with the clock: between two pieces, and over all of one head or body.

    A head that comes too slowly reads as a closed connection, a body raises TimeoutError.
    """

    def __init__(self, plain: socket.socket) -> None:
        super().__init__(plain.family, plain.type, plain.proto, fileno=plain.detach())
        self.ends = 0.0
        self.in_head = False
        self.closing = False

    def expect_head(self) -> None:
        """Start the clock of a request's first line and headers."""
        self.ends, self.in_head = monotonic() + POLICY.head_s, True

    def expect_body(self, seconds: float) -> None:
        """Start the clock of what is left of a request's body."""
        self.ends, self.in_head = monotonic() + seconds, False

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Return what comes within the clock. Raises TimeoutError; once closing, takes what is there already."""
        left = self.ends - monotonic()
        if self.closing or left > 0:
            self.settimeout(0.0 if self.closing else min(left, POLICY.pause_s))
            try:
                return super().recv(size, flags)
            except TimeoutError:
                pass
        if self.in_head:
            return b""
        raise TimeoutError("the peer sends too slowly")

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send all of ``data``. Raises TimeoutError for a peer that does not read it."""
        self.settimeout(POLICY.answer_s)
        super().sendall(data, flags)

    def shutdown(self, how: int, /) -> None:
        """End one direction; gunicorn then reads on for the peer's sake, in its only loop, so that must not wait."""
        self.closing = True
        super().shutdown(how)


class ClockedWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's threaded worker; a connection gets a thread when it says something, and keeps it for a while."""

    def enqueue_req(self, conn: Any) -> None:
        """Give the connection a thread; one that is new and silent waits in the poller, where it costs none."""
        if not isinstance(conn.sock, ClockedSocket):
            conn.sock = ClockedSocket(conn.sock)
            if not conn.wait_for_data(0):
                self.await_first_bytes(conn)
                return
        super().enqueue_req(conn)

    def await_first_bytes(self, conn: Any) -> None:
        """Let the poller watch a connection, as gunicorn does after waiting for it in a thread.

        No longer than for a head: the time of kept connections is for peers that have asked something.
        """
        conn.sock.setblocking(False)
        conn.timeout = monotonic() + POLICY.head_s
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def handle(self, conn: Any) -> Any:
        """Read and answer one request."""
        conn.sock.expect_head()
        return super().handle(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer one request; what it leaves unread of a body is then not waited for."""
        conn.sock.expect_body(POLICY.body_s)
        try:
            return super().handle_request(req, conn)
        finally:
            conn.sock.expect_body(POLICY.drained_pause_s)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer what gunicorn refuses before Django sees it: a problem too, and no log line that quotes it."""
        refused = isinstance(exc, http.ParseException)
        status = REFUSALS.get(type(exc), 400) if refused else 500
        request_id = accept_request_id(None)
        event = Event.REQUEST_REFUSED if refused else Event.REQUEST_FAILED
        # The id is named: the thread still carries that of the request it served before.
        log(event, error=type(exc).__qualname__, status=status, request_id=request_id)
        answer = problem_response(status)
        answer["X-Request-Id"], answer["Connection"] = request_id, "close"
        with suppress(OSError):
            client.sendall(f"HTTP/1.1 {status} {answer.reason_phrase}\r\n".encode() + answer.serialize())


def allow_body(request: HttpRequest, seconds: float) -> None:
    """Give what is left of the body ``seconds`` from now, where the server lets us say so."""
    connection = request.META.get("gunicorn.socket")
    if isinstance(connection, ClockedSocket):
        connection.expect_body(seconds)
