"""Move the rows of one subject to another, table by table, as the database's catalogue lists them.

A new table is moved without being listed here. Every statement names the tenant, and runs in the open ``tenant_tx``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models.functions import Now

from snapshots.embedding.snapshot_store import begin_memory_epoch, claim_positions
from snapshots.erasure.subject_tables import FOLLOWED_KEYS_SQL, list_subject_tables
from snapshots.models import MemoryBlock, Snapshot, SubjectMemory, Work, WorkState
from tenants.isolation import current_tenant_id

# The state of one memory, which each subject has of its own.
OWN_TABLES = frozenset({"memory_block", "subject_memory"})

MovedRows = Mapping[str, Sequence[str]]

# Joined snapshots follow those of their new subject, in their own order.
NUMBER_SNAPSHOTS = """
WITH numbered AS (
  SELECT id, %(first)s - 1 + row_number() OVER (ORDER BY position, id) AS place
  FROM snapshot WHERE tenant_id = %(tenant)s AND subject_id = %(subject)s AND id = ANY(%(ids)s)
), renumbered AS (
  UPDATE snapshot s SET position = n.place FROM numbered n WHERE s.tenant_id = %(tenant)s AND s.id = n.id
)
UPDATE snapshot_words w SET position = n.place FROM numbered n
WHERE w.tenant_id = %(tenant)s AND w.snapshot_id = n.id
"""


@dataclass(frozen=True, slots=True)
class RowKey:
    """A key of rows of subjects to others. ``deletes``: a row is deleted with the one that it refers to."""

    child: str
    parent: str
    column: str
    deletes: bool

    @property
    def goes_along(self) -> bool:
        """Whether the row belongs to the subject of the one that it refers to."""
        # What a conversation taught outlives it, but belongs to the one who talked.
        return self.deletes or self.column == "conversation_id"


def move_all_rows(origin: UUID, target: UUID) -> dict[str, list[str]]:
    """Move every row of a subject; return the ids by table. The caller has locked both subjects."""
    MemoryBlock.objects.filter(subject_id=origin).delete()
    SubjectMemory.objects.filter(subject_id=origin).delete()
    moved = {}
    for table in list_subject_tables():
        if table.name in OWN_TABLES:
            continue
        ids = _execute(
            f"UPDATE {table.name} SET subject_id = %s WHERE tenant_id = %s AND subject_id = %s RETURNING id",  # noqa: S608
            [target, current_tenant_id(), origin],
        )
        if ids:
            moved[table.name] = [str(one) for (one,) in ids]
    return moved


def move_listed_rows(moved: MovedRows, origin: UUID, target: UUID) -> None:
    """Move listed rows of a subject, as far as they are still there."""
    for table in list_subject_tables():
        if table.name in OWN_TABLES or not moved.get(table.name):
            continue
        _execute(
            f"UPDATE {table.name} SET subject_id = %s "  # noqa: S608  # names from the catalogue
            "WHERE tenant_id = %s AND subject_id = %s AND id = ANY(%s) RETURNING 1",
            [target, current_tenant_id(), origin, [UUID(one) for one in moved[table.name]]],
        )


def move_rows_that_go_along(origin: UUID, target: UUID) -> None:
    """Move rows of a subject that belong to rows of the other one: later messages of a conversation, parts of a memory.
    The parents of each table are complete before it is looked at."""
    order = {table.name: place for place, table in enumerate(list_subject_tables())}
    keys = [key for key in list_row_keys() if key.goes_along]
    for key in sorted(keys, key=lambda one: (-order[one.child], one.child == one.parent)):
        _execute(
            f"UPDATE {key.child} c SET subject_id = %s FROM {key.parent} p "  # noqa: S608  # names from the catalogue
            f"WHERE c.tenant_id = %s AND c.subject_id = %s AND p.tenant_id = c.tenant_id AND p.id = c.{key.column} "
            "AND p.subject_id = %s RETURNING 1",
            [target, current_tenant_id(), origin, target],
        )


def cut_keys_between(one: UUID, other: UUID) -> None:
    """Remove references from rows of one subject to rows of the other: the key, or the row that cannot be without."""
    both = [one, other]
    for key in list_row_keys():
        head, source = (
            (f"DELETE FROM {key.child} c", "USING")  # noqa: S608  # names from the catalogue
            if key.deletes
            else (f"UPDATE {key.child} c SET {key.column} = NULL", "FROM")  # noqa: S608
        )
        _execute(
            f"{head} {source} {key.parent} p WHERE c.tenant_id = %s AND c.subject_id = ANY(%s) "
            f"AND p.tenant_id = c.tenant_id AND p.id = c.{key.column} AND p.subject_id = ANY(%s) "
            "AND p.subject_id <> c.subject_id RETURNING 1",
            [current_tenant_id(), both, both],
        )


@lru_cache(maxsize=1)
def list_row_keys() -> tuple[RowKey, ...]:
    """Return the keys between tables with rows of subjects, that to the subject itself left out."""
    names = {table.name for table in list_subject_tables()}
    found = (RowKey(*key) for key in _execute(FOLLOWED_KEYS_SQL, []))
    return tuple(sorted((key for key in found if {key.child, key.parent} <= names), key=lambda key: key.child))


def number_snapshots(subject_id: UUID, ids: Iterable[UUID]) -> None:
    """Give snapshots that were moved to a subject places in its memory, after those that it has. Nothing that a process
    holds of this memory is used any longer."""
    moved = list(ids)
    first = claim_positions(subject_id, len(moved))
    _run(NUMBER_SNAPSHOTS, {"first": first, "tenant": current_tenant_id(), "subject": subject_id, "ids": moved})
    begin_memory_epoch(subject_id, changed=())


def list_positions(subject_id: UUID, ids: Iterable[UUID]) -> list[int]:
    rows = Snapshot.objects.filter(subject_id=subject_id, id__in=list(ids)).order_by()
    return list(rows.values_list("position", flat=True))


def lock_open_work(subjects: Sequence[UUID]) -> None:
    """Lock open work in the order of workers."""
    open_items = Work.objects.filter(subject_id__in=subjects, state__in=(WorkState.READY, WorkState.LEASED))
    list(open_items.order_by("position").select_for_update().values_list("pk"))


def end_leases_of_subject(subject_id: UUID) -> None:
    """End the leases of workers, who know the subject by another id: the work is done anew."""
    leased = Work.objects.filter(subject_id=subject_id, state=WorkState.LEASED)
    leased.update(state=WorkState.READY, due_at=Now(), lease_token=None, lease_until=None)


def _execute(statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        return list(cursor.fetchall())


def _run(statement: str, parameters: Mapping[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
