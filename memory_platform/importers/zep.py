"""Zep and Graphiti: facts with their times, episodes, and messages of threads.

The objects are those of zep-cloud 4.0.1 and graphiti-core 0.31.2, as their clients print them: an ``EntityEdge`` has a
``fact``, an episode has a ``source``, a message has a ``role``. A file may hold lists of them under any of ``LISTS``,
one list, or one object a line. A fact that Graphiti replaced (``expired_at``) ended, as one with ``invalid_at`` did.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memory_platform.importers.field_reading import (
    find_first,
    hash_content,
    make_product_id,
    read_end_time,
    read_object,
    read_subject,
    read_text,
    read_time,
    read_time_said,
)
from memory_platform.importers.file_reading import Advance, read_rows
from memory_platform.importers.foreign_rows import (
    FilePiece,
    ForeignMemory,
    ForeignMessage,
    ForeignRow,
    ReadingOptions,
    RowFault,
    UnusableRow,
)

LISTS = ("edges", "facts", "relevant_facts", "episodes", "messages")
_SUBJECT = ("user_id", "group_id", "user_uuid")
_THREAD = ("thread_id", "session_id", "thread_uuid")
# The conversation of messages that name no thread.
NO_THREAD = "zep"
_KEPT = (
    "source_node_uuid",
    "target_node_uuid",
    "episodes",
    "episode_uuids",
    "attributes",
    "rating",
    "expired_at",
    "created_at",
)
_ROLES = {"function": "tool", "human": "user", "ai": "assistant", "norole": "user"}
EPISODE = "episode"


def read_zep(path: Path, options: ReadingOptions, advance: Advance) -> Iterator[ForeignRow]:
    """Yield the facts, episodes and messages of a file."""
    for piece in read_rows(path, LISTS, options.encoding, advance):
        yield piece if isinstance(piece, RowFault) else _read_piece(piece, options)


def _read_piece(piece: FilePiece, options: ReadingOptions) -> ForeignRow:
    try:
        row = read_object(piece.content)
        if "fact" in row:
            return _read_fact(piece.place, row, options)
        if find_first(row, "role_type", "role"):
            return _read_message(piece.place, row, options)
        return _read_episode(piece.place, row, options)
    except UnusableRow as fault:
        return RowFault(piece.place, fault.reason, fault.message)


def _read_fact(place: str, row: Mapping[str, Any], options: ReadingOptions) -> ForeignMemory:
    name = find_first(row, "name", "fact_name")
    return ForeignMemory(
        place=place,
        subject_id=read_subject(row, options, *_SUBJECT),
        key=find_first(row, "uuid", "uuid_") or hash_content(row),
        text=read_text(row, "fact"),
        said_at=read_time_said(row, options, "reference_time", "created_at"),
        valid_at=read_time(row, options, "valid_at"),
        invalid_at=read_end_time(row, options, "invalid_at", "expired_at"),
        topics=(name,) if name else (),
        metadata={f"zep_{key}": row[key] for key in _KEPT if row.get(key) not in (None, [], {})},
    )


def _read_episode(place: str, row: Mapping[str, Any], options: ReadingOptions) -> ForeignMemory:
    kept = {f"zep_{key}": row[key] for key in ("name", "source", "source_description") if row.get(key)}
    own = row.get("metadata") or row.get("episode_metadata")
    return ForeignMemory(
        place=place,
        subject_id=read_subject(row, options, *_SUBJECT),
        key=find_first(row, "uuid", "uuid_") or hash_content(row),
        text=read_text(row, "content"),
        said_at=read_time_said(row, options, "valid_at", "reference_time", "created_at"),
        category=EPISODE,
        metadata={**(own if isinstance(own, dict) else {}), **kept},
    )


def _read_message(place: str, row: Mapping[str, Any], options: ReadingOptions) -> ForeignMessage:
    role = find_first(row, "role_type", "role").removesuffix("Role").lower()
    said_at = read_time_said(row, options, "reference_time", "created_at")
    name = find_first(row, "name", "role_name")
    return ForeignMessage(
        place=place,
        subject_id=read_subject(row, options, *_SUBJECT),
        conversation_id=make_product_id(find_first(row, *_THREAD) or NO_THREAD),
        fields={
            "message_id": make_product_id(find_first(row, "uuid", "uuid_") or hash_content(row)),
            "role": _ROLES.get(role, role),
            "content": read_text(row, "content"),
            **({"name": name} if name and _ROLES.get(role, role) != "user" else {}),
            **({"said_at": said_at.isoformat()} if said_at else {}),
        },
    )
