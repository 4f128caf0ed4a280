"""Export of a tenant's sealed audit records as JSON lines, and the check of such a file.

A file is a piece of the tenant's chain: a header, a line for each record with its hash and the one before it, and a
signed trailer. It begins after a seal and ends with one, so that the next file can continue where this one ends.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import AuditSeal, Tenant
from tenants.services.audit_chain import (
    FIRST_HEAD,
    AuditFault,
    compute_next_hash,
    encode_canonical_json,
    format_moment,
    is_signed,
    sign_statement,
)
from tenants.services.audit_seals import check_seal, read_sealed_records

SCHEMA = 1
HEADER, RECORD, TRAILER, STOPPED = "header", "record", "trailer", "stopped"
NEW_EXPORT = "Export the trail again, and compare the two files."
NOT_TRUSTED = "Do not rely on this file. Export the trail again, and compare the two files."


@dataclass(frozen=True, slots=True)
class ExportRange:
    """A run of seals: number of the first, hash before it, seal before it (None if it is gone or there is none), last
    seal (None for an empty run), number of records."""

    first: int
    previous_head: str
    before: AuditSeal | None
    last: AuditSeal | None
    count: int


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that was found unchanged: its header, the number of its records, and its last hash."""

    header: Mapping[str, Any]
    count: int
    head: str


def choose_seals(*, since: datetime | None = None, after: int | None = None) -> ExportRange:
    """Return the seals made since a time, or those after a seal's number; all for neither. In the open scope."""
    seals = AuditSeal.objects.order_by("number")
    if since is not None:
        seals = seals.filter(at__gte=since)
    if after is not None:
        seals = seals.filter(number__gt=after)
    numbered = list(seals.values_list("number", "previous_head", "count"))
    newest = AuditSeal.objects.order_by("-number").first()
    if not numbered:  # the next seal would be the first
        first, head = (newest.number + 1, newest.head) if newest else (1, FIRST_HEAD)
        return ExportRange(first, head, newest, None, 0)
    # The seal before may be gone after the retention period; the first one says with which hash it ended.
    first, head, _count = numbered[0]
    before = AuditSeal.objects.filter(number=first - 1).first()
    return ExportRange(first, head, before, newest, sum(count for *_first, count in numbered))


def export_trail(tenant: Tenant, seal_range: ExportRange) -> Iterator[bytes]:
    """Yield the lines of a file. Each seal is read and checked in a transaction of its own: a changed trail ends with a
    line that says so, and is not signed. Runs outside any ``tenant_tx``."""
    header = _make_header(tenant, seal_range)
    yield _write_line(header)
    count, head, before = 0, seal_range.previous_head, seal_range.before
    last = seal_range.last.number if seal_range.last else 0
    for number in range(seal_range.first, last + 1):
        try:
            with tenant_tx(tenant.id):
                seal = _load_seal(number)
                check_seal(seal, before)
                lines = [_make_record_line(*one) for one in read_sealed_records(seal)]
        except AuditFault as fault:
            yield _write_line({"kind": STOPPED, "why": str(fault)})
            return
        yield from lines
        count, head, before = count + len(lines), seal.head, seal
    yield _write_line(_make_trailer(tenant.id, header, count, head))


def check_file(lines: Iterable[bytes]) -> CheckedFile:
    """Check a file line by line, in bounded memory. Raises AuditFault at the first line that was changed."""
    numbered = enumerate(lines, 1)
    header = _read_header(next(numbered, (1, b""))[1])
    head, count, trailer = header["previous_head"], 0, None
    for number, raw in numbered:
        where = f"Line {number}"
        if trailer is not None:
            raise AuditFault(where, "It follows the trailer.", "Lines were added to the file.", NOT_TRUSTED)
        line = _read_line(number, raw)
        if line.get("kind") == TRAILER:
            trailer = _check_trailer(where, header, line, count, head)
        elif line.get("kind") == STOPPED:
            raise AuditFault(
                where,
                f"The export stopped here: {line.get('why')}",
                "The trail in the database is not as it was sealed.",
                "Run verify_audit --tenant.",
            )
        else:
            head, count = _check_record(where, header, line, head), count + 1
    if trailer is None:
        raise AuditFault(
            f"After line {count + 1}",
            "The trailer is missing.",
            "The end was cut off, or the export was interrupted.",
            NEW_EXPORT,
        )
    return CheckedFile(header, count, head)


def check_continuation(earlier: CheckedFile, later: CheckedFile) -> None:
    """Check that a file goes on exactly where an earlier one ends. Raises AuditFault."""
    if earlier.header["tenant_id"] != later.header["tenant_id"]:
        raise AuditFault(
            "Line 1",
            f"The file is of {later.header['tenant']!r}, the earlier one of {earlier.header['tenant']!r}.",
            "They belong to different tenants.",
            "Name two files of one tenant.",
        )
    if earlier.head != later.header["previous_head"]:
        raise AuditFault(
            "Line 1",
            f"The file continues from {later.header['previous_head']}, but the earlier one ends with {earlier.head}.",
            "There are records between them that neither holds, or both hold, or one is of a changed trail.",
            "Export again with --after and the earlier file.",
        )


