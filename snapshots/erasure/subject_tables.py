"""Which tables hold rows of a subject: asked of the database, so that a new table is erased without being listed.

Every statement names tenant and subject, and runs in the open ``tenant_tx``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import TopologicalSorter
from uuid import UUID

from django.db import connection

from tenants.isolation import current_tenant_id

OWNED_TABLES_SQL = """
SELECT c.relname FROM pg_class c
JOIN pg_attribute s ON s.attrelid = c.oid AND s.attname = 'subject_id' AND NOT s.attisdropped
JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'tenant_id' AND NOT t.attisdropped
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
ORDER BY c.relname
"""

# Keys that a deletion follows: child, parent, the child's column, and whether the child goes too or loses the key.
FOLLOWED_KEYS_SQL = """
SELECT child.relname, parent.relname, (SELECT attname FROM pg_attribute
    WHERE attrelid = k.conrelid AND attnum = k.conkey[array_length(k.conkey, 1)]), k.confdeltype = 'c'
FROM pg_constraint k JOIN pg_class child ON child.oid = k.conrelid JOIN pg_class parent ON parent.oid = k.confrelid
WHERE k.contype = 'f' AND k.confdeltype IN ('c', 'n') AND child.relnamespace = 'public'::regnamespace
"""


@dataclass(frozen=True, slots=True)
class SubjectTable:
    """A table with rows of subjects. ``self_reference``: a column by which rows refer to others of it, or empty."""

    name: str
    self_reference: str = ""


@lru_cache(maxsize=1)
def list_subject_tables() -> tuple[SubjectTable, ...]:
    """Return the tables with rows of subjects, each before those that its rows refer to: no cascade is left to
    count."""
    with connection.cursor() as cursor:
        cursor.execute(OWNED_TABLES_SQL)
        names = {name for (name,) in cursor.fetchall()}
        cursor.execute(FOLLOWED_KEYS_SQL)
        keys = [key for key in cursor.fetchall() if key[0] in names and key[1] in names]
    hangs_on: dict[str, set[str]] = {name: set() for name in sorted(names)}
    for child, parent, _, _ in keys:
        if child != parent:
            hangs_on[parent].add(child)  # its "predecessors" leave first
    images = {child: column for child, parent, column, goes_too in keys if goes_too and child == parent}
    return tuple(SubjectTable(name, images.get(name, "")) for name in TopologicalSorter(hangs_on).static_order())


def count_rows(subject_id: UUID, *, at_most: int) -> int:
    counted = 0
    for table in list_subject_tables():
        counted += _count_in_table(table.name, subject_id, at_most - counted)
        if counted >= at_most:
            break
    return counted


def count_rows_left(subject_id: UUID) -> dict[str, int]:
    """Return the rows of a subject by table, those without any left out. One query."""
    names = [table.name for table in list_subject_tables()]
    counted = " UNION ALL ".join(
        f"SELECT '{name}', count(*) FROM {name} WHERE tenant_id = %s AND subject_id = %s"  # noqa: S608  # the catalogue's
        for name in names
    )
    with connection.cursor() as cursor:
        cursor.execute(counted, [current_tenant_id(), subject_id] * len(names))
        return drop_zeros(dict(cursor.fetchall()))


def drop_zeros(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts that are not 0: certificates list only the tables with rows."""
    return {name: count for name, count in counts.items() if count}


def delete_rows(table: SubjectTable, subject_id: UUID, *, at_most: int) -> int:
    """Delete rows of a subject from one table, rows that refer to others of it first; return how many."""
    order = f"ORDER BY {table.self_reference} IS NULL" if table.self_reference else ""
    return _execute(
        f"DELETE FROM {table.name} WHERE tenant_id = %s AND id = ANY (ARRAY("  # noqa: S608  # names from the catalogue
        f"SELECT id FROM {table.name} WHERE tenant_id = %s AND subject_id = %s {order} LIMIT %s))",
        [current_tenant_id(), current_tenant_id(), subject_id, at_most],
    )


def delete_all_rows(subject_id: UUID) -> Iterator[tuple[str, int]]:
    for table in list_subject_tables():
        own = [current_tenant_id(), subject_id]
        rows = 0
        if table.self_reference:
            rows = _execute(
                f"DELETE FROM {table.name} WHERE tenant_id = %s AND subject_id = %s "  # noqa: S608
                f"AND {table.self_reference} IS NOT NULL",
                own,
            )
        yield (
            table.name,
            rows + _execute(f"DELETE FROM {table.name} WHERE tenant_id = %s AND subject_id = %s", own),  # noqa: S608
        )


def _count_in_table(table: str, subject_id: UUID, at_most: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM (SELECT 1 FROM {table} WHERE tenant_id = %s AND subject_id = %s LIMIT %s) r",  # noqa: S608
            [current_tenant_id(), subject_id, at_most],
        )
        return int(cursor.fetchone()[0])


def _execute(statement: str, parameters: Sequence[UUID | int]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)
