"""A stored snapshot as a draft again, with the turn before it (S4): for indexing it a second time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from snapshots.embedding.contextual import Turn
from snapshots.embedding.drafts import SnapshotDraft
from snapshots.models import Snapshot
from tenants.isolation import current_tenant_id

PREVIOUS = """
SELECT s.id, m.content, m.name, m.said_at,
  EXISTS (SELECT 1 FROM snapshot p WHERE p.tenant_id = s.tenant_id AND p.subject_id = s.subject_id
          AND p.conversation_id = s.conversation_id AND p.seq = m.seq AND p.kind = s.kind)
FROM snapshot s
JOIN message m ON m.tenant_id = s.tenant_id AND m.conversation_id = s.conversation_id AND m.seq = s.seq - 1
WHERE s.tenant_id = %s AND s.id = ANY(%s) AND m.content <> ''
"""

Mask = Callable[[str], tuple[str, int]]
"""Returns a text without card and identity numbers and secrets, and how many there were."""


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """What was said before; ``is_memory`` says whether it is a snapshot of its own."""

    turn: Turn | None = None
    is_memory: bool = True


def stored_drafts(snapshots: Sequence[Snapshot], mask: Mask) -> list[SnapshotDraft]:
    """Return what storing these snapshots would take, as they are now, without their sources. In the open scope."""
    before = previous_turns([snapshot.id for snapshot in snapshots if snapshot.seq is not None], mask)
    return [_draft(snapshot, before.get(snapshot.id, PreviousTurn())) for snapshot in snapshots]


def previous_turns(snapshot_ids: Sequence[UUID], mask: Mask) -> Mapping[UUID, PreviousTurn]:
    """Return the message before each of these statements, masked; nothing for one that opened its conversation."""
    if not snapshot_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(PREVIOUS, [current_tenant_id(), list(snapshot_ids)])
        return {row[0]: PreviousTurn(Turn(mask(row[1])[0], row[2], row[3]), row[4]) for row in cursor.fetchall()}


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
