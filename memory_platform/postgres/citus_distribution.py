"""The steps that Citus would need to spread the tables over servers by tenant, read from the catalogue.

Citus itself is not used. Every table with a ``tenant_id`` becomes a distributed one; those that they point to become
reference tables, of which each server has a copy; the others stay where they are. The rules are those that Citus checks
(its ``src/backend/distributed/commands``: ``foreign_constraint.c``, ``trigger.c``, ``policy.c``).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from graphlib import TopologicalSorter
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

TENANT = "tenant_id"

_TABLES = """
SELECT c.relname::text, EXISTS (
  SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY c.oid
"""
_UNIQUE_INDEXES = """
SELECT t.relname::text, i.indexrelid::regclass::text, k.conname::text, array(
  SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY u(number, place)
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = u.number ORDER BY u.place)
FROM pg_index i
JOIN pg_class t ON t.oid = i.indrelid AND t.relnamespace = 'public'::regnamespace
LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x')
WHERE i.indisunique OR i.indisexclusion ORDER BY 1, 2
"""
_LINKS = """
SELECT c.conrelid::regclass::text, c.conname::text, c.confrelid::regclass::text,
  array(SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY u(number, place)
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = u.number ORDER BY u.place),
  array(SELECT a.attname::text FROM unnest(c.confkey) WITH ORDINALITY u(number, place)
        JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = u.number ORDER BY u.place),
  c.confdeltype::text, pg_get_constraintdef(c.oid)
FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace ORDER BY 1, 2
"""
_TRIGGERS = """
SELECT t.relname::text, g.tgname::text FROM pg_trigger g
JOIN pg_class t ON t.oid = g.tgrelid AND t.relnamespace = 'public'::regnamespace WHERE NOT g.tgisinternal ORDER BY 1, 2
"""
_POLICIES = """
SELECT tablename::text, policyname::text, coalesce(qual, ''), coalesce(with_check, '') FROM pg_policies
WHERE schemaname = 'public' ORDER BY 1, 2
"""
_SUBSELECT = re.compile(r"\( SELECT app\.tid\(\) AS tid\)")
_ON_DELETE = {"n": "SET NULL", "d": "SET DEFAULT"}


class Rule(StrEnum):
    """A rule of Citus that a table breaks as it stands."""

    UNIQUE = "a unique index of a distributed table has the tenant"
    LINK = "a foreign key between distributed tables has the tenant, first on both sides"
    DIRECTION = "a table that is not distributed points to none that is"
    SET_NULL = "a foreign key with the tenant does not set columns to NULL"
    TRIGGER = "a table has no trigger, unless citus.enable_unsafe_triggers is on"
    POLICY = "a policy has no subquery"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something that Citus refuses; ``statements`` take it away, as far as SQL alone can."""

    rule: Rule
    table: str
    name: str
    statements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DistributionPlan:
    """The tables by how they are spread, each after those that it points to, and the obstacles."""

    references: Sequence[str]
    distributed: Sequence[str]
    local: Sequence[str]
    obstacles: Sequence[Obstacle]

    def list_statements(self) -> Iterator[str]:
        """Yield the statements that distribute the tables, once the obstacles are out of the way."""
        for table in self.references:
            yield f"SELECT create_reference_table('{table}')"
        first = next(iter(self.distributed), "")
        for table in self.distributed:
            beside = "" if table == first else f", colocate_with => '{first}'"
            yield f"SELECT create_distributed_table('{table}', '{TENANT}'{beside})"


@dataclass(frozen=True, slots=True)
class _Link:
    table: str
    name: str
    parent: str
    columns: list[str]
    parent_columns: list[str]
    on_delete: str
    definition: str


def plan_distribution(database: BaseDatabaseWrapper) -> DistributionPlan:
    """Read the catalogue and plan the distribution of every table."""
    tables = dict(_fetch_rows(database, _TABLES))
    links = [_Link(*row) for row in _fetch_rows(database, _LINKS)]
    distributed = {table for table, has_tenant in tables.items() if has_tenant}
    references = _find_references(distributed, links)
    copied = distributed | references
    obstacles = [
        *_check_unique_indexes(_fetch_rows(database, _UNIQUE_INDEXES), distributed),
        *_check_links(links, distributed),
        *(Obstacle(Rule.TRIGGER, table, name) for table, name in _fetch_rows(database, _TRIGGERS) if table in copied),
        *_check_policies(_fetch_rows(database, _POLICIES), copied),
    ]
    order = _order_by_links(tables, links)
    return DistributionPlan(
        [table for table in order if table in references],
        [table for table in order if table in distributed],
        [table for table in order if table not in copied],
        obstacles,
    )


def _fetch_rows(database: BaseDatabaseWrapper, statement: str) -> list[tuple[Any, ...]]:
    with database.cursor() as cursor:
        cursor.execute(statement)
        return list(cursor.fetchall())


def _find_references(distributed: set[str], links: Sequence[_Link]) -> set[str]:
    """Return the tables without a tenant that distributed tables point to, and those that these point to."""
    found: set[str] = set()
    while new := {
        link.parent for link in links if link.table in distributed | found and link.parent not in distributed | found
    }:
        found |= new
    return found


def _order_by_links(tables: Mapping[str, bool], links: Sequence[_Link]) -> list[str]:
    """Return the tables, each after those that it points to. Raises CycleError if some point to each other."""
    parents: dict[str, list[str]] = {table: [] for table in tables}
    for link in links:
        if link.parent != link.table:
            parents[link.table].append(link.parent)
    return list(TopologicalSorter(parents).static_order())


def _check_unique_indexes(rows: Sequence[tuple[Any, ...]], distributed: set[str]) -> Iterator[Obstacle]:
    for table, index, constraint, columns in rows:
        if table in distributed and TENANT not in columns:
            named = ", ".join(columns)
            drop = f"ALTER TABLE {table} DROP CONSTRAINT {constraint}" if constraint else f"DROP INDEX {index}"
            yield Obstacle(
                Rule.UNIQUE,
                table,
                index,
                (
                    drop,
                    f"CREATE UNIQUE INDEX {index} ON {table} ({TENANT}, {named})",
                    f"CREATE INDEX {index}_look_up ON {table} ({named})",
                ),
            )


def _check_links(links: Sequence[_Link], distributed: set[str]) -> Iterator[Obstacle]:
    for link in links:
        has_tenant = TENANT in link.columns
        if link.table not in distributed:
            if link.parent in distributed:
                yield Obstacle(Rule.DIRECTION, link.table, link.name)
            continue
        if link.parent in distributed and (link.columns[0], link.parent_columns[0]) != (TENANT, TENANT):
            yield Obstacle(Rule.LINK, link.table, link.name)
        if has_tenant and (action := _ON_DELETE.get(link.on_delete)):
            kept = link.definition.partition(f" ON DELETE {action}")[0]
            yield Obstacle(
                Rule.SET_NULL,
                link.table,
                link.name,
                (
                    f"ALTER TABLE {link.table} DROP CONSTRAINT {link.name}",
                    f"ALTER TABLE {link.table} ADD CONSTRAINT {link.name} {kept}",
                ),
            )


def _check_policies(rows: Sequence[tuple[Any, ...]], tables: set[str]) -> Iterator[Obstacle]:
    for table, policy, using, with_check in rows:
        if table not in tables or "SELECT" not in using + with_check:
            continue
        clauses = [
            f"{word} ({_SUBSELECT.sub('app.tid()', text)})"
            for word, text in (("USING", using), ("WITH CHECK", with_check))
            if text
        ]
        can_be_written_so = "SELECT" not in "".join(clauses)
        statement = f"ALTER POLICY {policy} ON {table} {' '.join(clauses)}"
        yield Obstacle(Rule.POLICY, table, policy, (statement,) if can_be_written_so else ())
