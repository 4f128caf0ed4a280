"""By which clock a subject lives: the time zone that their profile names, else the offset that they were last heard
with."""

from collections.abc import Sequence
from datetime import timedelta, timezone, tzinfo
from typing import Any
from uuid import UUID

from memory_platform.postgres.prepared import Rows, Statement
from profiles.zones import zone_named
from snapshots.models import SnapshotKind
from snapshots.recall.policy import DEFAULT_RECALL

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


def zone_statement(tenant_id: UUID, subject_id: UUID) -> Statement:
    """Return the statement that reads the clock of a subject; :func:`zone_of_rows` reads its row."""
    return Statement(ZONE, [tenant_id, subject_id])


def zone_of_rows(rows: Rows) -> tzinfo | None:
    """Return the zone in rows of :func:`zone_statement`; None where nothing is known of it."""
    row: Sequence[Any] = rows[0]
    named, minutes = row
    return zone_named(named) or (None if minutes is None else timezone(timedelta(minutes=minutes)))
