"""Reading items: one by its key, many by a prefix of whole labels, and the namespaces there are.

An item whose life has ended is not read, also before it is deleted.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection

from memory_platform.postgres.prepared_statements import Rows, Statement
from snapshots.store_items.filters import build_filter_conditions
from snapshots.store_items.store_operations import ANY_LABEL, FoundItem, GetItem, ListNamespaces, Namespace, SearchItems
from tenants.isolation import current_tenant_id, tenant_reads

COLUMNS = "i.id, i.namespace, i.key, i.value::text, i.created_at, i.updated_at, i.ttl_minutes IS NOT NULL"
IS_LIVE = "(i.expires_at IS NULL OR i.expires_at > now())"
GET = f"""
SELECT {COLUMNS} FROM store_item i
WHERE i.tenant_id = $1::uuid AND i.namespace = $2::text[] AND i.key = $3::text AND {IS_LIVE}
"""  # noqa: S608  # constants
SEARCH = f"""
SELECT {COLUMNS}, {{score}} AS score FROM store_item i
WHERE i.tenant_id = %s AND {IS_LIVE} AND {{conditions}}
ORDER BY score DESC NULLS LAST, i.updated_at DESC, i.namespace, i.key LIMIT %s OFFSET %s
"""  # noqa: S608  # constants
SCORE = """(SELECT max(CASE v.space_id {cases} END) FROM store_item_vector v
  WHERE v.tenant_id = i.tenant_id AND v.item_id = i.id)"""
NO_SCORE = "NULL::float8"
SCORE_CASE = "WHEN %s THEN 1 - (v.vector <=> %s::halfvec)"
LIST = f"""
SELECT DISTINCT {{labels}} AS labels FROM store_item i
WHERE i.tenant_id = %s AND {IS_LIVE} AND {{conditions}} ORDER BY labels LIMIT %s OFFSET %s
"""  # noqa: S608  # constants
REFRESH = """
UPDATE store_item SET expires_at = now() + ttl_minutes * interval '1 minute'
WHERE tenant_id = %s AND id = ANY(%s) AND ttl_minutes IS NOT NULL
"""
# The next text after a label in the order of characters, so that a range has the label itself and nothing else.
NEXT = "\x01"
# A question's vectors by the space they are in.
QueryVectors = Mapping[UUID, str]
Condition = tuple[str, list[Any]]


def load_items(tenant_id: UUID, places: Sequence[GetItem]) -> list[FoundItem | None]:
    """Return each item, or None. Opens a scope of its own."""
    statements = [Statement(GET, [str(tenant_id), list(one.namespace), one.key]) for one in places]
    return [_read_item(rows[0]) if rows else None for rows in tenant_reads(tenant_id, statements)]


def search_items(search: SearchItems, vectors: QueryVectors) -> list[FoundItem]:
    """Return the items below a prefix that match, in the open scope: the most similar first, then the newest."""
    conditions = [*build_prefix_condition(search.prefix), *build_filter_conditions(search.filter)]
    cases = [(SCORE_CASE, [space, vector]) for space, vector in vectors.items()]
    score = SCORE.format(cases=" ".join(text for text, _ in cases)) if cases else NO_SCORE
    # The filters' texts hold no braces of their own: values are parameters.
    statement = SEARCH.format(score=score, conditions=join_conditions(conditions))
    values = [one for _, own in cases for one in own]
    values += [current_tenant_id(), *(one for _, own in conditions for one in own), search.limit, search.offset]
    return [_read_item(row[:-1], row[-1]) for row in _fetch_rows(statement, values)]


def list_namespaces(listing: ListNamespaces) -> list[Namespace]:
    """Return the namespaces that match, cut to ``max_depth`` labels, in order, in the open scope."""
    conditions = [one for match in listing.matches for one in _build_match_condition(match.kind, match.labels)]
    labels = "i.namespace" if listing.max_depth is None else "i.namespace[1:%s]"
    depth = [] if listing.max_depth is None else [listing.max_depth]
    values = [
        *depth,
        current_tenant_id(),
        *(one for _, own in conditions for one in own),
        listing.limit,
        listing.offset,
    ]
    rows = _fetch_rows(LIST.format(labels=labels, conditions=join_conditions(conditions)), values)
    return [tuple(labels) for (labels,) in rows]


def refresh_lives(row_ids: Sequence[UUID]) -> None:
    """Begin the lives of items anew, in the open scope."""
    with connection.cursor() as cursor:
        cursor.execute(REFRESH, [current_tenant_id(), list(row_ids)])


def build_prefix_condition(prefix: Namespace) -> list[Condition]:
    """Return the condition for namespaces that begin with these whole labels: a range of the index."""
    if not prefix:
        return []
    until = [*prefix[:-1], prefix[-1] + NEXT]
    return [("i.namespace >= %s::text[] AND i.namespace < %s::text[]", [list(prefix), until])]


def join_conditions(conditions: Sequence[Condition]) -> str:
    return " AND ".join(text for text, _ in conditions) or "true"


def _build_match_condition(kind: str, labels: Namespace) -> list[Condition]:
    if kind == "prefix" and ANY_LABEL not in labels:
        return build_prefix_condition(labels)
    found: list[Condition] = [("cardinality(i.namespace) >= %s", [len(labels)])]
    for place, label in enumerate(labels, start=1):
        if label != ANY_LABEL and kind == "prefix":
            found.append(("i.namespace[%s] = %s", [place, label]))
        elif label != ANY_LABEL:
            found.append(("i.namespace[cardinality(i.namespace) - %s] = %s", [len(labels) - place, label]))
    return found


def _read_item(row: Sequence[Any], score: float | None = None) -> FoundItem:
    row_id, namespace, key, value, created_at, updated_at, has_life = row
    return FoundItem(row_id, tuple(namespace), key, value, created_at, updated_at, has_life, score)


def _fetch_rows(statement: str, values: Sequence[Any]) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
