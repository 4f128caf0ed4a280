"""The memories that a search answers with: what recall found, as far as mem0's clients see it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory_platform.compat.mem0.filters.grammar import FilterTree
from memory_platform.compat.mem0.filters.row_conditions import load_named_subjects
from memory_platform.compat.mem0.visible_memories import IS_SEEN, SAID, list_memories
from memory_platform.kernel.clock import utc_now
from memory_platform.postgres.prepared_statements import Statement
from profiles.models import Subject
from snapshots.models import Conversation, Note, Snapshot
from tenants.isolation import tenant_reads, tenant_tx

COLUMNS = (
    "id",
    "kind",
    "text",
    "metadata",
    "topics",
    "category",
    "recorded_at",
    "last_validated_at",
    "said_at",
    "expires_at",
    "invalid_at",
    "superseded_by_id",
)
# The memories $2 and the notes of the messages $3 that are current at $4, each with the message that its note is of.
FOUND = f"""
SELECT {", ".join(f"snapshot.{column}" for column in COLUMNS)}, s.external_id, c.external_id, note.statement_id
FROM snapshot
JOIN subject s ON s.tenant_id = snapshot.tenant_id AND s.id = snapshot.subject_id
LEFT JOIN conversation c ON c.tenant_id = snapshot.tenant_id AND c.id = snapshot.conversation_id
LEFT JOIN note ON note.tenant_id = snapshot.tenant_id AND note.snapshot_id = snapshot.id
WHERE snapshot.tenant_id = $1::uuid AND NOT s.erasing AND snapshot.retired_at IS NULL
  AND snapshot.id IN (SELECT unnest($2::uuid[]) UNION
    SELECT n.snapshot_id FROM note n WHERE n.tenant_id = $1::uuid AND n.statement_id = ANY($3::uuid[]))
  AND (snapshot.expires_at IS NULL OR snapshot.expires_at > $4::timestamptz)
  AND (snapshot.invalid_at IS NULL OR snapshot.invalid_at > $4::timestamptz) AND {IS_SEEN}
"""  # noqa: S608  # constants


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A snapshot as recall found it. ``is_message``: it is a whole message, of which there may be notes."""

    relevance: float
    is_message: bool = False

    @classmethod
    def of_kind(cls, kind: str, relevance: float) -> "FoundMemory":
        return cls(relevance, kind in SAID)


@dataclass(frozen=True, slots=True)
class ScoredSnapshot:
    """A snapshot to answer with; its subject and conversation are loaded."""

    row: Snapshot
    score: float


def load_found_memories(tenant_id: UUID, hits: Mapping[UUID, FoundMemory]) -> list[ScoredSnapshot]:
    """Return what mem0's clients see of memories that need no further test, in one round trip. A message stands for the
    notes made of it."""
    messages = [one for one, memory in hits.items() if memory.is_message]
    found = tenant_reads(tenant_id, [Statement(FOUND, [str(tenant_id), list(hits), messages, utc_now()])])[0]
    rows = {row.id: row for row in (_make_snapshot(tenant_id, values) for values in found)}
    best = _score_hits(hits, [(values[0], values[-1]) for values in found if values[-1] is not None])
    return [ScoredSnapshot(rows[one], score) for one, score in best.items() if one in rows]


def filter_found_memories(
    tenant_id: UUID, hits: Mapping[UUID, FoundMemory], filters: FilterTree
) -> list[ScoredSnapshot]:
    """The same of memories that recall could not test by the whole filter."""
    messages = [one for one, memory in hits.items() if memory.is_message]
    with tenant_tx(tenant_id):
        notes = Note.objects.filter(statement_id__in=messages, snapshot__retired_at__isnull=True)
        pairs = list(notes.values_list("snapshot_id", "statement_id")) if messages else []
        best = _score_hits(hits, [(note, said) for note, said in pairs if said is not None])
        rows = list(list_memories(filters, load_named_subjects(filters)).filter(id__in=list(best)))
    return [ScoredSnapshot(row, best[row.id]) for row in rows]


def _score_hits(hits: Mapping[UUID, FoundMemory], notes: list[tuple[UUID, UUID]]) -> dict[UUID, float]:
    """Return the relevance of each hit, and that of a message for its notes while none of them was found. ``notes``:
    the id of each with that of its message."""
    told = {said for note, said in notes if note in hits}
    best = {one: memory.relevance for one, memory in hits.items()}
    return best | {note: best[said] for note, said in notes if said in hits and said not in told and note not in hits}


def _make_snapshot(tenant_id: UUID, values: tuple[Any, ...]) -> Snapshot:
    *columns, subject, conversation, _ = values
    return Snapshot(
        tenant_id=tenant_id,
        subject=Subject(tenant_id=tenant_id, external_id=subject),
        conversation=Conversation(tenant_id=tenant_id, external_id=conversation) if conversation else None,
        **dict(zip(COLUMNS, columns, strict=True)),
    )
