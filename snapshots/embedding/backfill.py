"""Vectors for memories without any in the active space: the model or pgvector was away, or the model is new (S5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.contracts import Embedder
from snapshots.embedding.drafts import SnapshotDraft, VectorPair, embed_pairs, index_draft
from snapshots.embedding.policy import BACKFILL, BackfillPolicy
from snapshots.embedding.spaces import Embedders, languages_written, measured_embedders, space_id
from snapshots.embedding.store import lock_memory, store_vectors, touch_memory
from snapshots.embedding.stored import Mask, stored_drafts
from snapshots.models import Snapshot, SnapshotVector, SnapshotWords
from tenants.isolation import tenant_tx

BEFORE_ALL = UUID(int=0)

Advance = Callable[[int], object]
"""Told how many memories more are done, as they are."""


def ignore(_: int) -> None:
    """Advance nothing."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A memory without vectors, as it was read, and what of it is indexed."""

    snapshot: Snapshot
    draft: SnapshotDraft


@dataclass(frozen=True, slots=True)
class MissingOf:
    """A space and the languages of the texts that belong into it."""

    space_id: UUID
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A missing memory and the vectors made for it."""

    missing: Missing
    vectors: VectorPair


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of the back-fill embeds with, masks with, reports to and keeps to."""

    embedders: Embedders
    mask: Mask
    advance: Advance
    policy: BackfillPolicy


def backfill_vectors(
    tenant_id: UUID, limit: int, *, mask: Mask, advance: Advance = ignore, policy: BackfillPolicy = BACKFILL
) -> int:
    """Embed at most ``limit`` memories of a tenant that have no vectors; return how many got them.

    ``mask`` is what statements are masked with. Opens scopes of its own and embeds between them. Ends early while the
    model or pgvector is away. Safe to run twice, also at once, and to be stopped anywhere.
    """
    done, run = 0, Run(measured_embedders(), mask, advance, policy)
    for embedder in run.embedders:
        done += _backfill_space(tenant_id, space_of(embedder, run.embedders), limit - done, run)
    return done


def space_of(embedder: Embedder, among: Embedders) -> MissingOf:
    """Return the space of ``embedder``, with the languages whose texts it writes where ``among`` are listed."""
    return MissingOf(space_id(embedder), languages_written(embedder, among))


def _backfill_space(tenant_id: UUID, own: MissingOf, limit: int, run: Run) -> int:
    done, after = 0, BEFORE_ALL
    while done < limit:
        with tenant_tx(tenant_id):
            snapshots = missing_vectors(own, after=after, limit=min(run.policy.batch, limit - done))
            batch = [Missing(*pair) for pair in zip(snapshots, stored_drafts(snapshots, run.mask), strict=True)]
        found = embedded(batch, run.embedders)
        stored = _store_by_subject(tenant_id, found)
        run.advance(stored or 0)
        if not found or stored is None:  # nothing is missing, or a part is away
            break
        done, after = done + stored, batch[-1].snapshot.id
    return done


def missing_vectors(own: MissingOf, *, after: UUID, limit: int) -> list[Snapshot]:
    """Return memories whose vectors belong into a space that does not hold them, by id, after ``after``."""
    words = words_missing(own).filter(snapshot_id__gt=after).order_by("snapshot_id").select_related("snapshot")
    return [word.snapshot for word in words.defer("words")[:limit]]


def words_missing(own: MissingOf) -> QuerySet[SnapshotWords]:
    """Return the words of the memories in use whose vectors belong into a space that does not hold them."""
    has_vectors = SnapshotVector.objects.filter(snapshot_id=OuterRef("snapshot_id"), space_id=own.space_id)
    return SnapshotWords.objects.filter(~Exists(has_vectors), in_use(), language__in=own.languages)


def in_use() -> Q:
    """Return the condition that the snapshot of a row is neither retired nor expired."""
    unexpired = Q(snapshot__expires_at__isnull=True) | Q(snapshot__expires_at__gt=utc_now())
    return Q(snapshot__retired_at__isnull=True) & unexpired


def embedded(batch: Sequence[Missing], embedders: Embedders) -> list[Found]:
    """Return those of ``batch`` that a model answered for. No transaction may be open."""
    pairs = embed_pairs([index_draft(missing.draft) for missing in batch], embedders)
    return [Found(missing, pair) for missing, pair in zip(batch, pairs, strict=True) if pair is not None]


def _store_by_subject(tenant_id: UUID, found: Sequence[Found]) -> int | None:
    """Store vectors, each subject's in a transaction of its own; None when pgvector refused them."""
    stored = 0
    by_subject = sorted(found, key=lambda one: str(one.missing.snapshot.subject_id))
    for subject_id, group in groupby(by_subject, key=lambda one: one.missing.snapshot.subject_id):
        with tenant_tx(tenant_id):
            count = store_unchanged(subject_id, list(group))
        if count is None:
            return None
        stored += count
    return stored


def store_unchanged(subject_id: UUID, found: Sequence[Found]) -> int | None:
    """Store the vectors of memories that still say what was embedded: an edit meanwhile has brought its own."""
    lock_memory(subject_id)
    ids = [one.missing.snapshot.id for one in found]
    held = Snapshot.objects.filter(subject_id=subject_id, id__in=ids, retired_at__isnull=True).order_by()
    versions = dict(held.values_list("id", "version"))
    unchanged = [one for one in found if versions.get(one.missing.snapshot.id) == one.missing.snapshot.version]
    if not store_vectors([(one.missing.draft, one.vectors) for one in unchanged]):
        return None
    if unchanged:
        touch_memory(subject_id, changed=[one.missing.snapshot.position for one in unchanged])
    return len(unchanged)
