"""Accepting an import: the whole export is checked, then its lines wait in parts for a worker.

A tombstone recognises a forgotten message, but not the data learned or made from it. Such data is recognised by its
sources, which are in other lines, so it is left out before the lines are split.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any
from uuid import UUID

import orjson
from django.db import transaction

from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.kernel.text import to_comparable
from profiles.models import Subject
from profiles.services.subjects import put_subject
from profiles.services.tombstones import find_forgotten_messages, find_forgotten_texts, has_tombstones
from snapshots.models import Job, JobKind, JobPart, SnapshotKind
from snapshots.portability.config import PORTABILITY, PortabilityConfig
from snapshots.portability.line_kinds import END, HEADER, KIND_BY_NAME, LINE_KINDS, READABLE_FORMATS, SUBJECT
from snapshots.portability.parse_line import ColumnFault, read_row
from snapshots.queue.requested_jobs import add_job, wake_job_workers
from tenants.isolation import current_tenant_id

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
    conversations = {row["id"]: row["external_id"] for row in _list_lines_of_type(rows, "conversation")}
    messages = {row["id"]: row for row in _list_lines_of_type(rows, "message")}
    names = {one: (conversations.get(row["conversation_id"], ""), row["external_id"]) for one, row in messages.items()}
    gone = find_forgotten_messages(subject_id, list(names.values()))
    texts = find_forgotten_texts(subject_id, [row["content"] for row in messages.values()])
    return {one for one, row in messages.items() if names[one] in gone or row["content"] in texts}


def _find_lost_memories(rows: Sequence[Line], forgotten_ids: set[str]) -> set[str]:
    behind: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["type"] in SOURCE_TYPES:
            behind[row["memory_id"]].add(row["message_id"])
    lost = {row["id"] for row in rows if _is_lost(row, behind[row["id"]], forgotten_ids)}
    said = {_make_statement_key(row) for row in rows if row["id"] in lost and row["type"] in BELIEF_COLUMNS}
    unsourced = [row for row in rows if row["type"] in BELIEF_COLUMNS and not behind[row["id"]]]
    # The earlier part of a value that was cut in two has no source of its own.
    return lost | {row["id"] for row in unsourced if _make_statement_key(row) in said}


def _drop_forgotten_details(rows: Sequence[Line], forgotten_ids: set[str]) -> Sequence[Line]:
    """Return the lines without details of tags, now or earlier, that only forgotten messages say."""
    said = {row["id"]: to_comparable(row["content"]) for row in _list_lines_of_type(rows, "message")}
    behind: dict[str, set[str]] = defaultdict(set)
    for row in _list_lines_of_type(rows, "tag_source"):
        behind[row["memory_id"]].add(row["message_id"])

    def is_lost(tag: str, text: Any) -> bool:
        words = to_comparable(text) if isinstance(text, str) else ""
        saying = {one for one in behind[tag] if words and words in said.get(one, "")}
        return bool(saying) and saying <= forgotten_ids

    def shorten(row: Line) -> Line | None:
        if row["type"] == "tag_detail" and row["detail"] in WORDED_DETAILS:
            return _shorten_line(row, "value", partial(is_lost, row["tag_id"]))
        if row["type"] != "tag":
            return row
        lost = partial(is_lost, row["id"])
        texts = {name: "" for name in WORDED_DETAILS if isinstance(row.get(name), str) and lost(row[name])}
        return {**row, **texts, "aliases": [name for name in row.get("aliases", ()) if not lost(name)]}

    return [kept for row in rows if (kept := shorten(row)) is not None] if forgotten_ids else rows


def _shorten_line(row: Line, name: str, is_lost: Callable[[Any], bool]) -> Line | None:
    """Return a line without the lost part of one of its columns, a text or a list; None when nothing is left."""
    if not isinstance(row[name], list):
        return None if is_lost(row[name]) else row
    entries = [one for one in row[name] if not is_lost(one)]
    return {**row, name: entries} if entries else None


def _find_forgotten_episodes(subject_id: UUID, rows: Sequence[Line]) -> set[str]:
    """Return the ids of episodes whose words match a tombstone, and of the tasks that they were made of. Their
    snapshots stay among the lines, as messages do: each is refused, and counted, where it would be stored."""
    told = {
        row["id"]: row["text"] for row in _list_lines_of_type(rows, "snapshot") if row["kind"] == SnapshotKind.EPISODE
    }
    marked = find_forgotten_texts(subject_id, list(told.values())) if told else set()
    lost = [row for row in _list_lines_of_type(rows, "episode") if told.get(row["snapshot_id"]) in marked]
    return {row["id"] for row in lost} | {row["task_id"] for row in lost}


def _is_lost(row: Line, behind: set[str], forgotten_ids: set[str]) -> bool:
    if row["type"] == "snapshot" and row["kind"] in MADE_OF_MANY:
        return not behind.isdisjoint(forgotten_ids)
    if row["type"] not in {"snapshot", *BELIEF_COLUMNS} or not behind or not behind <= forgotten_ids:
        return False
    return len(row.get("said_times") or ()) <= len(behind)  # said more often: by the product itself


def _make_statement_key(row: Line) -> tuple[str, ...]:
    columns = (*BELIEF_COLUMNS[row["type"]], "value")
    return (row["type"], *(repr(row.get(name)) for name in columns))


def _find_touched_conversations(rows: Sequence[Line], forgotten_ids: set[str]) -> tuple[set[str], set[str]]:
    said: dict[str, set[str]] = defaultdict(set)
    for row in _list_lines_of_type(rows, "message"):
        said[row["conversation_id"]].add(row["id"])
    emptied = {one for one, messages in said.items() if messages <= forgotten_ids}
    return emptied, {one for one, messages in said.items() if not messages.isdisjoint(forgotten_ids)} - emptied


def _refers_to(row: Line, ids: set[str]) -> bool:
    if row["type"] == "receipt_memory":  # numbers, and no words
        return False
    return any(row.get(name) in ids for name in REFERENCES) or not ids.isdisjoint(row.get("members") or ())


def _list_lines_of_type(rows: Sequence[Line], name: str) -> Iterator[Line]:
    return (row for row in rows if row["type"] == name)


# A type of line made here: keys to rows of the same table, set when all of these are stored.
LINK_LINE = "link"


@dataclass(frozen=True, slots=True)
class CheckedImport:
    """A checked export. ``rows`` are its lines in the order of storing; ``origin`` is the exported subject's id."""

    subject_id: str
    origin: UUID
    metadata: dict[str, Any] = field(default_factory=dict)
    rows: tuple[Line, ...] = ()


