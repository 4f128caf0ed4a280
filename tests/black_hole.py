"""A peer that accepts connections and never says a word: what a lost network looks like to a client."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager


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
