"""Writing items: a batch of them in one round trip to the database."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.postgres.prepared_statements import Statement, fetch_together
from profiles.services.subjects import ensure_subject
from snapshots.embedding.embedding_spaces import ensure_space
from snapshots.store_items.item_embedding import Placed
from snapshots.store_items.store_operations import PutItem
from tenants.isolation import current_tenant_id

# An item whose life has ended begins anew, though its row may still be there.
PUT = """
INSERT INTO store_item AS i (tenant_id, id, subject_id, namespace, key, value, indexed_paths, ttl_minutes, expires_at,
  created_at, updated_at)
VALUES ($1::uuid, $2::uuid, $3::uuid, $4::text[], $5::text, $6::jsonb, $7::text[], $8::float8,
  $9::timestamptz + $8::float8 * interval '1 minute', $9::timestamptz, $9::timestamptz)
ON CONFLICT (tenant_id, namespace, key) DO UPDATE SET value = EXCLUDED.value,
  indexed_paths = EXCLUDED.indexed_paths, ttl_minutes = EXCLUDED.ttl_minutes, expires_at = EXCLUDED.expires_at,
  subject_id = coalesce(EXCLUDED.subject_id, i.subject_id), updated_at = EXCLUDED.updated_at,
  created_at = CASE WHEN i.expires_at <= EXCLUDED.updated_at THEN EXCLUDED.created_at ELSE i.created_at END
"""
ITEM = "(SELECT id FROM store_item WHERE tenant_id = $1::uuid AND namespace = $2::text[] AND key = $3::text)"
DROP_VECTORS = f"DELETE FROM store_item_vector WHERE tenant_id = $1::uuid AND item_id = {ITEM}"  # noqa: S608
PUT_VECTOR = f"""
INSERT INTO store_item_vector (tenant_id, id, item_id, space_id, path, vector)
VALUES ($1::uuid, $4::uuid, {ITEM}, $5::uuid, $6::text, $7::halfvec) ON CONFLICT DO NOTHING
"""  # noqa: S608  # constants
HIDE = """
UPDATE store_item SET namespace = ARRAY['langgraph', 'erasing', id::text], expires_at = now()
WHERE tenant_id = %s AND subject_id = %s
"""
DELETE = "DELETE FROM store_item WHERE tenant_id = $1::uuid AND namespace = $2::text[] AND key = $3::text"


def write_items(puts: Sequence[PutItem], vectors: Mapping[str, Placed]) -> None:
    """Store and delete items in the open scope. ``vectors`` are those of the items' texts."""
    ordered = sorted(puts, key=lambda one: (one.namespace, one.key))  # locks in one order, whoever writes
    names = sorted({one.subject_external_id for one in ordered if one.subject_external_id})
    subjects = {name: str(ensure_subject(name).id) for name in names}
    spaces = {embedder: str(ensure_space(embedder)) for embedder in {embedder for embedder, _ in vectors.values()}}
    statements: list[Statement] = []
    for one in ordered:
        place = [str(current_tenant_id()), list(one.namespace), one.key]
        if one.value is None:
            statements.append(Statement(DELETE, place))
            continue
        statements += [_make_put_statement(one, subjects), Statement(DROP_VECTORS, place)]
        for path, text in one.texts:
            if text in vectors:
                embedder, vector = vectors[text]
                statements.append(Statement(PUT_VECTOR, [*place, str(new_id()), spaces[embedder], path, vector]))
    if statements:
        fetch_together(statements)


def hide_items_of_subject(subject_id: UUID) -> None:
    """Let nobody read a subject's items any more, in the open scope: the rows are deleted with the subject's others.
    Their places are free for others at once."""
    with connection.cursor() as cursor:
        cursor.execute(HIDE, [current_tenant_id(), subject_id])


def _make_put_statement(one: PutItem, subjects: Mapping[str, str]) -> Statement:
    subject = subjects.get(one.subject_external_id or "")
    paths = sorted({path for path, _ in one.texts})
    values = [subject, list(one.namespace), one.key, one.value, paths, one.ttl_minutes, utc_now()]
    return Statement(PUT, [str(current_tenant_id()), str(new_id()), *values])