def parse_export(lines: Sequence[Any]) -> CheckedImport:
    """Return the export that ``lines`` hold. Raises InvalidInput naming the first bad field, as ``lines.17.text``."""
    if len(lines) < 3:  # noqa: PLR2004 - header, subject and end
        raise _build_fault("lines", "incomplete", "Must be a whole export: a header, a subject, rows and an end.")
    origin, subject = _parse_header(lines[0]), _parse_subject(lines[1])
    counts, rows = Counter[str](), list[Line]()
    for number, line in enumerate(lines[2:-1], 2):
        rows.append(_check_row(number, line))
        counts[line["type"]] += 1
    _check_end(len(lines) - 1, lines[-1], counts)
    return CheckedImport(subject["subject_id"], origin, subject["metadata"], tuple(_sort_lines(rows)))


def accept_import(
    checked_import: CheckedImport, *, subject_id: str | None, allow_forgotten: bool
) -> tuple[Subject, Job]:
    """Create the subject on first sight and leave the lines to a job, in the open transaction."""
    name = subject_id or checked_import.subject_id
    put = put_subject(name)
    if put.created:
        put = put_subject(name, metadata=checked_import.metadata)
    kept = (
        KeptLines(list(checked_import.rows))
        if allow_forgotten
        else drop_forgotten_lines(put.subject.id, checked_import.rows)
    )
    params = {"subject": str(put.subject.id), "origin": str(checked_import.origin), "allow_forgotten": allow_forgotten}
    job = add_job(JobKind.IMPORT, params)
    _store_parts(job, kept, PORTABILITY)
    transaction.on_commit(partial(wake_job_workers, current_tenant_id()), robust=True)
    return put.subject, job


