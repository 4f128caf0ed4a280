"""A model endpoint in OpenAI's form that tests make up: it streams, stalls, breaks off and hangs up over real HTTP."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.model_server import QuietServer

Step = bytes | float
"""Bytes are sent as one chunk; a number is a pause in seconds."""


@dataclass(frozen=True, slots=True)
class HeardCall:
    """What arrived."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


@dataclass(frozen=True, slots=True)
class Script:
    """An answer. ``steps`` are sent in chunks; ``is_cut``: the connection ends without the last chunk."""

    steps: Sequence[Step] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False
    wait_s: float = 0.0


class FakeUpstream:
    """Serves ``answer``, which may be replaced at any time; keeps what arrived and when a client hung up."""

    def __init__(self, answer: Callable[[HeardCall], Script]) -> None:
        self.answer = answer
        self.heard: list[HeardCall] = []
        self.hung_up = threading.Event()
        self._server = QuietServer(("127.0.0.1", 0), self._make_handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def last(self) -> HeardCall:
        return self.heard[-1]

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.005,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                headers = {key.lower(): value for key, value in self.headers.items()}
                heard = HeardCall(self.command, self.path, headers, raw)
                upstream.heard.append(heard)
                try:
                    self._play(upstream.answer(heard))
                except OSError:
                    upstream.hung_up.set()
                    self.close_connection = True

            do_GET = do_POST

            def _play(self, script: Script) -> None:
                time.sleep(script.wait_s)
                self.send_response(script.status)
                for name, value in script.headers.items():
                    self.send_header(name, value)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for step in script.steps:
                    if isinstance(step, float):
                        time.sleep(step)
                    else:
                        self.wfile.write(f"{len(step):x}\r\n".encode() + step + b"\r\n")
                if script.is_cut:
                    self.close_connection = True
                else:
                    self.wfile.write(b"0\r\n\r\n")

            def log_message(self, *_: object) -> None:
                """Stay silent."""

        return Handler


@contextmanager
def fake_upstream(answer: Callable[[HeardCall], Script]) -> Iterator[FakeUpstream]:
    upstream = FakeUpstream(answer)
    upstream.start()
    try:
        yield upstream
    finally:
        upstream.stop()


def answer_json(body: Any, status: int = 200, **headers: str) -> Script:
    return Script([json.dumps(body).encode()], status, {"Content-Type": "application/json", **headers})


def completion(*texts: str, **message: Any) -> Script:
    """Return a chat completion with a choice for each text."""
    choices = [
        {
            "index": number,
            "message": {"role": "assistant", "content": text, **message},
            "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
            "logprobs": None,
        }
        for number, text in enumerate(texts or [None])
    ]
    usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "some-model"}
    return answer_json({**head, "choices": choices, "usage": usage})


def chunk(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> bytes:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "some-model"}
    return b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"


def events(steps: Sequence[Step], *, is_cut: bool = False, wait_s: float = 0.0) -> Script:
    return Script(steps, headers={"Content-Type": "text/event-stream; charset=utf-8"}, is_cut=is_cut, wait_s=wait_s)


def stream(*words: str) -> Script:
    """Return a streamed chat completion that says these words."""
    said = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": word}) for word in words)]
    return events([*said, chunk({}, "stop"), DONE])


def response_object(text: str | None, *calls: dict[str, Any], status: str = "completed") -> dict[str, Any]:
    """Return an answer of the Responses API."""
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "some-model",
        "status": status,
        "output": [*([said] if text is not None else []), *calls],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def response_stream(*words: str) -> Script:
    def event(kind: str, **values: Any) -> bytes:
        data = json.dumps({"type": kind, "sequence_number": 1, **values})
        return f"event: {kind}\ndata: {data}\n\n".encode()

    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0, "logprobs": []}
    return events(
        [
            event("response.created", response=response_object(None, status="in_progress")),
            *(event("response.output_text.delta", delta=word, **place) for word in words),
            event("response.completed", response=response_object("".join(words))),
        ]
    )
