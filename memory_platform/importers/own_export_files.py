"""Foreign memories as files of our own export, for ``POST /v1/import`` and ``import_file`` of the Python client."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from memory_platform.importers.config import IMPORTERS
from memory_platform.importers.foreign_rows import (
    REFUSED,
    STORED,
    ForeignMemory,
    ForeignRow,
    RowFault,
    RowVerdict,
    UnusableRow,
)
from memory_platform.importers.own_export_lines import SNAPSHOT, build_line, make_origin
from memory_platform.kernel.clock import utc_now
from snapshots.portability.line_kinds import END, FORMAT, HEADER, SUBJECT

NO_LINE = "Messages are learned from and preferences are weighed on arrival: post them, or import them by the command."


class _ExportFile:
    """One export of one subject, while it is being written."""

    def __init__(self, path: Path, subject_id: str, system: str) -> None:
        self._file = path.open("wb")
        self._rows = 0
        self.size = 0
        head = {"type": HEADER, "format": FORMAT, "exported_at": utc_now(), "origin": make_origin(system)}
        self._write(head)
        self._write({"type": SUBJECT, "subject_id": subject_id, "metadata": {}})

    def add(self, line: dict[str, Any]) -> None:
        self._write(line)
        self._rows += 1

    def close(self) -> None:
        self._write({"type": END, "counts": {SNAPSHOT: self._rows} if self._rows else {}})
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        self.size += self._file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


class ExportFiles:
    """Writes memories into a folder, as exports that one import accepts: of one subject, of a limited size each."""

    def __init__(self, system: str, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._system, self._folder = system, folder
        self._current: tuple[str, _ExportFile] | None = None
        self._count = 0

    def store_batch(self, batch: Sequence[ForeignRow]) -> list[RowVerdict]:
        """Return the verdicts of the rows, in their order: ``stored`` is written."""
        return [self._store_row(row) for row in batch]

    def finish(self) -> None:
        if self._current is not None:
            self._current[1].close()
            self._current = None

    def _store_row(self, row: ForeignRow) -> RowVerdict:
        if isinstance(row, RowFault):
            return RowVerdict(row.place, REFUSED, "", row.reason, row.message)
        if not isinstance(row, ForeignMemory):
            return RowVerdict(row.place, REFUSED, "", "no_export_line", NO_LINE)
        try:
            line = build_line(self._system, row)
        except UnusableRow as fault:
            return RowVerdict(row.place, REFUSED, "memory", fault.reason, fault.message)
        self._find_file(row.subject_id).add(line)
        return RowVerdict(row.place, STORED, "memory")

    def _find_file(self, subject_id: str) -> _ExportFile:
        if self._current is not None:
            subject, file = self._current
            if subject == subject_id and file.size < IMPORTERS.export_bytes:
                return file
        self.finish()
        self._count += 1
        file = _ExportFile(self._folder / f"{self._count:05d}.jsonl", subject_id, self._system)
        self._current = (subject_id, file)
        return file
