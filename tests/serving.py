"""The whole platform over HTTP, in a thread of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application


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
