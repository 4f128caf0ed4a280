"""A model endpoint that answers at once, a program of its own: it prints its port and serves until its input ends."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL_HOST = "127.0.0.1"
HEAD = {"id": "chatcmpl-1", "created": 1, "model": "made-up"}
WORDS = ("Take ", "the ", "almonds", ".")
WHOLE = json.dumps(
    {
        **HEAD,
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "".join(WORDS)}}],
    }
).encode()


def make_event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {**HEAD, "object": "chat.completion.chunk", "choices": [choice]}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


EVENTS = (*(make_event({"content": word}) for word in WORDS), make_event({}, "stop"), b"data: [DONE]\n\n")


class Handler(BaseHTTPRequestHandler):
    """Answers any POST as a chat completion."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        if not body.get("stream"):
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(WHOLE)))
            self.end_headers()
            self.wfile.write(WHOLE)
            return
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in EVENTS:
            self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None:
        """Stay silent."""


def serve() -> None:
    server = ThreadingHTTPServer((MODEL_HOST, 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    serve()
