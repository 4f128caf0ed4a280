"""Reading files piece by piece: JSON lines, lists inside of one JSON document, tables with a header.

A piece that cannot be read is a :class:`RowFault` at its place. Where the rest of a file cannot be told apart any more,
as after a broken bracket, one fault stands for the rest.
"""

import codecs
import csv
import io
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import ijson
import orjson

from memory_platform.importers.config import IMPORTERS
from memory_platform.importers.foreign_rows import FilePiece, RowFault

Piece = FilePiece | RowFault
Advance = Callable[[int], object]
_START = {"start_map": "end_map", "start_array": "end_array"}
_PEEK_BYTES = 65_536
REST_LOST = "is not whole JSON from here on; what stands before it was read. Export it again, or name its --encoding."


class TellingFile(io.RawIOBase):
    """A file that tells how many bytes of it were read, and hides a byte order mark."""

    def __init__(self, path: Path, advance: Advance) -> None:
        super().__init__()
        self._file: BinaryIO = path.open("rb")
        self._advance = advance
        if self._file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            self._file.seek(0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)  # type: ignore[attr-defined]  # of a real file
        self._advance(count)
        return int(count)

    def close(self) -> None:
        self._file.close()
        super().close()


def open_file(path: Path, advance: Advance) -> io.BufferedReader:
    return io.BufferedReader(TellingFile(path, advance))


def read_rows(path: Path, list_names: Sequence[str], encoding: str, advance: Advance) -> Iterator[Piece]:
    """Yield the rows of a JSON file of any of three forms: JSON lines, one list, or an object with lists under
    ``list_names``. A document without rows in any of these is one row."""
    form = _detect_file_form(path)
    with open_file(path, advance) as file:
        if form == "lines":
            yield from _iterate_lines(file, encoding)
            return
        rows = _iterate_lists(file if encoding == "utf-8" else RecodedFile(file, encoding), list_names)
        first = next(rows, None)
        if first is not None:
            yield first
            yield from rows
            return
    yield read_whole_document(path, encoding, lambda count: None)


def read_whole_document(path: Path, encoding: str, advance: Advance) -> Piece:
    """Return a JSON document that has to be read as a whole."""
    if path.stat().st_size > IMPORTERS.whole_file_bytes:
        most = IMPORTERS.whole_file_bytes // 1024**2
        return RowFault("the file", "too_large", f"A file of this form may have {most} MiB: it is read as a whole.")
    with open_file(path, advance) as file:
        return _parse_line("the file", file.read(), encoding)


def read_table(path: Path, needed: Sequence[str], encoding: str, advance: Advance) -> Iterator[Piece]:
    """Yield the rows of a CSV file by the names in its header; commas, semicolons and tabs may part its columns."""
    with open_file(path, advance) as file:
        # A byte that no character has becomes half a character, so that its row alone is refused.
        text = io.TextIOWrapper(file, encoding=encoding, errors="surrogateescape", newline="")
        header = text.readline(_PEEK_BYTES)
        found = (next(csv.reader([header], delimiter=one), []) for one in ",;\t")
        names = next(
            (row for row in ([name.strip().lower() for name in row] for row in found) if {*needed} <= {*row}), None
        )
        if names is None:
            yield RowFault(
                "line 1", "no_header", f"The first line must name the columns, at least {', '.join(needed)}."
            )
            return
        delimiter = next(one for one in ",;\t" if len(next(csv.reader([header], delimiter=one))) == len(names))
        yield from _iterate_table(csv.reader(text, delimiter=delimiter), names)


def _iterate_table(reader: Any, names: Sequence[str]) -> Iterator[Piece]:
    while True:
        place = f"line {reader.line_num + 2}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield RowFault(place, "not_a_table_row", "The row cannot be read as CSV: a cell is too long or not closed.")
            continue
        if not cells:
            continue
        if len(cells) > len(names):
            yield RowFault(place, "too_many_cells", "The row has more cells than the header; quote cells with commas.")
            continue
        yield FilePiece(place, dict(zip(names, cells, strict=False)))


def _detect_file_form(path: Path) -> str:
    """Return ``lines`` where the first line is a JSON object of its own and another one follows, else ``document``."""
    with open_file(path, lambda count: None) as file:
        first, second = (file.readline(IMPORTERS.line_bytes) for _ in range(2))
    if not first.lstrip().startswith(b"{") or not second.strip():
        return "document"
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        # A broken first line of JSON lines is followed by an object; inside a document follows a member.
        return "lines" if second.lstrip().startswith(b"{") else "document"
    return "lines"


def _iterate_lines(file: BinaryIO, encoding: str) -> Iterator[Piece]:
    for number in itertools.count(1):
        line = file.readline(IMPORTERS.line_bytes)
        if not line:
            return
        place = f"line {number}"
        if not line.endswith(b"\n") and len(line) == IMPORTERS.line_bytes:
            while line and not line.endswith(b"\n"):
                line = file.readline(IMPORTERS.line_bytes)
            most = IMPORTERS.line_bytes // 1024**2
            yield RowFault(place, "too_large", f"A line may have {most} MiB. Split the conversation or leave it out.")
        elif line.strip():
            yield _parse_line(place, line, encoding)


def _parse_line(place: str, line: bytes, encoding: str) -> Piece:
    try:
        return FilePiece(place, orjson.loads(line.decode(encoding)))
    except UnicodeError:
        return RowFault(place, "wrong_encoding", f"Is not text in {encoding}. Name the right one: --encoding gb18030.")
    except orjson.JSONDecodeError as fault:
        return RowFault(place, "malformed_json", f"Is not JSON (line {fault.lineno}, column {fault.colno}).")


class RecodedFile:
    """The bytes of a file as if it were in UTF-8. Raises UnicodeError where it is not in its encoding."""

    def __init__(self, file: io.BufferedReader, encoding: str) -> None:
        self._text = io.TextIOWrapper(file, encoding=encoding)

    def read(self, size: int = -1) -> bytes:
        return self._text.read(size).encode()


def _iterate_lists(file: Any, list_names: Sequence[str]) -> Iterator[Piece]:
    events = ijson.parse(file, use_float=True)
    wanted = {f"{name}.item": name for name in list_names} | {"item": ""}
    counts = dict.fromkeys(wanted, 0)
    try:
        for prefix, event, value in events:
            if prefix in wanted and not event.startswith("end_"):
                place = (
                    f"{prefix.removesuffix('item')}{counts[prefix]}" if prefix != "item" else f"row {counts[prefix]}"
                )
                counts[prefix] += 1
                yield FilePiece(place, _build_value(events, prefix, event, value), wanted[prefix])
    except (ijson.JSONError, UnicodeError):
        yield RowFault(f"after {sum(counts.values())} rows", "broken_file", f"The file {REST_LOST}")


def _build_value(events: Any, prefix: str, event: str, value: Any) -> Any:
    if event not in _START:
        return value
    builder, end = ijson.ObjectBuilder(), _START[event]
    place = prefix
    while (place, event) != (prefix, end):
        builder.event(event, value)
        place, event, value = next(events)
    builder.event(event, value)
    return builder.value
