"""Walk over a tenant's memories in use with their index entries, page by page and without a join.

With a join and statistics from before the tenant had grown, Postgres read the whole tenant for each memory: 20,000 took
more than a minute. A statement about one table reads it once at worst.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.config import WALK, WalkConfig
from snapshots.models import Snapshot, SnapshotVector, SnapshotWords
from tenants.isolation import tenant_tx

BEFORE_ALL = UUID(int=0)


@dataclass(frozen=True, slots=True)
class IndexedMemory:
    """A memory in use: the language of its words, None without any, and the spaces of its vectors."""

    id: UUID
    recorded_at: datetime
    language: str | None
    spaces: frozenset[UUID]


def walk_memories(tenant_id: UUID, *, config: WalkConfig = WALK) -> Iterator[list[IndexedMemory]]:
    """Yield a tenant's memories in use by id; each page is read in a scope of its own, which is closed by then."""
    after = BEFORE_ALL
    while True:
        with tenant_tx(tenant_id):
            page = load_indexed_memories(after=after, most=config.page)
        if not page:
            return
        yield page
        after = page[-1].id


def load_indexed_memories(*, after: UUID, most: int) -> list[IndexedMemory]:
    used = Snapshot.objects.filter(build_in_use_condition(), id__gt=after).order_by("id")
    recorded = dict(used.values_list("id", "recorded_at")[:most])
    if not recorded:
        return []
    stretch = {"snapshot_id__gt": after, "snapshot_id__lte": max(recorded)}
    words, vectors = SnapshotWords.objects.filter(**stretch), SnapshotVector.objects.filter(**stretch)
    languages = dict(words.order_by().values_list("snapshot_id", "language"))
    spaces: dict[UUID, set[UUID]] = defaultdict(set)
    for snapshot_id, space in vectors.order_by().values_list("snapshot_id", "space_id"):
        spaces[snapshot_id].add(space)
    return [
        IndexedMemory(found, recorded_at, languages.get(found), frozenset(spaces[found]))
        for found, recorded_at in recorded.items()
    ]


def build_in_use_condition() -> Q:
    return Q(retired_at__isnull=True) & (Q(expires_at__isnull=True) | Q(expires_at__gt=utc_now()))
