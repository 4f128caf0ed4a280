"""The whole platform over HTTP, and a worker, in threads of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.db import connections

from snapshots.jobs import drain_work_job, run_asked_jobs_job


class QuietHandler(WSGIRequestHandler):
    """The development server's handler without a line per request."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: pytest shows what failed."""


@contextmanager
def serve_app() -> Iterator[int]:
    """Serve on the port that is yielded, until the end of the block."""
    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler)
    server.set_app(get_wsgi_application())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


@contextmanager
def working(tenant_id: UUID) -> Iterator[None]:
    """Do the tenant's work in a thread, as a worker does, until the end of the block."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(0.1):
            drain_work_job(tenant_id=str(tenant_id))
            run_asked_jobs_job(tenant_id=str(tenant_id))
        connections.close_all()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(timeout=20)
