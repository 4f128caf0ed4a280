"""How complete each embedding space is: memories it holds and should hold, and since when some have waited.

Only memories in use count. A count reads a tenant's whole index, so pages show the last one, which the spaces keep.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.config import DROP, DropConfig
from snapshots.embedding.embedding_spaces import Embedders, ensure_space, space_id
from snapshots.embedding.upkeep.index_entry_walk import BEFORE_ALL, IndexedMemory, walk_memories
from snapshots.embedding.upkeep.vector_backfill import Advance, SpaceLanguages, ignore_progress, make_space_languages
from snapshots.models import EmbeddingSpace, SnapshotVector
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor, record_audit

WHOLE = 100


@dataclass(frozen=True, slots=True)
class SpaceCount:
    """Memories with vectors in a space, memories that belong into it, and those that lack them."""

    held: int = 0
    belonging: int = 0
    missing: int = 0
    oldest_missing_at: datetime | None = None

    @property
    def percent(self) -> int | None:
        """The share of present vectors, rounded down; None where nothing belongs here."""
        return WHOLE * (self.belonging - self.missing) // self.belonging if self.belonging else None

    def __add__(self, other: "SpaceCount") -> "SpaceCount":
        times = [one for one in (self.oldest_missing_at, other.oldest_missing_at) if one]
        return SpaceCount(
            self.held + other.held,
            self.belonging + other.belonging,
            self.missing + other.missing,
            min(times, default=None),
        )


NOTHING = SpaceCount()
# By the space's id; a missing space holds nothing and lacks nothing.
Counts = Mapping[UUID, SpaceCount]


def count_space_memories(tenant_id: UUID, embedders: Embedders) -> Counts:
    """Count one tenant's memories in every space where ``embedders`` are listed. Opens scopes of its own."""
    listed = [make_space_languages(embedder, embedders) for embedder in embedders]
    counts: Counts = {}
    for page in walk_memories(tenant_id):
        counts = add_counts(counts, _count_page(page, listed))
    return counts


def _count_page(page: Sequence[IndexedMemory], listed: Sequence[SpaceLanguages]) -> Counts:
    held = Counter(space for one in page for space in one.spaces)
    counts = {space: SpaceCount(held=number) for space, number in held.items()}
    for own in listed:
        belonging = [one for one in page if one.language in own.languages]
        missing = [one.recorded_at for one in belonging if own.space_id not in one.spaces]
        added = SpaceCount(0, len(belonging), len(missing), min(missing, default=None))
        counts[own.space_id] = counts.get(own.space_id, NOTHING) + added
    return counts


def add_counts(one: Counts, other: Counts) -> Counts:
    return {space: one.get(space, NOTHING) + other.get(space, NOTHING) for space in {*one, *other}}


def count_memories_only_in(tenant_id: UUID, space: UUID, embedders: Embedders) -> int:
    """Return how many memories have vectors in ``space`` and in no listed one. Opens scopes of its own."""
    listed = {space_id(embedder) for embedder in embedders}
    return sum(space in one.spaces and not listed & one.spaces for page in walk_memories(tenant_id) for one in page)


def store_counts(counts: Counts, embedders: Embedders) -> None:
    """Store the counts on the spaces, for pages. A listed space without a row gets one."""
    with transaction.atomic():
        listed = {ensure_space(embedder) for embedder in embedders}
        for space in EmbeddingSpace.objects.select_for_update().order_by("id"):
            count = counts.get(space.id, NOTHING)
            space.is_listed = space.id in listed
            space.held, space.belonging, space.missing = count.held, count.belonging, count.missing
            space.oldest_missing_at, space.counted_at = count.oldest_missing_at, utc_now()
            space.save()


def drop_vectors(
    tenant_id: UUID, space: EmbeddingSpace, *, by: Actor, advance: Advance = ignore_progress, config: DropConfig = DROP
) -> int:
    """Delete one tenant's vectors of ``space``; return how many. Recorded in the tenant's audit trail.

    Opens scopes of its own, one per batch: stopped anywhere, a second call goes on. Indexes keep their copies, which
    say the same.
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
