"""Accepting an import: the whole export is checked, then its lines wait in parts for a worker."""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any
from uuid import UUID

import orjson
from django.db import transaction

from memory_platform.kernel.errors import FieldFault, InvalidInput
from profiles.models import Subject
from profiles.services.subjects import put_subject
from profiles.services.tombstones import has_tombstones
from snapshots.models import Job, JobKind, JobPart
from snapshots.portability.config import PORTABILITY, PortabilityConfig
from snapshots.portability.forgotten_lines import KeptLines, Line, drop_forgotten_lines
from snapshots.portability.line_kinds import END, HEADER, KIND_BY_NAME, LINE_KINDS, READABLE_FORMATS, SUBJECT
from snapshots.portability.read_columns import ColumnFault, read_row
from snapshots.queue.requested_jobs import add_job, wake_job_workers
from tenants.isolation import current_tenant_id

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
    asked: CheckedImport, *, subject_id: str | None, allow_forgotten: bool, config: PortabilityConfig = PORTABILITY
) -> tuple[Subject, Job]:
    """Create the subject on first sight and leave the lines to a job, in the open transaction."""
    name = subject_id or asked.subject_id
    put = put_subject(name)
    if put.created:
        put = put_subject(name, metadata=asked.metadata)
    kept = KeptLines(list(asked.rows)) if allow_forgotten else drop_forgotten_lines(put.subject.id, asked.rows)
    params = {"subject": str(put.subject.id), "origin": str(asked.origin), "allow_forgotten": allow_forgotten}
    job = add_job(JobKind.IMPORT, params)
    _store_parts(job, kept, config)
    transaction.on_commit(partial(wake_job_workers, current_tenant_id()), robust=True)
    return put.subject, job


def drop_newly_forgotten(job: Job, config: PortabilityConfig = PORTABILITY) -> None:
    subject_id = UUID(job.params["subject"])
    if job.done or job.params["allow_forgotten"] or not has_tombstones(subject_id):
        return
    parts = JobPart.objects.filter(job_id=job.id).order_by("number")
    kept = drop_forgotten_lines(subject_id, [line for part in parts for line in unpack_lines(part)])
    if kept.left_out:
        parts.delete()
        _store_parts(job, kept, config)


def unpack_lines(part: JobPart) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = orjson.loads(zlib.decompress(bytes(part.packed)))
    return lines


def _store_parts(job: Job, kept: KeptLines, config: PortabilityConfig) -> None:
    """Leave lines to a job in parts, and record how many there are and how many were left out."""
    job.total = sum(row["type"] != LINK_LINE for row in kept.rows)
    if kept.left_out:
        job.result["forgotten"] = dict(kept.left_out + Counter(job.result.get("forgotten", {})))
    job.save(update_fields=["result", "total"])
    parts = [JobPart(job=job, number=number, packed=one) for number, one in enumerate(_pack_parts(kept.rows, config))]
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
