"""A model's HTTP endpoint that tests make up: real HTTP on a real port, answers as well or as badly as a test wants."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """What arrived."""

    path: str
    headers: dict[str, str]
    body: Any
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back: ``body`` as JSON, or bytes as they are, after ``hang_s``.

    With ``drip`` one byte of it every ``pause_s``; with ``drip_head`` the head comes so, and never ends.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pause_s: float = 0.0
    drip: bool = False
    drip_head: bool = False
    hang_s: float = 0.0

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class QuietServer(ThreadingHTTPServer):
    """Says nothing of callers that went away."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent."""


class ModelServer:
    """Serves ``answer(request)``; keeps the requests. ``answer`` may be replaced at any time."""

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self._server = QuietServer(("127.0.0.1", 0), self._handler())

    @property
    def url(self) -> str:
        """The address before the paths."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def start(self) -> None:
        """Serve in a thread."""
        threading.Thread(target=self._server.serve_forever, args=(0.005,), daemon=True).start()

    def stop(self) -> None:
        """Stop serving: from now on connections are refused."""
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                body = json.loads(self.rfile.read(length) or b"null")
                headers = {key.lower(): value for key, value in self.headers.items()}
                request = Request(self.path, headers, body, self.command)
                server.requests.append(request)
                try:
                    self._send(server.answer(request))
                except OSError:  # the caller went away, as it should
                    self.close_connection = True

            do_PATCH = do_DELETE = do_POST

            def _send(self, reply: Reply) -> None:
                time.sleep(reply.hang_s)
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: " if reply.drip_head else b"")
                while reply.drip_head:
                    self.wfile.write(b"x")
                    time.sleep(reply.pause_s)
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.content)))
                self.end_headers()
                if not reply.drip:
                    self.wfile.write(reply.content)
                    return
                for byte in reply.content:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(reply.pause_s)

            def log_message(self, *_: object) -> None:
                """Stay silent."""

        return Handler


@contextmanager
def model_server(answer: Callable[[Request], Reply]) -> Iterator[ModelServer]:
    """Serve ``answer`` for the block."""
    server = ModelServer(answer)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def completion(content: str, *, usage: dict[str, Any] | None = None, finish: str = "stop") -> Reply:
    """Return ``content`` as a chat completion in OpenAI's form; an empty ``usage`` is left out."""
    message = {"role": "assistant", "content": content}
    counted = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12} if usage is None else usage
    return Reply(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": "some-model",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            **({"usage": counted} if counted else {}),
        }
    )