def check_against_seals(checked: CheckedFile) -> bool:
    """Check a file's end against the seal that the database has, in the open scope. Return False if there is none any
    more, as after the retention period. Raises AuditFault."""
    seal = AuditSeal.objects.filter(number=checked.header["last_seal"]).first()
    if seal is None:
        return False
    if seal.head != checked.head:
        raise AuditFault(
            f"Seal {seal.number}",
            f"It ends with {seal.head}, but the file ends with {checked.head}.",
            "The trail in the database was changed and sealed anew after the file was made, or restored from a backup.",
            "If nothing was restored, rely on the file, and ask who has the owner's role and KEY_PEPPER.",
        )
    return True


def _make_header(tenant: Tenant, seal_range: ExportRange) -> dict[str, Any]:
    before = seal_range.before
    last = seal_range.last or before
    return {
        "kind": HEADER,
        "schema": SCHEMA,
        "tenant": tenant.slug,
        "tenant_id": str(tenant.id),
        "sealed_after": format_moment(before.at) if before else None,
        "sealed_until": format_moment(last.at) if last else None,
        "last_seal": last.number if last else 0,
        "previous_head": seal_range.previous_head,
        "made_at": format_moment(utc_now()),
    }


def _make_trailer(tenant_id: UUID, header: Mapping[str, Any], count: int, head: str) -> dict[str, Any]:
    statement = _make_statement(header, count, head)
    return {"kind": TRAILER, "count": count, "head": head, "signature": sign_statement(tenant_id, statement)}


def _make_statement(header: Mapping[str, Any], count: int, head: str) -> dict[str, Any]:
    return {"header": dict(header), "count": count, "head": head}


def _make_record_line(previous: str, record_hash: str, record: Mapping[str, Any]) -> bytes:
    return _write_line({"kind": RECORD, "previous": previous, "hash": record_hash, "record": record})


def _load_seal(number: int) -> AuditSeal:
    seal = AuditSeal.objects.filter(number=number).first()
    if seal is None:
        raise AuditFault(
            f"Seal {number}",
            "It is no longer there.",
            "It was deleted in the database.",
            "Export the trail again.",
        )
    return seal


def _write_line(value: Mapping[str, Any]) -> bytes:
    return encode_canonical_json(value) + b"\n"


def _read_line(number: int, raw: bytes) -> dict[str, Any]:
    # A line is compared byte by byte: JSON can say one thing in many ways, and a reader may take another one.
    try:
        line = orjson.loads(raw)
        written = encode_canonical_json(line)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # the second one: nested deeper than it writes
        line, written = None, b""
    if not isinstance(line, dict) or written != raw.removesuffix(b"\n"):
        raise AuditFault(
            f"Line {number}",
            "It is not a line as the platform writes it.",
            "It was changed or cut off, or this is no export of an audit trail.",
            NOT_TRUSTED,
        )
    return line


def _read_header(raw: bytes) -> dict[str, Any]:
    header = _read_line(1, raw)
    if header.get("kind") != HEADER or header.get("schema") != SCHEMA:
        raise AuditFault(
            "Line 1",
            f"It is not a header of schema {SCHEMA}.",
            "Lines were removed, or another release made the file.",
            "Check the file with the release that made it.",
        )
    names = ("tenant", "tenant_id", "sealed_after", "sealed_until", "last_seal", "previous_head", "made_at")
    if set(header) != {"kind", "schema", *names} or not _is_uuid(header["tenant_id"]):
        raise AuditFault("Line 1", "The header lacks a member, or has another one.", "It was changed.", NOT_TRUSTED)
    return header


def _check_record(where: str, header: Mapping[str, Any], line: Mapping[str, Any], head: str) -> str:
    """Return the hash of a record's line, after checking it against itself, then against the line before it."""
    record = line.get("record")
    if set(line) != {"kind", "previous", "hash", "record"} or line["kind"] != RECORD or not isinstance(record, dict):
        raise AuditFault(where, "It is not the line of a record.", "It was changed.", NOT_TRUSTED)
    if compute_next_hash(str(line["previous"]), record) != line["hash"]:
        raise AuditFault(
            where,
            f"The hash of record {record.get('id')} does not fit to what it says.",
            "The record was changed.",
            NOT_TRUSTED,
        )
    if line["previous"] != head:
        raise AuditFault(
            where,
            f"Record {record.get('id')} does not follow the line before it.",
            "Lines were removed, inserted or moved here.",
            NOT_TRUSTED,
        )
    if record.get("tenant_id") != header["tenant_id"]:
        raise AuditFault(where, "The record is of another tenant than the header.", "Files were mixed.", NOT_TRUSTED)
    return str(line["hash"])


def _check_trailer(
    where: str, header: Mapping[str, Any], line: Mapping[str, Any], count: int, head: str
) -> Mapping[str, Any]:
    if line.get("count") != count:
        raise AuditFault(
            where,
            f"It counts {line.get('count')} records, but the file has {count}.",
            "Lines were removed or added, or the trailer was changed.",
            NOT_TRUSTED,
        )
    if line.get("head") != head:
        raise AuditFault(
            where,
            f"It ends with {line.get('head')}, but the last record has {head}.",
            "Lines were removed at the end, or the trailer was changed.",
            NOT_TRUSTED,
        )
    if not is_signed(UUID(header["tenant_id"]), _make_statement(header, count, head), str(line.get("signature"))):
        raise AuditFault(
            where,
            "The signature does not fit.",
            "The header or the trailer was changed, another tenant's or platform's key signed it, or KEY_PEPPER has "
            "changed since.",
            "Check KEY_PEPPER first, then export the trail again and compare the two files.",
        )
    return line


def _is_uuid(text: Any) -> bool:
    try:
        return isinstance(text, str) and str(UUID(text)) == text
    except ValueError:
        return False
