"""Reading checkpoints with the values of their channels and their pending writes, newest first.

A row is read by one statement, whose moment is the same for the checkpoint, its values and its writes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from memory_platform.postgres.prepared_statements import Rows, Statement
from snapshots.threads.config import THREADS, ThreadConfig
from snapshots.threads.values import EMPTY, ListingFilter, PackedValue, Place, StoredCheckpoint, StoredWrite
from tenants.isolation import tenant_reads

VALUES = f"""
FROM jsonb_each_text(c.versions) AS v
JOIN channel_value b ON b.tenant_id = c.tenant_id AND b.thread_id = c.thread_id AND b.namespace = c.namespace
  AND b.channel = v.key AND b.version = v.value AND b.format <> '{EMPTY}'
"""
# In the order in which the run applies a step's writes.
WRITES = """
FROM pending_write w WHERE w.tenant_id = c.tenant_id AND w.thread_id = c.thread_id AND w.namespace = c.namespace
  AND w.checkpoint_id = c.checkpoint_id
"""
READ = f"""
SELECT t.external_id, c.namespace, c.checkpoint_id, c.parent_id, c.format, c.body, c.versions, c.metadata,
  (SELECT array_agg(ARRAY[convert_to(b.channel, 'UTF8'), convert_to(b.version, 'UTF8'), convert_to(b.format, 'UTF8'),
    b.value]) {VALUES}),
  (SELECT array_agg(ARRAY[convert_to(w.task_id, 'UTF8'), convert_to(w.channel, 'UTF8'), convert_to(w.format, 'UTF8'),
    w.value] ORDER BY w.task_path, w.task_id, w.place) {WRITES})
FROM checkpoint c JOIN agent_thread t ON t.tenant_id = c.tenant_id AND t.id = c.thread_id
WHERE c.tenant_id = $1::uuid
"""  # noqa: S608  # constants
NEWEST = "ORDER BY c.checkpoint_id DESC, c.id DESC"
SIZES = f"""
SELECT c.id, c.checkpoint_id, octet_length(c.body) + coalesce((SELECT sum(octet_length(b.value)) {VALUES}), 0)
  + coalesce((SELECT sum(octet_length(w.value)) {WRITES}), 0)
FROM checkpoint c WHERE c.tenant_id = $1::uuid
"""  # noqa: S608  # constants
OF_THREAD = "c.thread_id = (SELECT id FROM agent_thread WHERE tenant_id = $1::uuid AND external_id = {}::text)"
HAS_METADATA = """NOT EXISTS (SELECT 1 FROM jsonb_each({}::jsonb) AS f
  WHERE coalesce(c.metadata -> f.key, 'null'::jsonb) <> f.value)"""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The last checkpoint of a page: its id, and the row's, since copies of a thread have the same ids."""

    checkpoint_id: str
    row_id: UUID


@dataclass(frozen=True, slots=True)
class CheckpointPage:
    checkpoints: Sequence[StoredCheckpoint]
    next_cursor: Cursor | None


class Conditions:
    """The conditions of one query with their values, numbered from the second parameter on."""

    def __init__(self, tenant_id: UUID) -> None:
        self.texts: list[str] = []
        self.values: list[Any] = [str(tenant_id)]

    def add(self, text: str, *values: Any) -> None:
        """Add a condition whose ``{}`` stand for the values."""
        first = len(self.values) + 1
        self.values += values
        self.texts.append(text.format(*(f"${first + place}" for place in range(len(values)))))

    def make_statement(self, head: str, tail: str) -> Statement:
        return Statement(" AND ".join([head, *self.texts]) + f"\n{tail}", self.values)


def load_checkpoint(tenant_id: UUID, place: Place) -> StoredCheckpoint | None:
    """Return a checkpoint, or the newest of the namespace where ``place`` names none. Opens a scope of its own."""
    where = Conditions(tenant_id)
    where.add(OF_THREAD, place.thread_id)
    where.add("c.namespace = {}::text", place.namespace)
    if place.checkpoint_id:
        where.add("c.checkpoint_id = {}::text", place.checkpoint_id)
    found = list(_read_rows(tenant_reads(tenant_id, [where.make_statement(READ, f"{NEWEST} LIMIT 1")])[0]))
    return found[0] if found else None


def list_checkpoints(
    tenant_id: UUID,
    listing: ListingFilter,
    *,
    after: Cursor | None = None,
    most: int,
    config: ThreadConfig = THREADS,
) -> CheckpointPage:
    """Return the next page of checkpoints that match, at least one if there is one. Opens scopes of its own."""
    where = _build_conditions(tenant_id, listing, after)
    limit = min(most, config.page)
    sizes = tenant_reads(tenant_id, [where.make_statement(SIZES, f"{NEWEST} LIMIT {config.page + 1}")])[0]
    kept = _take_page(sizes, limit, config.page_bytes)
    if not kept:
        return CheckpointPage((), None)
    by_id = Conditions(tenant_id)
    by_id.add("c.id = ANY({}::uuid[])", [row_id for row_id, _, _ in kept])
    rows = tenant_reads(tenant_id, [by_id.make_statement(READ, NEWEST)])[0]
    last_id, last_checkpoint, _ = kept[-1]
    more = len(sizes) > len(kept)
    return CheckpointPage(list(_read_rows(rows)), Cursor(last_checkpoint, last_id) if more else None)


def _build_conditions(tenant_id: UUID, listing: ListingFilter, after: Cursor | None) -> Conditions:
    where = Conditions(tenant_id)
    if listing.thread_id is not None:
        where.add(OF_THREAD, listing.thread_id)
    if listing.namespace is not None:
        where.add("c.namespace = {}::text", listing.namespace)
    if listing.checkpoint_id:
        where.add("c.checkpoint_id = {}::text", listing.checkpoint_id)
    if listing.before:
        where.add("c.checkpoint_id < {}::text", listing.before)
    if listing.equal:
        where.add(HAS_METADATA, orjson.dumps(listing.equal).decode())
    if after is not None:
        where.add("(c.checkpoint_id, c.id) < ({}::text, {}::uuid)", after.checkpoint_id, str(after.row_id))
    return where


def _take_page(sizes: Rows, limit: int, page_bytes: int) -> Rows:
    kept: Rows = []
    total = 0
    for row in sizes[:limit]:
        total += row[2]
        if kept and total > page_bytes:
            break
        kept.append(row)
    return kept


def _read_rows(rows: Rows) -> Iterator[StoredCheckpoint]:
    for thread_id, namespace, checkpoint_id, parent_id, form, body, versions, metadata, values, writes in rows:
        yield StoredCheckpoint(
            Place(thread_id, namespace, checkpoint_id),
            parent_id,
            PackedValue(form, body),
            versions,
            metadata,
            [
                (_decode_text(name), _decode_text(version), PackedValue(_decode_text(kind), value))
                for name, version, kind, value in values or ()
            ],
            read_writes(writes),
        )


def read_writes(rows: Sequence[Sequence[bytes]] | None) -> list[StoredWrite]:
    return [
        StoredWrite(_decode_text(task), _decode_text(channel), PackedValue(_decode_text(kind), value))
        for task, channel, kind, value in rows or ()
    ]


def _decode_text(value: bytes | memoryview) -> str:
    return bytes(value).decode()
