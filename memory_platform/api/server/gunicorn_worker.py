"""A gunicorn worker in which a slow peer holds a thread for a bounded time only.

gunicorn has no setting for slow headers or bodies: it waits without end in one of its few threads (``gthread``, 27.0),
so that one idle peer for each thread stops the server. ``gunicorn.conf.py`` names this worker.
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

from memory_platform.api.config import API_CONFIG
from memory_platform.api.errors.problems import problem_response
from memory_platform.observability.logs import Event, accept_request_id, log

# Requests that gunicorn refuses; anything else that is not HTTP is 400.
REFUSALS = {http.LimitRequestLine: 414, http.ExpectationFailed: 417, http.LimitRequestHeaders: 431}


class ClockedSocket(socket.socket):
    """A connection with time limits: between two reads, and for a whole head or body. A slow head reads as a closed
    connection; a slow body raises TimeoutError."""

    def __init__(self, plain: socket.socket) -> None:
        super().__init__(plain.family, plain.type, plain.proto, fileno=plain.detach())
        self.ends = 0.0
        self.in_head = False
        self.closing = False

    def expect_head(self) -> None:
        self.ends, self.in_head = monotonic() + API_CONFIG.head_s, True

    def expect_body(self, seconds: float) -> None:
        self.ends, self.in_head = monotonic() + seconds, False

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """Return bytes that arrive in time; while closing, only those already there. Raises TimeoutError."""
        left = self.ends - monotonic()
        if self.closing or left > 0:
            self.settimeout(0.0 if self.closing else min(left, API_CONFIG.pause_s))
            try:
                return super().recv(size, flags)
            except TimeoutError:
                pass
        if self.in_head:
            return b""
        raise TimeoutError("the peer sends too slowly")

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send all of ``data``. Raises TimeoutError when the peer does not read it."""
        self.settimeout(API_CONFIG.answer_s)
        super().sendall(data, flags)

    def shutdown(self, how: int, /) -> None:
        """End one direction. gunicorn then reads on in its only loop, so reading must not wait from here on."""
        self.closing = True
        super().shutdown(how)


class ClockedWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's threaded worker, in which a connection gets a thread when data comes."""

    def enqueue_req(self, conn: Any) -> None:
        """Give the connection a thread. A new and silent one waits in the poller, which takes no thread."""
        if not isinstance(conn.sock, ClockedSocket):
            conn.sock = ClockedSocket(conn.sock)
            if not conn.wait_for_data(0):
                self.await_first_bytes(conn)
                return
        super().enqueue_req(conn)

    def await_first_bytes(self, conn: Any) -> None:
        """Let the poller watch a connection, for no longer than a head may take. gunicorn's longer time for kept
        connections is for peers that have sent a request."""
        conn.sock.setblocking(False)
        conn.timeout = monotonic() + API_CONFIG.head_s
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def handle(self, conn: Any) -> Any:
        conn.sock.expect_head()
        return super().handle(conn)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer one request, and then no longer wait for an unread rest of its body."""
        conn.sock.expect_body(API_CONFIG.body_s)
        try:
            return super().handle_request(req, conn)
        finally:
            conn.sock.expect_body(API_CONFIG.drained_pause_s)

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer with a problem when gunicorn refuses a request before Django. The log line does not quote it."""
        refused = isinstance(exc, http.ParseException)
        status = REFUSALS.get(type(exc), 400) if refused else 500
        request_id = accept_request_id(None)
        event = Event.REQUEST_REFUSED if refused else Event.REQUEST_FAILED
        # The id is passed on, because the thread still has that of its request before.
        log(event, error=type(exc).__qualname__, status=status, request_id=request_id)
        answer = problem_response(status)
        answer["X-Request-Id"], answer["Connection"] = request_id, "close"
        with suppress(OSError):
            client.sendall(f"HTTP/1.1 {status} {answer.reason_phrase}\r\n".encode() + answer.serialize())


def allow_body(request: HttpRequest, seconds: float) -> None:
    """Allow ``seconds`` from now for the rest of the body, on a server that has this clock."""
    connection = request.META.get("gunicorn.socket")
    if isinstance(connection, ClockedSocket):
        connection.expect_body(seconds)
