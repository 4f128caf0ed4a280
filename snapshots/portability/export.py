"""Export all data about a subject, line by line, in bounded memory.

Each batch of rows is read in its own transaction: concurrent writes may be missing; a concurrent erasure ends the
export. The last line counts the others, so that a truncated stream is noticed.
"""

import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import orjson
from django.db import models

from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from profiles.selectors import subject_by_external_id
from snapshots.conversation_queries import add_archived_words
from snapshots.models import Message, Receipt, ReceiptMemory
from snapshots.portability.config import PORTABILITY, PortabilityConfig
from snapshots.portability.line_kinds import END, FORMAT, HEADER, LINE_KINDS, PACKED_COLUMN, SUBJECT, LineKind
from snapshots.receipts.candidate_packing import unpack_candidates
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_subject
from tenants.isolation import tenant_tx

BEFORE_ALL_IDS = UUID(int=0)


class ErasedMeanwhile(Exception):
    """The subject was erased while it was being exported."""


def export_lines(tenant_id: UUID, external_id: str, config: PortabilityConfig = PORTABILITY) -> Iterator[bytes]:
    """Yield the lines of an export, each with its line end. Raises NotFound before the first line is requested."""
    with tenant_tx(tenant_id):
        subject = subject_by_external_id(external_id)
    return _iterate_lines(tenant_id, subject, config)


def _iterate_lines(tenant_id: UUID, subject: Subject, config: PortabilityConfig) -> Iterator[bytes]:
    counts = Counter[str]()
    yield _encode_line({"type": HEADER, "format": FORMAT, "exported_at": utc_now(), "origin": subject.id})
    about = {"metadata": subject.metadata, "created_at": subject.created_at}
    yield _encode_line({"type": SUBJECT, "subject_id": subject.external_id, **about})
    try:
        for kind in LINE_KINDS:
            if kind.model is ReceiptMemory:  # those of the receipts that were just told
                with tenant_tx(tenant_id):
                    _check_still_there(subject)
                    write_memory_rows_of_subject(subject.id)
            for rows in _iterate_batches(tenant_id, subject, kind, config):
                counts[kind.name] += len(rows)
                yield b"".join(_encode_line({"type": kind.name, **row}) for row in rows)
        with tenant_tx(tenant_id):
            _check_still_there(subject)
    except ErasedMeanwhile:
        return  # without the last line
    yield _encode_line({"type": END, "counts": counts})


def _iterate_batches(
    tenant_id: UUID, subject: Subject, kind: LineKind, config: PortabilityConfig
) -> Iterator[list[dict[str, Any]]]:
    """Yield the subject's rows of one table, in the order of their ids, a batch at a time."""
    after = BEFORE_ALL_IDS
    while ids := _load_ids_after(tenant_id, subject, kind, after, config):
        for start in range(0, len(ids), config.export_rows):
            with tenant_tx(tenant_id):
                _check_still_there(subject)
                rows = _load_rows(subject, kind, ids[start : start + config.export_rows])
            yield rows
        after = ids[-1]


def _load_ids_after(
    tenant_id: UUID, subject: Subject, kind: LineKind, after: UUID, config: PortabilityConfig
) -> list[UUID]:
    """Return many ids at once: a table is sorted for each of these reads, not for each batch of rows."""
    with tenant_tx(tenant_id):
        rows = kind.find_rows(subject.id).filter(id__gt=after).order_by("id")
        return list(rows.values_list("id", flat=True)[: config.export_ids])


def _load_rows(subject: Subject, kind: LineKind, ids: Sequence[UUID]) -> list[dict[str, Any]]:
    found: Sequence[Any] = list(kind.find_rows(subject.id).filter(id__in=ids).order_by("id"))
    if kind.model is Message:
        found = add_archived_words(found)
    return [_render_row(row, kind) for row in found]


def _render_row(row: models.Model, kind: LineKind) -> dict[str, Any]:
    shown = {"id": row.pk} | {name: getattr(row, name) for name in kind.columns}
    if isinstance(row, Receipt):
        shown["candidates"] = unpack_candidates(row)
        shown[PACKED_COLUMN] = None if row.rendered is None else orjson.loads(zlib.decompress(bytes(row.rendered)))
    return shown


def _check_still_there(subject: Subject) -> None:
    if not Subject.objects.filter(id=subject.id, erasing=False).exists():
        raise ErasedMeanwhile


def _encode_line(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, default=_encode_bytes, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE)


def _encode_bytes(value: Any) -> str:
    if isinstance(value, bytes | memoryview):
        return b64encode(bytes(value)).decode()
    raise TypeError
