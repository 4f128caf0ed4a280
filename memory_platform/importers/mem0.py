"""mem0: the answer of ``get_all``, an export of the platform, or the history of the open-source version.

The objects are those of mem0ai 2.2.1: ``{"results": [{"id", "memory", "user_id", "metadata", "created_at", ...}]}``.
Ids, categories and marks are kept under the keys that the mem0 door reads, so that its clients find them again.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memory_platform.compat.mem0.memory_scope import ID_OF_TYPE, MARKS, MemoryScope, drop_marks, read_scope
from memory_platform.compat.mem0.request_values import read_expiration
from memory_platform.importers.field_reading import (
    check_subject_id,
    find_first,
    hash_content,
    make_product_id,
    read_object,
    read_text,
    read_time,
    read_time_said,
)
from memory_platform.importers.file_reading import Advance, read_rows
from memory_platform.importers.foreign_rows import (
    FilePiece,
    ForeignMemory,
    ForeignRow,
    ReadingOptions,
    RowFault,
    UnusableRow,
)
from memory_platform.importers.mem0_history import is_history, read_history
from memory_platform.kernel.errors import InvalidInput

LISTS = ("results", "memories")
_WORDS = ("memory", "text", "data")
# What the object tells beside the metadata, and no column here holds.
_TOLD = ("hash", "actor_id", "created_at", "updated_at", "score_breakdown")


def read_mem0(path: Path, options: ReadingOptions, advance: Advance) -> Iterator[ForeignRow]:
    """Yield the memories of a file of mem0."""
    if is_history(path):
        yield from read_history(path, options, advance)
        return
    for piece in read_rows(path, LISTS, options.encoding, advance):
        yield piece if isinstance(piece, RowFault) else _read_piece(piece, options)


def _read_piece(piece: FilePiece, options: ReadingOptions) -> ForeignRow:
    try:
        return _read_memory(piece.place, read_object(piece.content), options)
    except UnusableRow as fault:
        return RowFault(piece.place, fault.reason, fault.message)


def _read_memory(place: str, row: Mapping[str, Any], options: ReadingOptions) -> ForeignMemory:
    scope = _read_scope(row, options)
    said_at = read_time_said(row, options, "timestamp", "created_at")
    try:
        expires_at = read_expiration(row.get("expiration_date"))
    except InvalidInput as fault:
        raise UnusableRow("not_a_time", fault.faults[0].message) from None
    return ForeignMemory(
        place=place,
        subject_id=options.subject_id or check_subject_id(scope.subject_id),
        key=find_first(row, "id") or hash_content(row),
        text=read_text(row, *_WORDS),
        said_at=said_at or read_time(row, options, "updated_at"),
        expires_at=expires_at,
        metadata=_read_metadata(row, scope),
    )


def _read_scope(row: Mapping[str, Any], options: ReadingOptions) -> MemoryScope:
    ids = {name: row.get(name) for name in ID_OF_TYPE.values()}
    run = find_first(row, "run_id", "session_id")
    ids["run_id"] = make_product_id(run) if run else None
    try:
        return read_scope(ids, needed=options.subject_id is None)
    except InvalidInput as fault:
        raise UnusableRow("no_subject", f"{fault.faults[0].message} Or name one subject: --subject ID.") from None


def _read_metadata(row: Mapping[str, Any], scope: MemoryScope) -> dict[str, Any]:
    own = row.get("metadata")
    marks = {
        mark: row[name]
        for name, mark in MARKS.items()
        if name not in ID_OF_TYPE.values() and row.get(name) not in (None, "", [], False)
    }
    told = {f"mem0_{name}": row[name] for name in _TOLD if row.get(name) is not None}
    return {**drop_marks(own if isinstance(own, dict) else {}), **told, **marks, **scope.list_marks()}
