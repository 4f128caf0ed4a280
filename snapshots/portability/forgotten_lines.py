"""Find export lines that would restore forgotten data, beside the words themselves.

A tombstone recognises a message. Data learned or made from it has no tombstone: it is known by its sources, which are
in other lines, so it is left out before the lines are split.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from memory_platform.kernel.text import to_comparable
from profiles.services.tombstones import find_forgotten_messages, find_forgotten_texts, has_tombstones
from snapshots.models import SnapshotKind

Line = Mapping[str, Any]

# Types of learned values, with the columns that say what they are about.
BELIEF_COLUMNS = {"profile_fact": ("field", "is_attribute"), "preference": ("category", "key"), "tag": ("label",)}
SOURCE_TYPES = frozenset({"snapshot_source", "preference_source", "profile_fact_source", "tag_source"})
# Snapshots with the words of all their sources; any other one is left out when all of its sources are.
MADE_OF_MANY = frozenset({SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT, SnapshotKind.CONSOLIDATED})
WORDED_DETAILS = frozenset({"address", "phone", "relation", "aliases"})
REFERENCES = ("tag_id", "memory_id", "memory_ref", "snapshot_id", "version_of_id", "message_id", "message_ref")


@dataclass(slots=True)
class KeptLines:
    """The lines that bring back nothing forgotten, and how many others there are of each type."""

    rows: list[Line] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def drop_forgotten_lines(subject_id: UUID, rows: Sequence[Line]) -> KeptLines:
    """Drop data that only forgotten messages taught, data made from it, and references to either.

    Keeps the messages themselves: each is refused where it would be stored. In the open scope.
    """
    if not has_tombstones(subject_id):
        return KeptLines(list(rows))
    gone = _find_forgotten_messages(subject_id, rows)
    lost = _find_lost_memories(rows, gone) | _find_forgotten_episodes(subject_id, rows)
    rows = _drop_forgotten_details(rows, gone)
    if not gone and not lost:
        return KeptLines(list(rows))
    emptied, begun = _find_touched_conversations(rows, gone)
    kept = KeptLines()
    for row in rows:
        if row["id"] in lost or row["id"] in emptied or _refers_to(row, lost | gone):
            kept.left_out[row["type"]] += 1
        else:
            kept.rows.append({**row, "summary": "", "summarised_seq": 0} if row["id"] in begun else row)
    return kept


def _find_forgotten_messages(subject_id: UUID, rows: Sequence[Line]) -> set[str]:
    conversations = {row["id"]: row["external_id"] for row in _lines_of_type(rows, "conversation")}
    messages = {row["id"]: row for row in _lines_of_type(rows, "message")}
    names = {one: (conversations.get(row["conversation_id"], ""), row["external_id"]) for one, row in messages.items()}
    gone = find_forgotten_messages(subject_id, list(names.values()))
    texts = find_forgotten_texts(subject_id, [row["content"] for row in messages.values()])
    return {one for one, row in messages.items() if names[one] in gone or row["content"] in texts}


def _find_lost_memories(rows: Sequence[Line], gone: set[str]) -> set[str]:
    behind: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["type"] in SOURCE_TYPES:
            behind[row["memory_id"]].add(row["message_id"])
    lost = {row["id"] for row in rows if _is_lost(row, behind[row["id"]], gone)}
    said = {_statement_key(row) for row in rows if row["id"] in lost and row["type"] in BELIEF_COLUMNS}
    unsourced = [row for row in rows if row["type"] in BELIEF_COLUMNS and not behind[row["id"]]]
    # The earlier part of a value that was cut in two has no source of its own.
    return lost | {row["id"] for row in unsourced if _statement_key(row) in said}


def _drop_forgotten_details(rows: Sequence[Line], gone: set[str]) -> Sequence[Line]:
    """Return the lines without details of tags, now or earlier, that only forgotten messages say."""
    said = {row["id"]: to_comparable(row["content"]) for row in _lines_of_type(rows, "message")}
    behind: dict[str, set[str]] = defaultdict(set)
    for row in _lines_of_type(rows, "tag_source"):
        behind[row["memory_id"]].add(row["message_id"])

    def is_lost(tag: str, text: Any) -> bool:
        words = to_comparable(text) if isinstance(text, str) else ""
        saying = {one for one in behind[tag] if words and words in said.get(one, "")}
        return bool(saying) and saying <= gone

    def shorten(row: Line) -> Line | None:
        if row["type"] == "tag_detail" and row["detail"] in WORDED_DETAILS:
            return _shorten_line(row, "value", partial(is_lost, row["tag_id"]))
        if row["type"] != "tag":
            return row
        lost = partial(is_lost, row["id"])
        texts = {name: "" for name in WORDED_DETAILS if isinstance(row.get(name), str) and lost(row[name])}
        return {**row, **texts, "aliases": [name for name in row.get("aliases", ()) if not lost(name)]}

    return [kept for row in rows if (kept := shorten(row)) is not None] if gone else rows


def _shorten_line(row: Line, name: str, is_lost: Callable[[Any], bool]) -> Line | None:
    """Return a line without the lost part of one of its columns, a text or a list; None when nothing is left."""
    if not isinstance(row[name], list):
        return None if is_lost(row[name]) else row
    entries = [one for one in row[name] if not is_lost(one)]
    return {**row, name: entries} if entries else None


def _find_forgotten_episodes(subject_id: UUID, rows: Sequence[Line]) -> set[str]:
    """Return the ids of episodes whose words match a tombstone, and of the tasks that they were made of.

    Their snapshots stay among the lines, as messages do: each is refused, and counted, where it would be stored.
    """
    told = {row["id"]: row["text"] for row in _lines_of_type(rows, "snapshot") if row["kind"] == SnapshotKind.EPISODE}
    marked = find_forgotten_texts(subject_id, list(told.values())) if told else set()
    lost = [row for row in _lines_of_type(rows, "episode") if told.get(row["snapshot_id"]) in marked]
    return {row["id"] for row in lost} | {row["task_id"] for row in lost}


def _is_lost(row: Line, behind: set[str], gone: set[str]) -> bool:
    if row["type"] == "snapshot" and row["kind"] in MADE_OF_MANY:
        return not behind.isdisjoint(gone)
    if row["type"] not in {"snapshot", *BELIEF_COLUMNS} or not behind or not behind <= gone:
        return False
    return len(row.get("said_times") or ()) <= len(behind)  # said more often: by the product itself


def _statement_key(row: Line) -> tuple[str, ...]:
    columns = (*BELIEF_COLUMNS[row["type"]], "value")
    return (row["type"], *(repr(row.get(name)) for name in columns))


def _find_touched_conversations(rows: Sequence[Line], gone: set[str]) -> tuple[set[str], set[str]]:
    said: dict[str, set[str]] = defaultdict(set)
    for row in _lines_of_type(rows, "message"):
        said[row["conversation_id"]].add(row["id"])
    emptied = {one for one, messages in said.items() if messages <= gone}
    return emptied, {one for one, messages in said.items() if not messages.isdisjoint(gone)} - emptied


def _refers_to(row: Line, ids: set[str]) -> bool:
    if row["type"] == "receipt_memory":  # numbers, and no words
        return False
    return any(row.get(name) in ids for name in REFERENCES) or not ids.isdisjoint(row.get("members") or ())


def _lines_of_type(rows: Sequence[Line], name: str) -> Iterator[Line]:
    return (row for row in rows if row["type"] == name)
