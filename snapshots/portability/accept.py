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
from profiles.services.tombstones import has_marks
from snapshots.models import Job, JobKind, JobPart
from snapshots.portability.columns import ColumnFault, read_row
from snapshots.portability.forgotten import Kept, Line, without_forgotten_lines
from snapshots.portability.lines import BY_NAME, END, HEADER, KINDS, READABLE, SUBJECT
from snapshots.portability.policy import PORTABILITY, PortabilityPolicy
from snapshots.queue.asked_jobs import add_job, nudge_jobs
from tenants.isolation import current_tenant_id

# A type of line made here: keys to rows of the same table, set when all of these are stored.
LINK = "link"


@dataclass(frozen=True, slots=True)
class Import:
    """A checked export. ``rows`` are its lines in the order of storing; ``origin`` is the exported subject's id."""

    subject_id: str
    origin: UUID
    metadata: dict[str, Any] = field(default_factory=dict)
    rows: tuple[Line, ...] = ()


def read_export(lines: Sequence[Any]) -> Import:
    """Return the export that ``lines`` hold. Raises InvalidInput naming the first bad field, as ``lines.17.text``."""
    if len(lines) < 3:  # noqa: PLR2004 - header, subject and end
        raise _fault("lines", "incomplete", "Must be a whole export: a header, a subject, rows and an end.")
    origin, subject = _header(lines[0]), _subject(lines[1])
    counts, rows = Counter[str](), list[Line]()
    for number, line in enumerate(lines[2:-1], 2):
        rows.append(_row(number, line))
        counts[line["type"]] += 1
    _end(len(lines) - 1, lines[-1], counts)
    return Import(subject["subject_id"], origin, subject["metadata"], tuple(_in_order(rows)))


def accept_import(
    asked: Import, *, subject_id: str | None, allow_forgotten: bool, policy: PortabilityPolicy = PORTABILITY
) -> tuple[Subject, Job]:
    """Create the subject on first sight and leave the lines to a job, in the open transaction."""
    name = subject_id or asked.subject_id
    put = put_subject(name)
    if put.created:
        put = put_subject(name, metadata=asked.metadata)
    kept = Kept(list(asked.rows)) if allow_forgotten else without_forgotten_lines(put.subject.id, asked.rows)
    params = {"subject": str(put.subject.id), "origin": str(asked.origin), "allow_forgotten": allow_forgotten}
    job = add_job(JobKind.IMPORT, params)
    _leave(job, kept, policy)
    transaction.on_commit(partial(nudge_jobs, current_tenant_id()), robust=True)
    return put.subject, job


def sift_again(job: Job, policy: PortabilityPolicy = PORTABILITY) -> None:
    """Drop from an import that has not begun what was forgotten since it was accepted, in the open scope."""
    subject_id = UUID(job.params["subject"])
    if job.done or job.params["allow_forgotten"] or not has_marks(subject_id):
        return
    parts = JobPart.objects.filter(job_id=job.id).order_by("number")
    kept = without_forgotten_lines(subject_id, [line for part in parts for line in unpacked(part)])
    if kept.left_out:
        parts.delete()
        _leave(job, kept, policy)


def unpacked(part: JobPart) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = orjson.loads(zlib.decompress(bytes(part.packed)))
    return lines


def _leave(job: Job, kept: Kept, policy: PortabilityPolicy) -> None:
    """Leave lines to a job in parts, and record how many there are and how many were left out."""
    job.total = sum(row["type"] != LINK for row in kept.rows)
    if kept.left_out:
        job.result["forgotten"] = dict(kept.left_out + Counter(job.result.get("forgotten", {})))
    job.save(update_fields=["result", "total"])
    parts = [JobPart(job=job, number=number, packed=one) for number, one in enumerate(_parts(kept.rows, policy))]
    JobPart.objects.bulk_create(parts, batch_size=20)


def _parts(rows: Sequence[Line], policy: PortabilityPolicy) -> Iterator[bytes]:
    for _, group in groupby(rows, key=lambda row: row["type"]):
        lines = list(group)
        for start in range(0, len(lines), policy.import_lines):
            yield zlib.compress(orjson.dumps(lines[start : start + policy.import_lines]))


def _header(line: Any) -> UUID:
    if not isinstance(line, dict) or line.get("type") != HEADER:
        raise _fault("lines.0", "not_a_header", "Must be the header of an export.")
    if line.get("format") not in READABLE or isinstance(line.get("format"), bool):
        raise _fault("lines.0.format", "unknown_format", f"Must be one of: {', '.join(map(str, READABLE))}.")
    try:
        return UUID(str(line.get("origin")))
    except ValueError:
        raise _fault("lines.0.origin", "not_an_id", "Must be an id.") from None


def _subject(line: Any) -> dict[str, Any]:
    if not isinstance(line, dict) or line.get("type") != SUBJECT or not isinstance(line.get("subject_id"), str):
        raise _fault("lines.1", "not_a_subject", "Must be the subject of an export.")
    metadata = line.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise _fault("lines.1.metadata", "not_an_object", "Must be a JSON object.")
    return {"subject_id": line["subject_id"], "metadata": metadata}


def _row(number: int, line: Any) -> Line:
    name = line.get("type") if isinstance(line, dict) else None
    kind = BY_NAME.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _fault(f"lines.{number}.type", "unknown_type", f"Must be one of: {', '.join(BY_NAME)}.")
    try:
        read_row(kind, line)
    except ColumnFault as fault:
        raise _fault(f"lines.{number}.{fault.column}", "malformed", fault.message) from None
    checked: Line = line
    return checked


def _end(number: int, line: Any, counts: Counter[str]) -> None:
    if not isinstance(line, dict) or line.get("type") != END:
        raise _fault(f"lines.{number}", "incomplete", "The export was cut off: its last line is missing.")
    if line.get("counts") != dict(counts):
        raise _fault(
            f"lines.{number}.counts",
            "incomplete",
            "Must count the lines: some are missing or too many.",
        )


def _in_order(rows: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines by table, each after those that it refers to, then the keys inside of tables."""
    links: list[Line] = []
    place = {kind.name: number for number, kind in enumerate(KINDS)}
    for row in sorted(rows, key=lambda row: place[row["type"]]):
        later = {name: row[name] for name in BY_NAME[row["type"]].later if row.get(name)}
        if later:
            links.append({"type": LINK, "of": row["type"], "id": row["id"], **later})
        yield {**row, **dict.fromkeys(later)}
    yield from links


def _fault(field_name: str, code: str, message: str) -> InvalidInput:
    return InvalidInput(faults=[FieldFault(field_name, code, message)])
