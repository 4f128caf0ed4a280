"""The terminal output of the stack: whole lines, each with the name of the process that wrote it."""

import re
import threading
from typing import IO, TextIO

COLOURS = (36, 33, 32, 35, 34, 96, 93, 92)
NAME_WIDTH = 8
COLOUR_CODES = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """A line writer that several processes share; colours only on a real terminal. When the reader goes away
    (``make run | head``), ``gone`` turns true and writing becomes a no-op."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._colours: dict[str, int] | None = {} if stream.isatty() else None
        self._lock = threading.Lock()
        self.gone = False

    def write_line(self, name: str, text: str) -> None:
        """Write ``name | text``; colours in ``text`` are kept only on a real terminal."""
        if self._colours is None:
            text = COLOUR_CODES.sub("", text)
        with self._lock:
            self._write(f"{self._prefix(name)} {text}\n")

    def write_plain_line(self, text: str) -> None:
        with self._lock:
            self._write(text + "\n")

    def start_copying_lines(self, name: str, source: IO[bytes]) -> threading.Thread:
        """Copy ``source`` line by line in a thread, which ends with the source."""
        thread = threading.Thread(target=self._copy, args=(name, source), daemon=True, name=f"lines of {name}")
        thread.start()
        return thread

    def _copy(self, name: str, source: IO[bytes]) -> None:
        with source:
            for line in source:
                if text := line.decode(errors="replace").rstrip():
                    self.write_line(name, text)

    def _prefix(self, name: str) -> str:
        plain = f"{name:<{NAME_WIDTH}} |"
        if self._colours is None:
            return plain
        colour = self._colours.setdefault(name, COLOURS[len(self._colours) % len(COLOURS)])
        return f"\x1b[{colour}m{plain}\x1b[0m"

    def _write(self, text: str) -> None:
        if self.gone:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the pipe was closed, or the terminal hung up
            self.gone = True
