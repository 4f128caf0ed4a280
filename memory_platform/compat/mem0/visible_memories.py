"""Which of our memories mem0's clients see, and how each is written in their words.

They see notes, and memories that were posted as they are. A message itself is a memory to them while no note was made
of it, unless it only asks: so nothing is listed twice, and small talk of questions is not listed at all.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from memory_platform.compat.mem0.filters.grammar import FilterTree
from memory_platform.compat.mem0.filters.row_conditions import SubjectIds, build_row_condition
from memory_platform.compat.mem0.memory_scope import MARKS, drop_marks, find_scope
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import Snapshot, SnapshotKind


class MemoryUnknown(NotFound):
    """The tenant holds no memory with this id. HTTP 404."""

    def __init__(self) -> None:
        super().__init__("No memory with this id.")


def list_in_sql(values: Iterable[str]) -> str:
    """Return constants as the members of a list in SQL."""
    return ", ".join(f"'{one}'" for one in values)


POSTED = (SnapshotKind.NOTE, SnapshotKind.MANUAL, SnapshotKind.EPISODE)
# A text of questions alone, as far as its punctuation shows.
ONLY_ASKS = r"^[^.!。！;；\n]+[?？]+\s*$"
SAID = (SnapshotKind.STATEMENT, SnapshotKind.CONSOLIDATED)
# Of a row of the table `snapshot`. As text: Django would need 2 ms to write it anew for each statement.
IS_SEEN = f"""
(snapshot.kind IN ({list_in_sql(POSTED)}) OR (
  snapshot.kind IN ({list_in_sql(SAID)}) AND snapshot.text !~ '{ONLY_ASKS}' AND NOT EXISTS (
    SELECT FROM snapshot_source own
    JOIN snapshot_source other ON other.tenant_id = own.tenant_id AND other.message_id = own.message_id
    JOIN snapshot noted ON noted.tenant_id = other.tenant_id AND noted.id = other.memory_id
    WHERE own.tenant_id = snapshot.tenant_id AND own.memory_id = snapshot.id AND noted.kind = '{SnapshotKind.NOTE}')))
"""


def list_memories(tree: FilterTree, subjects: SubjectIds) -> QuerySet[Snapshot]:
    """Return the current memories that a filter allows, the newest first, in the open scope."""
    rows = select_memories().filter(build_current_snapshot_condition(), build_row_condition(tree, subjects))
    return rows.order_by("-recorded_at", "-id")


def select_memories() -> QuerySet[Snapshot]:
    """Return all that mem0's clients may see, of whatever time, with subjects and conversations."""
    rows = Snapshot.objects.filter(subject__erasing=False).extra(where=[IS_SEEN])  # noqa: S610  # a constant
    return rows.select_related("subject", "conversation")


def load_memory(memory_id: UUID, *, retired: bool = False) -> Snapshot:
    """Return one memory that is held, also one that has ended; with ``retired`` also one that is no longer held. Raises
    MemoryUnknown."""
    unexpired = Q(expires_at__isnull=True) | Q(expires_at__gt=utc_now())
    rows = Snapshot.objects.filter(unexpired, id=memory_id, subject__erasing=False)
    rows = rows if retired else rows.filter(retired_at__isnull=True)
    found = rows.select_related("subject", "conversation").first()
    if found is None:
        raise MemoryUnknown
    return found


def render_memory(row: Snapshot, **members: Any) -> dict[str, Any]:
    """Return a memory in mem0's words; its subject and conversation are loaded."""
    scope = find_scope(row)
    return {
        "id": str(row.id),
        "memory": row.text,
        "user_id": scope.user_id,
        "agent_id": scope.agent_id,
        "app_id": scope.app_id,
        "run_id": scope.run_id,
        "session_id": scope.run_id,
        "metadata": drop_marks(row.metadata),
        "categories": list_categories(row),
        "immutable": bool(row.metadata.get(MARKS["immutable"])),
        "created_at": row.recorded_at,
        "updated_at": max(row.recorded_at, row.last_validated_at),
        "timestamp": row.said_at,
        "expiration_date": render_expiration(row),
        "structured_attributes": None,
        "replaced_by": row.superseded_by_id and str(row.superseded_by_id),
        "synthesized": row.kind == SnapshotKind.CONSOLIDATED,
        "lifecycle_state": _find_state(row),
        **members,
    }


def list_categories(row: Snapshot) -> list[str]:
    given = row.metadata.get(MARKS["categories"])
    return list(
        dict.fromkeys([*(given if isinstance(given, list) else ()), *filter(None, [row.category]), *row.topics])
    )


def render_expiration(row: Snapshot) -> str | None:
    """Return the last day (UTC) on which a memory is held; None for one that does not expire."""
    return None if row.expires_at is None else (row.expires_at - timedelta(microseconds=1)).date().isoformat()


def choose_fields(memory: Mapping[str, Any], fields: Iterable[str] | None) -> dict[str, Any]:
    wanted = frozenset(fields or memory)
    return {name: value for name, value in memory.items() if name in wanted or name in ("id", "memory", "score")}


def _find_state(row: Snapshot) -> str:
    if row.superseded_by_id:
        return "superseded"
    return "ended" if row.invalid_at is not None and row.invalid_at <= utc_now() else "active"


def render_result(memory_id: UUID, text: str, event: str, **more: Any) -> dict[str, Any]:
    """Return one result of an ``add`` as the versions of the clients read it."""
    return {"id": str(memory_id), "memory": text, "event": event, "data": {"memory": text}, **more}