def drop_newly_forgotten(job: Job) -> None:
    subject_id = UUID(job.params["subject"])
    if job.done or job.params["allow_forgotten"] or not has_tombstones(subject_id):
        return
    parts = JobPart.objects.filter(job_id=job.id).order_by("number")
    kept = drop_forgotten_lines(subject_id, [line for part in parts for line in unpack_lines(part)])
    if kept.left_out:
        parts.delete()
        _store_parts(job, kept, PORTABILITY)


def unpack_lines(part: JobPart) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = orjson.loads(zlib.decompress(bytes(part.packed)))
    return lines


def _store_parts(job: Job, lines: KeptLines, config: PortabilityConfig) -> None:
    """Leave lines to a job in parts, and record how many there are and how many were left out."""
    job.total = sum(row["type"] != LINK_LINE for row in lines.rows)
    if lines.left_out:
        job.result["forgotten"] = dict(lines.left_out + Counter(job.result.get("forgotten", {})))
    job.save(update_fields=["result", "total"])
    parts = [JobPart(job=job, number=number, packed=one) for number, one in enumerate(_pack_parts(lines.rows, config))]
    JobPart.objects.bulk_create(parts, batch_size=20)


def _pack_parts(rows: Sequence[Line], config: PortabilityConfig) -> Iterator[bytes]:
    for _, group in groupby(rows, key=lambda row: row["type"]):
        lines = list(group)
        for start in range(0, len(lines), config.import_lines):
            yield zlib.compress(orjson.dumps(lines[start : start + config.import_lines]))


def _parse_header(line: Any) -> UUID:
    if not isinstance(line, dict) or line.get("type") != HEADER:
        raise _build_fault("lines.0", "not_a_header", "Must be the header of an export.")
    if line.get("format") not in READABLE_FORMATS or isinstance(line.get("format"), bool):
        raise _build_fault(
            "lines.0.format", "unknown_format", f"Must be one of: {', '.join(map(str, READABLE_FORMATS))}."
        )
    try:
        return UUID(str(line.get("origin")))
    except ValueError:
        raise _build_fault("lines.0.origin", "not_an_id", "Must be an id.") from None


def _parse_subject(line: Any) -> dict[str, Any]:
    if not isinstance(line, dict) or line.get("type") != SUBJECT or not isinstance(line.get("subject_id"), str):
        raise _build_fault("lines.1", "not_a_subject", "Must be the subject of an export.")
    metadata = line.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise _build_fault("lines.1.metadata", "not_an_object", "Must be a JSON object.")
    return {"subject_id": line["subject_id"], "metadata": metadata}


def _check_row(number: int, line: Any) -> Line:
    name = line.get("type") if isinstance(line, dict) else None
    kind = KIND_BY_NAME.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _build_fault(f"lines.{number}.type", "unknown_type", f"Must be one of: {', '.join(KIND_BY_NAME)}.")
    try:
        read_row(kind, line)
    except ColumnFault as fault:
        raise _build_fault(f"lines.{number}.{fault.column}", "malformed", fault.message) from None
    checked: Line = line
    return checked


def _check_end(number: int, line: Any, counts: Counter[str]) -> None:
    if not isinstance(line, dict) or line.get("type") != END:
        raise _build_fault(f"lines.{number}", "incomplete", "The export was cut off: its last line is missing.")
    if line.get("counts") != dict(counts):
        raise _build_fault(
            f"lines.{number}.counts",
            "incomplete",
            "Must count the lines: some are missing or too many.",
        )


def _sort_lines(rows: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines by table, each after those that it refers to, then the keys inside of tables."""
    links: list[Line] = []
    place = {kind.name: number for number, kind in enumerate(LINE_KINDS)}
    for row in sorted(rows, key=lambda row: place[row["type"]]):
        later = {name: row[name] for name in KIND_BY_NAME[row["type"]].later_keys if row.get(name)}
        if later:
            links.append({"type": LINK_LINE, "of": row["type"], "id": row["id"], **later})
        yield {**row, **dict.fromkeys(later)}
    yield from links


def _build_fault(field_name: str, code: str, message: str) -> InvalidInput:
    return InvalidInput(faults=[FieldFault(field_name, code, message)])
