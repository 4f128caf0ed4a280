"""Read a subject's memory as it is in one statement, so that all parts of an index are of one moment.

Two statements could miss rows: between them a block may be sealed or removed without the memory changing.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta, timezone, tzinfo
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from memory_platform.postgres.prepared_statements import Rows as Fetched
from memory_platform.postgres.prepared_statements import Statement
from profiles.time_zones import load_zone
from snapshots.embedding.embedding_spaces import Embedders, make_spaces_key, space_id
from snapshots.models import BLOCK_POSITIONS, SnapshotKind
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.loading.memory_rows import COLUMNS, TABLES, MemoryColumns
from snapshots.recall.memory_indexes.block_format import FORMAT
from tenants.isolation import current_tenant_id, scope_reads, tenant_reads, tenant_tx

# By our id, by the product's, or by an id of the product that was joined into this one.
_SUBJECT = """
SELECT coalesce(
  $2::uuid,
  (SELECT id FROM subject WHERE tenant_id = $1 AND external_id = $3),
  (SELECT subject_id FROM subject_alias WHERE tenant_id = $1 AND external_id = $3)
) AS id
"""

STATE = f"""
SELECT subject.id, m.version, m.epoch, m.next_position
FROM ({_SUBJECT}) subject
LEFT JOIN subject_memory m ON m.tenant_id = $1 AND m.subject_id = subject.id
"""  # noqa: S608  # made of constants; values are parameters

# LIMIT and OFFSET keep Postgres from joining what it would find by an index; a plan is made before it is known how few
# places there are.
ZONE = f"""
SELECT
  (SELECT value FROM profile_fact WHERE tenant_id = $1 AND subject_id = $2 AND field = 'timezone' AND NOT is_attribute
     AND retired_at IS NULL AND invalid_at IS NULL LIMIT 1),
  (SELECT said_offset FROM (
     SELECT said_offset, kind, name, retired_at, position FROM snapshot WHERE tenant_id = $1 AND subject_id = $2
     ORDER BY position DESC LIMIT {DEFAULT_RECALL.heard_lately}
   ) lately
   WHERE said_offset IS NOT NULL AND kind IN ('{SnapshotKind.STATEMENT}', '{SnapshotKind.NOTE}')
     AND name IS NULL AND retired_at IS NULL
   ORDER BY position DESC LIMIT 1)
"""  # noqa: S608  # made of constants; values are parameters

_MEMORY = f"""
SELECT subject.id, m.version, m.epoch, m.next_position, held.first, b.block, b.packed, r.*
FROM ({_SUBJECT}) subject
LEFT JOIN subject_memory m ON m.tenant_id = $1 AND m.subject_id = subject.id
LEFT JOIN LATERAL (
  SELECT CASE WHEN m.subject_id = $4::uuid AND m.epoch = $5 THEN $6::bigint ELSE 0 END AS first
) held ON true
LEFT JOIN LATERAL generate_series(
  held.first / {BLOCK_POSITIONS}, (m.next_position - 1) / {BLOCK_POSITIONS}
) place (block) ON true
LEFT JOIN LATERAL (
  SELECT block, packed FROM memory_block
  WHERE tenant_id = $1 AND subject_id = m.subject_id AND block = place.block AND spaces = $7 AND format = $8
    AND block * {BLOCK_POSITIONS} >= held.first AND block <> ALL($9::bigint[])
  LIMIT 1
) b ON true
LEFT JOIN LATERAL (
  SELECT s.position, s.id AS snapshot_id, %s, {COLUMNS}
  FROM {TABLES} %s
  WHERE b.block IS NULL AND s.tenant_id = $1 AND s.subject_id = m.subject_id
    AND s.position >= greatest(held.first, place.block * {BLOCK_POSITIONS})
    AND s.position < (place.block + 1) * {BLOCK_POSITIONS}
  OFFSET 0
) r ON true
ORDER BY place.block, r.position
"""  # noqa: S608  # made of constants; values are parameters

_VECTORS = """
LEFT JOIN LATERAL (
  SELECT v.space_id, halfvec_send(v.dated) AS dated, halfvec_send(v.previous) AS previous FROM snapshot_vector v
  WHERE v.tenant_id = s.tenant_id AND v.snapshot_id = s.id AND v.space_id = ANY($10::uuid[])
  ORDER BY array_position($10::uuid[], v.space_id) LIMIT 1
) v ON true
"""

MEMORY = _MEMORY % ("v.dated, v.previous, v.space_id", _VECTORS)
MEMORY_WITHOUT_VECTORS = _MEMORY % ("NULL::bytea, NULL::bytea, NULL::uuid", "")

# Runs statements in one round trip.
RunStatements = Callable[[Sequence[Statement]], list[Fetched]]


@dataclass(frozen=True, slots=True)
class SubjectReader:
    """One subject, by our id or the product's, and how statements about it are run. ``scope`` opens the tenant's scope
    if no scope is open yet, for reads of more than one round trip."""

    tenant_id: UUID
    run: RunStatements
    subject_id: UUID | None = None
    external_id: str | None = None
    scope: Callable[[], AbstractContextManager[None]] = nullcontext

    @property
    def is_in_scope(self) -> bool:
        return self.scope is nullcontext

    def statement(self, sql: str, *values: object) -> Statement:
        """Return a statement whose first three values are the tenant and both ids."""
        return Statement(sql, [self.tenant_id, self.subject_id, self.external_id, *values])


@dataclass(frozen=True, slots=True)
class MemoryState:
    """The version of a subject's memory, see :class:`snapshots.models.SubjectMemory`. All 0 before the first memory."""

    version: int = 0
    epoch: int = 0
    next_position: int = 0


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A memory that is already held, and the state it was read in."""

    subject_id: UUID
    state: MemoryState


@dataclass(frozen=True, slots=True)
class SealedPart:
    """One packed block."""

    block: int
    packed: bytes


@dataclass(frozen=True, slots=True)
class LoosePart:
    """Rows between blocks, with vectors as :data:`snapshots.recall.loading.memory_rows.VECTORS` reads them."""

    rows: list[MemoryColumns]
    vectors: Fetched


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """The stored parts of a memory from position ``first`` on, in order, and its state."""

    subject_id: UUID
    state: MemoryState
    first: int
    parts: tuple[SealedPart | LoosePart, ...]


def make_reader_by_product_id(tenant_id: UUID, external_id: str) -> SubjectReader:
    """Return a subject by the product's id; each round trip is a read-only transaction of its own."""
    run, scope = partial(tenant_reads, tenant_id), partial(tenant_tx, tenant_id)
    return SubjectReader(tenant_id, run, external_id=external_id, scope=scope)


