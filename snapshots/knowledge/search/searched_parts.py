"""Which parts of the index a question may search."""

from dataclasses import dataclass
from uuid import UUID

from memory_platform.postgres.prepared_statements import fetch_prepared
from snapshots.knowledge.search.values import DocumentScope
from tenants.isolation import current_tenant_id

# A part is a collection's, or the tenant's own: documents without a collection. The part of a collection that is gone
# is not searched.
FIND_PARTS = """
SELECT p.part, p.chunk_count FROM knowledge_index_part p
LEFT JOIN document_collection c ON c.tenant_id = p.tenant_id AND c.id = p.part
WHERE p.tenant_id = $1::uuid AND p.chunk_count > 0 AND CASE
  WHEN c.id IS NULL THEN p.part = $1::uuid AND $2::text[] IS NULL
  ELSE (c.access_label = '' OR c.access_label = ANY($3::text[])) AND ($2::text[] IS NULL OR c.external_id = ANY($2))
END
ORDER BY p.part
"""


@dataclass(frozen=True, slots=True)
class SearchedParts:
    """Parts of the index, and how many chunks they hold together."""

    parts: tuple[UUID, ...]
    chunks: int


def find_searched_parts(scope: DocumentScope) -> SearchedParts:
    """Return the parts that the question may search, in the open scope."""
    names = None if scope.collections is None else list(scope.collections)
    rows = fetch_prepared(FIND_PARTS, [current_tenant_id(), names, list(scope.access_labels)])
    return SearchedParts(tuple(part for part, _ in rows), sum(count for _, count in rows))
