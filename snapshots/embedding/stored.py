"""A stored snapshot as a draft again, with the turn before it (S4): for indexing it a second time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from snapshots.embedding.contextual import Turn
from snapshots.embedding.drafts import SnapshotDraft
from snapshots.models import MessageRole, Snapshot
from tenants.isolation import current_tenant_id

PREVIOUS = """
SELECT s.id, m.content, m.name, m.said_at, m.role = %(user)s AND m.remember
FROM snapshot s
JOIN LATERAL (
  SELECT content, name, said_at, role, remember FROM message
  WHERE tenant_id = s.tenant_id AND conversation_id = s.conversation_id AND seq < s.seq
    AND role IN (%(user)s, %(assistant)s) AND content <> ''
  ORDER BY seq DESC LIMIT 1
) m ON true
WHERE s.tenant_id = %(tenant)s AND s.id = ANY(%(ids)s) AND s.seq IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """What was said before; ``is_memory`` says whether it is a snapshot of its own."""

    turn: Turn | None = None
    is_memory: bool = True


def stored_drafts(snapshots: Sequence[Snapshot]) -> list[SnapshotDraft]:
    """Return what storing these snapshots would take, as they are now, without their sources. In the open scope."""
    before = previous_turns([snapshot.id for snapshot in snapshots if snapshot.seq is not None])
    return [_draft(snapshot, before.get(snapshot.id, PreviousTurn())) for snapshot in snapshots]


def previous_turns(snapshot_ids: Sequence[UUID]) -> Mapping[UUID, PreviousTurn]:
    """Return the turn before each of these statements; nothing for one that opened its conversation."""
    if not snapshot_ids:
        return {}
    values: dict[str, Any] = {
        "tenant": current_tenant_id(),
        "ids": list(snapshot_ids),
        "user": MessageRole.USER.value,
        "assistant": MessageRole.ASSISTANT.value,
    }
    with connection.cursor() as cursor:
        cursor.execute(PREVIOUS, values)
        return {row[0]: PreviousTurn(Turn(row[1], row[2], row[3]), bool(row[4])) for row in cursor.fetchall()}


def _draft(snapshot: Snapshot, before: PreviousTurn) -> SnapshotDraft:
    return SnapshotDraft(
        id=snapshot.id,
        subject_id=snapshot.subject_id,
        kind=snapshot.kind,
        text=snapshot.text,
        said_at=snapshot.said_at,
        valid_at=snapshot.valid_at,
        expires_at=snapshot.expires_at,
        name=snapshot.name,
        conversation_id=snapshot.conversation_id,
        seq=snapshot.seq,
        previous=before.turn,
        previous_is_memory=before.is_memory,
        category=snapshot.category,
        topics=tuple(snapshot.topics),
        importance=snapshot.importance,
        confidence=snapshot.confidence,
        provenance=snapshot.provenance,
        metadata=snapshot.metadata,
        masked=snapshot.masked,
        raw_fallback=snapshot.raw_fallback,
    )
