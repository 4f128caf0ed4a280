"""Chunks move into the embedding space of a new model, and leave one that is dropped.

A chunk has one vector: it is found by that of its old space until it has one in the new space, as far as both models
are listed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from memory_platform.kernel.text import detect_language
from memory_platform.providers.contracts import EmbeddingUnavailable
from memory_platform.providers.registry import find_embedder_for
from snapshots.embedding.config import DROP
from snapshots.embedding.embedding_spaces import (
    Embedders,
    ensure_space,
    list_assigned_languages,
    measure_active_embedders,
    space_id,
)
from snapshots.knowledge.index.cell_store import FreshVector, remove_vectors, store_vectors_in_cells
from snapshots.knowledge.index.chunk_index_writes import IndexRow, group_rows, prepare_index_rows
from snapshots.knowledge.index.config import SIZES, WRITES, IndexSizes
from snapshots.knowledge.index.segment_sealing import lock_part
from snapshots.models import EmbeddingSpace, IndexedChunk, IndexPart, VectorCell
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor, record_audit

BEFORE_ALL = UUID(int=0)
Advance = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class MovingChunk:
    """A chunk whose vector is missing, or stands in the space of a model that is not the one for its language."""

    row_id: UUID
    part: UUID
    chunk_id: UUID
    place: str
    text: str
    space: UUID | None


def reembed_chunks(tenant_id: UUID, limit: int, *, advance: Advance = lambda _: None, sizes: IndexSizes = SIZES) -> int:
    """Embed at most ``limit`` chunks of a tenant that have no vector of the model for their language; return how many
    got one. Opens scopes of its own and embeds between them. Ends when a model is away. Safe to run twice, also at
    once, and to stop anywhere."""
    embedders, done = measure_active_embedders(), 0
    for batch in _walk_moving_chunks(tenant_id, embedders):
        chosen = batch[: limit - done]
        try:
            rows = prepare_index_rows([(one.chunk_id, one.place, one.text) for one in chosen], embedders=embedders)
        except EmbeddingUnavailable:
            break
        parts = {one.chunk_id: one.part for one in chosen}
        stored = _store_by_part(tenant_id, [row for row in rows if row.vector], parts, sizes)
        done += stored
        advance(stored)
        if done >= limit:
            break
    return done


def count_chunks_to_move(tenant_id: UUID) -> int:
    """Return how many chunks have their vector in a space that is not that of the model for their language."""
    walked = _walk_moving_chunks(tenant_id, measure_active_embedders())
    return sum(one.space is not None for batch in walked for one in batch)


def count_chunks_in(tenant_id: UUID, space: EmbeddingSpace) -> int:
    with tenant_tx(tenant_id):
        return IndexedChunk.objects.filter(space_id=space.id).count()


def drop_chunk_vectors(
    tenant_id: UUID, space: EmbeddingSpace, *, by: Actor, is_recorded: bool = False, advance: Advance = lambda _: None
) -> int:
    """Delete one tenant's vectors of chunks in ``space``; return how many. Their words stay in the index. Recorded in
    the tenant's audit trail unless it ``is_recorded``. Stopped anywhere, a second call goes on."""
    with tenant_tx(tenant_id):
        parts = list(IndexPart.objects.order_by("part").values_list("part", flat=True))
    dropped = 0
    for part in parts:
        with tenant_tx(tenant_id):
            lock_part(part)
            VectorCell.objects.filter(part=part, space_id=space.id).delete()
        while count := _drop_batch(tenant_id, part, space):
            dropped += count
            advance(count)
    if dropped and not is_recorded:
        table = EmbeddingSpace._meta.db_table
        with tenant_tx(tenant_id):
            record_audit(by, f"{table}.dropped", object_kind=table, object_id=str(space.id), reason=space.name)
    return dropped


def _drop_batch(tenant_id: UUID, part: UUID, space: EmbeddingSpace) -> int:
    with tenant_tx(tenant_id):
        lock_part(part)
        rows = IndexedChunk.objects.filter(space_id=space.id, part=part).order_by("id")
        ids = list(rows.values_list("id", flat=True)[: DROP.batch])
        return IndexedChunk.objects.filter(id__in=ids).update(space=None, vector=None, cell=None)


def _walk_moving_chunks(tenant_id: UUID, embedders: Embedders) -> Iterator[list[MovingChunk]]:
    """Yield the chunks to move, those with a vector first; each batch is read in a scope that is closed by then."""
    if not embedders:
        return
    for space in (*_list_other_spaces(embedders), None):
        after = BEFORE_ALL
        while True:
            with tenant_tx(tenant_id):
                rows = IndexedChunk.objects.filter(space_id=space, id__gt=after).order_by("id")
                columns = rows.values_list("id", "part", "chunk_id", "chunk__place", "chunk__text", "space_id")
                batch = [MovingChunk(*row) for row in columns[: WRITES.batch]]
            if not batch:
                break
            after = batch[-1].row_id
            moving = [one for one in batch if _is_misplaced(one, embedders)]
            if moving:
                yield moving


def _list_other_spaces(embedders: Embedders) -> list[UUID]:
    """Return the spaces that may hold chunks of another model's language: those that are not listed, and those of
    models before which another one knows the same language."""
    whole = [one for one in embedders if set(one.languages) <= set(list_assigned_languages(one, embedders))]
    settled = [space_id(one) for one in whole]
    return list(EmbeddingSpace.objects.exclude(id__in=settled).order_by("id").values_list("id", flat=True))


def _is_misplaced(chunk: MovingChunk, embedders: Embedders) -> bool:
    embedder = find_embedder_for(detect_language(chunk.text), embedders)
    return embedder is not None and space_id(embedder) != chunk.space


def _store_by_part(tenant_id: UUID, rows: Sequence[IndexRow], parts: dict[UUID, UUID], sizes: IndexSizes) -> int:
    stored = 0
    by_part = sorted(rows, key=lambda one: str(parts[one.chunk_id]))
    for part, group in groupby(by_part, key=lambda one: parts[one.chunk_id]):
        with tenant_tx(tenant_id):
            stored += _replace_vectors(part, list(group), sizes)
    return stored


def _replace_vectors(part: UUID, rows: Sequence[IndexRow], sizes: IndexSizes) -> int:
    """Give chunks that are still in the part their new vectors, in the open scope; return how many."""
    lock_part(part)
    made = {one.chunk_id: one for one in rows}
    held = list(IndexedChunk.objects.filter(part=part, chunk_id__in=made).order_by("id"))
    remove_vectors(group_rows((one.cell, one.number) for one in held))
    sealed: list[FreshVector] = []
    for one in held:
        new = made[one.chunk_id]
        if new.embedder is None or new.vector is None:
            continue
        one.space_id, one.vector, one.cell = ensure_space(new.embedder), new.vector, None
        if one.segment is not None:
            sealed.append(FreshVector(one.number, one.space_id, new.vector))
    IndexedChunk.objects.bulk_update(held, ["space", "vector", "cell"], batch_size=500)
    store_vectors_in_cells(part, sealed, sizes.cells)
    return len(held)
