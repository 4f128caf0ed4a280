"""Which parts of the index a question may search, and which models have to embed it."""

from dataclasses import dataclass
from uuid import UUID

from memory_platform.postgres.prepared_statements import Statement
from snapshots.knowledge.search.values import DocumentScope
from tenants.isolation import tenant_reads

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

# In their order, so that the first row of a space ends the look, whatever the planner thinks of its frequency.
FIND_SPACES = """
SELECT s.id FROM embedding_space s CROSS JOIN LATERAL (
  SELECT FROM indexed_chunk i WHERE i.tenant_id = $1::uuid AND i.space_id = s.id ORDER BY i.id LIMIT 1
) first
"""


@dataclass(frozen=True, slots=True)
class SearchedParts:
    """Parts of the index, how many chunks they hold together, and the spaces of the tenant's vectors."""

    parts: tuple[UUID, ...]
    chunks: int
    spaces: frozenset[UUID]


def find_searched_parts(tenant_id: UUID, scope: DocumentScope) -> SearchedParts:
    """Return the parts that the question may search. Opens a scope of its own."""
    names = None if scope.collections is None else list(scope.collections)
    parts, spaces = tenant_reads(
        tenant_id,
        [
            Statement(FIND_PARTS, [tenant_id, names, list(scope.access_labels)]),
            Statement(FIND_SPACES, [tenant_id]),
        ],
    )
    return SearchedParts(
        tuple(part for part, _ in parts), sum(count for _, count in parts), frozenset(space for (space,) in spaces)
    )
