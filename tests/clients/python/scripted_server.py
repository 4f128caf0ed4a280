"""A small real HTTP server that answers as its script says, and keeps what it was asked."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HANG_UP = "hang up"
"""The connection ends without an answer."""
HALF = "half"
"""The connection ends in the middle of the answer."""


@dataclass(frozen=True, slots=True)
class Line:
    """One answer of a script; ``after_s`` lets the client wait for it."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    after_s: float = 0.0
    ending: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Script:
    """What is answered, in turn, the last line again and again; and what was asked."""

    address: str
    lines: list[Line] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def play(self, *lines: Line) -> None:
        """Begin a new script."""
        self.lines, self.questions = list(lines), []

    def next_line(self, question: Question) -> Line:
        """Keep a request and return its answer."""
        with self.lock:
            self.questions.append(question)
            return self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]


class ScriptHandler(BaseHTTPRequestHandler):
    """Answers by the script of its server."""

    protocol_version = "HTTP/1.1"
    script: Script

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _answer(self) -> None:
        line = self.script.next_line(Question(self.command, self.path, dict(self.headers.items()), self._read()))
        time.sleep(line.after_s)
        if line.ending == HANG_UP:
            self.close_connection = True
            return
        content = line.body if isinstance(line.body, bytes) else json.dumps(line.body).encode()
        if line.status == 204:
            content = b""
        self.send_response(line.status)
        for name, value in {"Content-Type": "application/json", **line.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if line.ending == HALF:
            content, self.close_connection = content[: len(content) // 2], True
        self.wfile.write(content)

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        read = b""
        while size := int(self.rfile.readline(), 16):
            read += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return read

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer


@contextmanager
def serve_script() -> Iterator[Script]:
    """Serve a script on a port of its own, until the end of the block."""
    script = Script("")
    handler = type("Handler", (ScriptHandler,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    script.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)
