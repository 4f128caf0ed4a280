"""Add vectors to memories without any: the model or pgvector was away, or the model is new."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from uuid import UUID

from memory_platform.providers.contracts import Embedder
from snapshots.config import JOB_CONFIG
from snapshots.embedding.config import BACKFILL, BackfillConfig
from snapshots.embedding.embedding_spaces import Embedders, list_assigned_languages, measure_active_embedders, space_id
from snapshots.embedding.snapshot_drafts import (
    MaskText,
    SnapshotToStore,
    VectorPair,
    embed_pairs,
    index_draft,
    load_reindexing_drafts,
)
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory, store_vectors
from snapshots.embedding.upkeep.index_entry_walk import IndexedMemory, build_in_use_condition, walk_memories
from snapshots.embedding.upkeep.index_repair import add_missing_words
from snapshots.job_preview import CarePreview, TimedWalk
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx

# Called with the number of memories that were just done.
Advance = Callable[[int], object]


def ignore_progress(_: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class UnembeddedMemory:
    """A memory without vectors, and its draft."""

    snapshot: Snapshot
    draft: SnapshotToStore


@dataclass(frozen=True, slots=True)
class SpaceLanguages:
    """A space and the languages of the texts that belong into it."""

    space_id: UUID
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmbeddedMemory:
    """A memory and the vectors made for it."""

    missing: UnembeddedMemory
    vectors: VectorPair


@dataclass(frozen=True, slots=True)
class BackfillRun:
    """The models, the mask, the progress callback and the config of one run."""

    embedders: Embedders
    mask: MaskText
    advance: Advance
    config: BackfillConfig


def backfill_vectors(
    tenant_id: UUID,
    limit: int,
    *,
    mask: MaskText,
    advance: Advance = ignore_progress,
    config: BackfillConfig = BACKFILL,
) -> int:
    """Embed at most ``limit`` memories of a tenant that have no vectors; return how many got them.

    Memories without words get them, too. ``mask`` masks statements. Opens scopes of its own and embeds between them.
    Leaves out a space whose model, or pgvector, is away. Safe to run twice, also at once, and to stop anywhere.
    """
    done, run = 0, BackfillRun(measure_active_embedders(), mask, advance, config)
    answering = [make_space_languages(embedder, run.embedders) for embedder in run.embedders]
    for page in walk_memories(tenant_id):
        if wordless := [one.id for one in page if one.language is None]:
            add_missing_words(tenant_id, wordless, mask)
        for own in tuple(answering):
            for ids in list_missing_vectors(own, page, config.batch):
                if done >= limit:
                    return done
                stored = _backfill_batch(tenant_id, ids[: limit - done], run)
                if stored is None:
                    answering.remove(own)
                    break
                done += stored
    return done


def preview_backfill(tenant_id: UUID, limit: int, lasting: timedelta = JOB_CONFIG.preview) -> CarePreview:
    """Return how many memories :func:`backfill_vectors` would give vectors and words, of as many as ``lasting`` is
    enough for. Opens its own scopes.

    The next run embeds memories without words.
    """
    vectors, words, embedders = 0, 0, measure_active_embedders()
    walk = TimedWalk(walk_memories(tenant_id), lasting)
    for page in walk:
        words += sum(one.language is None for one in page)
        for own in [make_space_languages(embedder, embedders) for embedder in embedders]:
            vectors = min(limit, vectors + sum(map(len, list_missing_vectors(own, page, BACKFILL.batch))))
        if vectors == limit:
            break
    return CarePreview({"vectors": vectors, "words": words}, is_partial=walk.was_cut)


def make_space_languages(embedder: Embedder, among: Embedders) -> SpaceLanguages:
    return SpaceLanguages(space_id(embedder), list_assigned_languages(embedder, among))


def list_missing_vectors(own: SpaceLanguages, page: Sequence[IndexedMemory], batch: int) -> Iterator[list[UUID]]:
    """Yield, ``batch`` at a time, the ids of memories whose vectors are missing in their space."""
    missing = [one.id for one in page if one.language in own.languages and own.space_id not in one.spaces]
    return (missing[start : start + batch] for start in range(0, len(missing), batch))


def _backfill_batch(tenant_id: UUID, ids: Sequence[UUID], run: BackfillRun) -> int | None:
    """Return how many of these memories got vectors; None when the model or pgvector is away."""
    with tenant_tx(tenant_id):
        batch = load_unembedded(ids, run.mask)
    found = embed_memories(batch, run.embedders)
    if batch and not found:
        return None
    stored = _store_by_subject(tenant_id, found)
    run.advance(stored or 0)
    return stored


def load_unembedded(ids: Sequence[UUID], mask: MaskText) -> list[UnembeddedMemory]:
    """Return the drafts of those memories that are still in use. In the open scope."""
    snapshots = list(Snapshot.objects.filter(build_in_use_condition(), id__in=ids).order_by("id"))
    return [UnembeddedMemory(*pair) for pair in zip(snapshots, load_reindexing_drafts(snapshots, mask), strict=True)]


def embed_memories(batch: Sequence[UnembeddedMemory], embedders: Embedders) -> list[EmbeddedMemory]:
    """Return those of ``batch`` that a model answered for. No transaction may be open."""
    pairs = embed_pairs([index_draft(missing.draft) for missing in batch], embedders)
    return [EmbeddedMemory(missing, pair) for missing, pair in zip(batch, pairs, strict=True) if pair is not None]


def _store_by_subject(tenant_id: UUID, memories: Sequence[EmbeddedMemory]) -> int | None:
    """Store vectors, each subject's in a transaction of its own; None when pgvector refused them."""
    stored = 0
    by_subject = sorted(memories, key=lambda one: str(one.missing.snapshot.subject_id))
    for subject_id, group in groupby(by_subject, key=lambda one: one.missing.snapshot.subject_id):
        with tenant_tx(tenant_id):
            count = store_unless_edited(subject_id, list(group))
        if count is None:
            return None
        stored += count
    return stored


def store_unless_edited(subject_id: UUID, memories: Sequence[EmbeddedMemory]) -> int | None:
    """Store the vectors of memories that were not edited meanwhile: an edit brings its own."""
    lock_memory(subject_id)
    ids = [one.missing.snapshot.id for one in memories]
    held = Snapshot.objects.filter(subject_id=subject_id, id__in=ids, retired_at__isnull=True).order_by()
    versions = dict(held.values_list("id", "version"))
    unchanged = [one for one in memories if versions.get(one.missing.snapshot.id) == one.missing.snapshot.version]
    if not store_vectors([(one.missing.draft, one.vectors) for one in unchanged]):
        return None
    if unchanged:
        begin_memory_epoch(subject_id, changed=[one.missing.snapshot.position for one in unchanged])
    return len(unchanged)
