"""Exports that are saved to files."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from memory_platform_client.call_declarations import read_reply
from memory_platform_client.errors import IncompleteExport
from memory_platform_client.flow_drivers import Options
from memory_platform_client.retries import Flow, Request, send_patiently

LAST_LINE = "end"
TAIL_BYTES = 65_536
"""The last line counts rows by table; it is much shorter."""


@dataclass(frozen=True)
class ExportFile:
    """A complete export on disk; ``counts`` are its rows by kind."""

    path: Path
    size_bytes: int
    counts: dict[str, int]


def save_export(request: Request, options: Options) -> Flow[ExportFile]:
    """Save an export beside its place and move it there when it is complete: a file under the name is a whole one."""
    target = request.save_to or Path()
    part = target.with_name(target.name + ".part")
    try:
        reply = yield from send_patiently(replace(request, save_to=part), options.retries, options.timeout_s)
        if not reply.is_success:
            read_reply(reply, None)
        counts = read_counts(part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return ExportFile(target, target.stat().st_size, counts)


def read_counts(path: Path) -> dict[str, int]:
    """Return what the last line of an export counts. Raises IncompleteExport if it is not the last line of one."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - TAIL_BYTES))
        last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
    try:
        line = json.loads(last)
        if line["type"] == LAST_LINE:
            return dict(line["counts"])
    except (ValueError, KeyError, TypeError):
        pass
    raise IncompleteExport("The export ended before its last line. Was the subject erased meanwhile?")