def make_reader_by_product_id_in_scope(external_id: str) -> SubjectReader:
    return SubjectReader(current_tenant_id(), scope_reads, external_id=external_id)


def make_reader_in_scope(subject_id: UUID) -> SubjectReader:
    return SubjectReader(current_tenant_id(), scope_reads, subject_id=subject_id)


def load_memory_state(subject_id: UUID) -> MemoryState:
    whose = make_reader_in_scope(subject_id)
    return parse_state(whose.run([whose.statement(STATE)])[0])[1]


def parse_state(rows: Fetched) -> tuple[UUID | None, MemoryState]:
    """Return the subject's id, None when it is unknown, and the state in rows of STATE."""
    subject_id, *numbers = rows[0][:4]
    return subject_id, MemoryState(*(number or 0 for number in numbers))


def build_zone_statement(tenant_id: UUID, subject_id: UUID) -> Statement:
    return Statement(ZONE, [tenant_id, subject_id])


def parse_zone(rows: Fetched) -> tzinfo | None:
    """Return the time zone of the profile, else of the last offset seen; None where neither is known."""
    row: Sequence[Any] = rows[0]
    named, minutes = row
    return load_zone(named) or (None if minutes is None else timezone(timedelta(minutes=minutes)))


def load_stored_memory(
    reader: SubjectReader,
    embedders: Embedders,
    since: HeldMemory | None = None,
    *,
    vectors: bool = True,
    damaged: Sequence[int] = (),
) -> StoredMemory | None:
    """Return the stored memory of a subject, None for an unknown one, in one round trip. Raises DatabaseError.

    Parts that ``since`` holds are left out when only additions came after it. ``damaged`` blocks are read as rows.
    """
    held = since or HeldMemory(UUID(int=0), MemoryState())
    values = [
        held.subject_id,
        held.state.epoch,
        held.state.next_position,
        make_spaces_key(embedders),
        FORMAT,
        list(damaged),
    ]
    if vectors:
        statement = reader.statement(MEMORY, *values, [space_id(embedder) for embedder in embedders])
    else:
        statement = reader.statement(MEMORY_WITHOUT_VECTORS, *values)
    (rows,) = reader.run([statement])
    subject_id, state = parse_state(rows)
    return StoredMemory(subject_id, state, rows[0][4], tuple(_make_parts(rows))) if subject_id else None


def _make_parts(rows: Fetched) -> Iterator[SealedPart | LoosePart]:
    for block, found in groupby(rows, key=itemgetter(5)):
        if block is not None:
            yield SealedPart(block, next(found)[6])
        elif loose := [row for row in found if row[7] is not None]:
            vectors = [row[8:12] for row in loose if row[11] is not None]
            yield LoosePart([MemoryColumns(*row[12:]) for row in loose], vectors)
