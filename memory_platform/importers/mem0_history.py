"""The history that mem0's open-source version keeps in SQLite: memories added, changed and deleted, and when.

Its table ``history`` (mem0ai 2.2.1) names no user, so that ``--subject`` has to. Each earlier wording ended when the
next one came; the current one has the key of the memory, as in ``get_all``.
"""

import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_platform.importers.field_reading import NO_SUBJECT, find_first, read_object, read_text, read_time_said
from memory_platform.importers.file_reading import Advance
from memory_platform.importers.foreign_rows import ForeignMemory, ForeignRow, ReadingOptions, RowFault, UnusableRow

_MAGIC = b"SQLite format 3\x00"
_QUERY = "SELECT rowid AS place, * FROM history ORDER BY memory_id, rowid"
_DELETED = "DELETE"


def is_history(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def read_history(path: Path, options: ReadingOptions, advance: Advance) -> Iterator[ForeignRow]:
    """Yield each wording that a memory had, by memory."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            database.text_factory = lambda text: text.decode(errors="surrogateescape")
            rows = (dict(row) for row in database.execute(_QUERY))
            for _, events in itertools.groupby(rows, key=lambda row: row["memory_id"]):
                yield from _read_wordings(list(events), options)
    except sqlite3.Error:
        yield RowFault(
            "the file", "broken_file", "The file is no whole SQLite database with a table `history` of mem0."
        )
    advance(path.stat().st_size)


def _read_wordings(events: Sequence[dict[str, Any]], options: ReadingOptions) -> Iterator[ForeignRow]:
    for event, following in itertools.zip_longest(events, events[1:]):
        if event.get("event") == _DELETED:
            continue
        try:
            yield _read_wording(read_object(event), following, options)
        except UnusableRow as fault:
            yield RowFault(f"history {event['place']}", fault.reason, fault.message)


def _read_wording(event: Any, following: dict[str, Any] | None, options: ReadingOptions) -> ForeignMemory:
    if options.subject_id is None:
        raise NO_SUBJECT
    key = find_first(event, "memory_id")
    ended_at = None if following is None else _read_moment(following, options)
    return ForeignMemory(
        place=f"history {event['place']}",
        subject_id=options.subject_id,
        key=key if following is None or following.get("event") == _DELETED else f"{key}#{find_first(event, 'id')}",
        text=read_text(event, "new_memory"),
        said_at=_read_moment(event, options),
        invalid_at=ended_at,
        metadata={"mem0_memory_id": key},
    )


def _read_moment(event: Any, options: ReadingOptions) -> datetime | None:
    return read_time_said(event, options, "updated_at", "created_at")
