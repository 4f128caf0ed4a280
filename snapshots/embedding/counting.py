"""How far each embedding space is (S5): which memories it holds, which it should, and since when some have waited.

Only memories in use count. A count reads a tenant's whole index, so pages show the last one, which the spaces keep.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, Min, OuterRef

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.backfill import in_use, space_of, words_missing
from snapshots.embedding.floors import NO_PAIRS, Unrelated, floor_of, sample_unrelated
from snapshots.embedding.spaces import Embedders, ensure_space, space_id
from snapshots.models import EmbeddingSpace, SnapshotVector, SnapshotWords
from tenants.isolation import tenant_tx

WHOLE = 100


@dataclass(frozen=True, slots=True)
class SpaceCount:
    """Memories of a space: with vectors in it, whose vectors belong into it, and those that lack them.

    ``unrelated`` is what a sample of each tenant's says of the space's floor; none of a space that is not listed.
    """

    held: int = 0
    belonging: int = 0
    missing: int = 0
    oldest_missing_at: datetime | None = None
    unrelated: tuple[Unrelated, ...] = ()

    @property
    def percent(self) -> int | None:
        """How much of what belongs here is here, rounded down; None where nothing belongs here."""
        return WHOLE * (self.belonging - self.missing) // self.belonging if self.belonging else None

    def __add__(self, other: "SpaceCount") -> "SpaceCount":
        times = [one for one in (self.oldest_missing_at, other.oldest_missing_at) if one]
        return SpaceCount(
            self.held + other.held,
            self.belonging + other.belonging,
            self.missing + other.missing,
            min(times, default=None),
            self.unrelated + other.unrelated,
        )


NOTHING = SpaceCount()
Counts = Mapping[UUID, SpaceCount]
"""By the space's id; a space that is not there holds nothing and lacks nothing."""


def count_spaces(tenant_id: UUID, embedders: Embedders) -> Counts:
    """Count one tenant's memories in every space where ``embedders`` are listed. Opens a scope of its own."""
    with tenant_tx(tenant_id):
        vectors = SnapshotVector.objects.filter(in_use()).order_by().values_list("space_id")
        counts = {space: SpaceCount(held=held) for space, held in vectors.annotate(Count("id"))}
        words = SnapshotWords.objects.filter(in_use()).order_by().values_list("language")
        by_language = dict(words.annotate(Count("id")))
        for embedder in embedders:
            own = space_of(embedder, embedders)
            lacking = words_missing(own).aggregate(missing=Count("id"), oldest=Min("snapshot__recorded_at"))
            belonging = sum(by_language.get(language, 0) for language in own.languages)
            stored = counts.get(own.space_id, NOTHING)
            sample = sample_unrelated(own.space_id) if stored.held else NO_PAIRS
            unrelated = (sample,) if sample.pairs else ()
            added = SpaceCount(0, belonging, lacking["missing"], lacking["oldest"], unrelated)
            counts[own.space_id] = stored + added
    return counts


def added_up(one: Counts, other: Counts) -> Counts:
    """Return the counts of both."""
    return {space: one.get(space, NOTHING) + other.get(space, NOTHING) for space in {*one, *other}}


def count_only_in(tenant_id: UUID, space: UUID, embedders: Embedders) -> int:
    """Return how many of one tenant's memories have vectors in ``space`` and in no listed one. Opens a scope."""
    listed = [space_id(embedder) for embedder in embedders]
    elsewhere = SnapshotVector.objects.filter(snapshot_id=OuterRef("snapshot_id"), space_id__in=listed)
    with tenant_tx(tenant_id):
        return SnapshotVector.objects.filter(in_use(), ~Exists(elsewhere), space_id=space).count()


def note_counts(counts: Counts, embedders: Embedders) -> None:
    """Keep the platform's counts on the spaces, for pages, and the floors they teach, for recall.

    A listed space that nobody wrote to yet gets its row; one that is not listed keeps the floor it had.
    """
    with transaction.atomic():
        listed = {ensure_space(embedder) for embedder in embedders}
        for space in EmbeddingSpace.objects.select_for_update().order_by("id"):
            count = counts.get(space.id, NOTHING)
            space.is_listed = space.id in listed
            space.held, space.belonging, space.missing = count.held, count.belonging, count.missing
            space.oldest_missing_at, space.counted_at = count.oldest_missing_at, utc_now()
            if space.is_listed:
                space.similarity_floor = floor_of(count.unrelated)
            space.save()
