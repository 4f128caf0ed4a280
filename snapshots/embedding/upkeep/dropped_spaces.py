"""Delete the vectors of a space that is no longer listed, in small batches."""

from uuid import UUID

from django.db import IntegrityError, transaction

from snapshots.embedding.config import DROP, DropConfig
from snapshots.embedding.upkeep.indexed_memories import BEFORE_ALL
from snapshots.embedding.upkeep.vector_backfill import Advance, ignore_progress
from snapshots.models import EmbeddingSpace, SnapshotVector
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor, record_audit


def drop_vectors(
    tenant_id: UUID, space: EmbeddingSpace, *, by: Actor, advance: Advance = ignore_progress, config: DropConfig = DROP
) -> int:
    """Delete one tenant's vectors of ``space``; return how many. Recorded in the tenant's audit trail.

    Opens scopes of its own, one per batch: stopped anywhere, a second call goes on. Images keep their copies, which say
    the same.
    """
    dropped, after = 0, BEFORE_ALL
    while ids := _drop_batch(tenant_id, space, after, by=by, config=config):
        dropped, after = dropped + len(ids), ids[-1]
        advance(len(ids))
    return dropped


def _drop_batch(tenant_id: UUID, space: EmbeddingSpace, after: UUID, *, by: Actor, config: DropConfig) -> list[UUID]:
    with tenant_tx(tenant_id):
        rows = SnapshotVector.objects.filter(space_id=space.id, id__gt=after).order_by("id")
        ids = list(rows.values_list("id", flat=True)[: config.batch])
        if ids and after == BEFORE_ALL:
            table = EmbeddingSpace._meta.db_table
            record_audit(by, f"{table}.dropped", object_kind=table, object_id=str(space.id), reason=space.name)
        SnapshotVector.objects.filter(id__in=ids).delete()
    return ids


def delete_empty_space(space: EmbeddingSpace) -> bool:
    """Delete the row of a space without vectors; False when some process has written to it meanwhile."""
    try:
        with transaction.atomic():
            EmbeddingSpace.objects.filter(id=space.id).delete()
    except IntegrityError:
        return False
    return True
