"""Read metadata that a filter names from the table, for one question and never into an index.

Messages bound the size of an index. Metadata may be hundreds of times as large, and few questions use it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from memory_platform.postgres.prepared_statements import Rows as Fetched
from memory_platform.postgres.prepared_statements import Statement
from snapshots.embedding.snapshot_history import NOTHING_CHANGED, EarlierSnapshot
from snapshots.recall.config import FILTERING, FilterConfig
from snapshots.recall.filtering.filter_grammar import (
    METADATA,
    AllOf,
    AnyOf,
    Condition,
    EvaluatedPart,
    FilterNode,
    NotOf,
    list_conditions,
)
from snapshots.recall.filtering.filter_matching import FieldValues, FilterMatcher, FilterTooCostly, make_json_values
from snapshots.recall.loading.load_stored_memory import SubjectReader
from snapshots.recall.memory_indexes.memory_index import NOT_HELD, MemoryIndex
from snapshots.recall.values import RecallQuery

# Postgres reads the size of metadata without the value, because it is stored uncompressed (migration 0015). Sizes under
# the keys are added up before any value becomes text, which takes ten times as long. Metadata without any of the keys
# is looked at once, not once for each key.
METADATA_VALUES = """
WITH size AS MATERIALIZED (
  SELECT coalesce(sum(pg_column_size(metadata)), 0) * cardinality($3::text[]) AS bytes
  FROM snapshot WHERE tenant_id = $1 AND subject_id = $2
), found AS MATERIALIZED (
  SELECT key.place, string_agg(uuid_send(s.id), ''::bytea) AS ids, array_agg(value.json) AS held,
    sum(pg_column_size(value.json)) AS bytes
  FROM unnest($3::text[]) WITH ORDINALITY AS key (name, place), snapshot s,
  LATERAL (SELECT s.metadata -> key.name AS json OFFSET 0) AS value
  WHERE (SELECT bytes FROM size) <= $4 AND s.tenant_id = $1 AND s.subject_id = $2 AND s.metadata ?| $3::text[]
    AND value.json IS NOT NULL
  GROUP BY key.place
)
SELECT size.bytes <= $4, found.place, found.ids,
       CASE WHEN sum(found.bytes) OVER () <= $5
         THEN (SELECT string_agg(one::text, ',') FROM unnest(found.held) AS one) END
FROM size LEFT JOIN found ON true
ORDER BY found.bytes DESC NULLS LAST
"""


def resolve_metadata_conditions(
    query: RecallQuery,
    reader: SubjectReader,
    indexes: Mapping[str, MemoryIndex],
    earlier: Mapping[UUID, EarlierSnapshot] = NOTHING_CHANGED,
    config: FilterConfig = FILTERING,
) -> dict[str, RecallQuery]:
    """Return ``query`` by lane, its conditions on metadata evaluated for the rows of the lane's index.

    Takes one round trip, none without such a condition. Memories in ``earlier`` count as they were then. Raises
    FilterTooCostly.
    """
    if query.filter is None:
        return dict.fromkeys(indexes, query)
    named = dict.fromkeys(one.field for one in list_conditions(query.filter) if one.field.startswith(METADATA))
    keys = [field.removeprefix(METADATA) for field in named]
    if not keys:
        return dict.fromkeys(indexes, query)
    limits = config.metadata_bytes, config.metadata_held_bytes
    (found,) = reader.run([Statement(METADATA_VALUES, [reader.tenant_id, reader.subject_id, keys, *limits])])
    asked: dict[str, RecallQuery] = {}
    for lane, index in indexes.items():
        held = dict(zip(named, _parse_metadata(found, keys, index, earlier), strict=True))
        asked[lane] = replace(query, filter=_evaluate_conditions(query.filter, FilterMatcher(held.__getitem__, config)))
    return asked


def _parse_metadata(
    metadata_rows: Fetched, keys: Sequence[str], index: MemoryIndex, earlier: Mapping[UUID, EarlierSnapshot]
) -> list[FieldValues]:
    """Return the values under each key. Raises FilterTooCostly."""
    by_row: list[dict[int, object]] = [{} for _ in keys]
    for accepted, place, ids, values in metadata_rows:
        if not accepted or (place and values is None):
            raise FilterTooCostly(METADATA + keys[place - 1 if place else 0])
        if place:
            by_row[place - 1].update(zip(index.find_rows(ids), json.loads(f"[{values}]"), strict=True))
    for row, then in zip(index.find_rows(b"".join(one.bytes for one in earlier)), earlier.values(), strict=True):
        for held, key in zip(by_row, keys, strict=True):
            held[row] = then.snapshot.metadata.get(key)
    for held in by_row:
        held.pop(NOT_HELD, None)
    return [make_json_values(list(held), list(held.values()), len(index.ids)) for held in by_row]


def _evaluate_conditions(node: FilterNode, matcher: FilterMatcher) -> FilterNode:
    if isinstance(node, Condition):
        return EvaluatedPart(matcher.match_rows(node)) if node.field.startswith(METADATA) else node
    if isinstance(node, NotOf):
        return NotOf(_evaluate_conditions(node.part, matcher))
    if isinstance(node, AllOf | AnyOf):
        return type(node)(tuple(_evaluate_conditions(part, matcher) for part in node.parts))
    return node
