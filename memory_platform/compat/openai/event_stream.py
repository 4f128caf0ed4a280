"""Server-sent events as they arrive in pieces: whole events are passed on, half of one waits for its rest."""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from memory_platform.compat.openai.config import PROXY

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE_END = re.compile(rb"\r\n|\n|\r")
DATA = b"data:"
DONE = b"[DONE]"


class EventSplitter:
    """Cuts a stream behind its events. An event that is too large is passed on in the pieces in which it comes."""

    def __init__(self, most: int = PROXY.event_bytes) -> None:
        self._waiting = b""
        self._most = most

    def feed(self, piece: bytes) -> bytes:
        """Return the events that are whole now, byte by byte as they came; often exactly ``piece``."""
        searched_from = max(0, len(self._waiting) - 3)
        self._waiting += piece
        ends = [match.end() for match in _END.finditer(self._waiting, searched_from)]
        if not ends and len(self._waiting) <= self._most:
            return b""
        cut = ends[-1] if ends else len(self._waiting)
        whole, self._waiting = self._waiting[:cut], self._waiting[cut:]
        return whole

    def take_rest(self) -> bytes:
        """Return the bytes after the last whole event, if they can be read: some servers end without an empty line.
        Half of an event is dropped, as the standard says."""
        rest, self._waiting = self._waiting, b""
        lines = [line for line in _LINE_END.split(rest) if line.startswith(DATA)]
        data = b"\n".join(line[len(DATA) :].strip() for line in lines)
        return rest if data == DONE or parse_data(data) is not None else b""


def read_events(whole: bytes) -> Iterator[dict[str, Any]]:
    """Yield the data of the events that hold a JSON object."""
    for event in _END.split(whole):
        lines = [line[len(DATA) :].strip() for line in _LINE_END.split(event) if line.startswith(DATA)]
        data = parse_data(b"\n".join(lines)) if lines else None
        if data is not None:
            yield data


def parse_data(data: bytes) -> dict[str, Any] | None:
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def make_event(data: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(data) + b"\n\n"
