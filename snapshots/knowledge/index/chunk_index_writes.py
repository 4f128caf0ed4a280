"""Chunks enter the index and leave it.

A writer takes two steps: :func:`prepare_index_rows` asks models with no transaction open, :func:`store_index_rows`
writes in the transaction that stores the chunks. New chunks are fresh; when they are enough they are sealed into blocks
and cells. A removed chunk takes its postings out of its blocks and its vector out of its cell at once.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.text import detect_language
from memory_platform.providers.contracts import Embedder
from memory_platform.providers.registry import find_embedder_for
from snapshots.embedding.embedding_spaces import Embedders, active_embedders, ensure_space
from snapshots.embedding.index_row_packing import Float32
from snapshots.knowledge.index.cell_store import remove_vectors
from snapshots.knowledge.index.chunk_terms import IndexWords, pack_chunk_terms
from snapshots.knowledge.index.config import SIZES, VECTORS, WRITES, IndexSizes, VectorConfig, WriteConfig
from snapshots.knowledge.index.segment_sealing import count_chunks, lock_part, remove_postings, seal_full_segments
from snapshots.knowledge.index.vector_cells import pack_vector
from snapshots.models import IndexedChunk
from tenants.isolation import current_tenant_id

Key = TypeVar("Key")
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class IndexRow:
    """The index row of a chunk, before it is written. ``vector`` is None where no model knows its language."""

    chunk_id: UUID
    terms: bytes
    embedder: Embedder | None
    vector: bytes | None


def find_part(collection_id: UUID | None) -> UUID:
    """Return the part of the index that a collection's chunks stand in; the tenant's own for those without one."""
    return collection_id or current_tenant_id()


def prepare_index_rows(
    chunks: Sequence[tuple[UUID, str, str]],
    *,
    embedders: Embedders | None = None,
    advance: Callable[[int], object] = lambda _: None,
    config: WriteConfig = WRITES,
) -> list[IndexRow]:
    """Return the index rows of chunks, given as (id, place, text). No transaction may be open.

    Raises EmbeddingUnavailable when a model does not answer: a chunk is not indexed by halves.
    """
    among = active_embedders() if embedders is None else embedders
    rows: list[IndexRow] = []
    for start in range(0, len(chunks), config.batch):
        batch = chunks[start : start + config.batch]
        rows += _prepare_batch(batch, among)
        advance(len(batch))
    return rows


def store_index_rows(part: UUID, rows: Sequence[IndexRow], sizes: IndexSizes = SIZES) -> None:
    """Store rows of chunks that the open scope has stored; the part stays locked until the transaction ends."""
    if not rows:
        return
    state = lock_part(part)
    among = {one.embedder.name: one.embedder for one in rows if one.embedder and one.vector}
    spaces = {name: ensure_space(embedder) for name, embedder in among.items()}
    IndexedChunk.objects.bulk_create(
        (_make_row(part, number, one, spaces) for number, one in enumerate(rows, state.next_number)), batch_size=500
    )
    count_chunks(part, added=len(rows), numbers=len(rows))
    seal_full_segments(part, sizes)


def remove_from_index(chunk_ids: Sequence[UUID], sizes: IndexSizes = SIZES) -> int:
    """Remove chunks from the index in the open scope, before they are deleted; return how many it held."""
    held = IndexedChunk.objects.filter(chunk_id__in=chunk_ids).order_by()
    parts = sorted(set(held.values_list("part", flat=True)), key=str)  # all writers lock in this order
    for part in parts:
        lock_part(part)
    # Read again: now nobody moves them.
    removed = list(held.defer("vector"))
    IndexedChunk.objects.filter(id__in=[one.id for one in removed]).delete()
    for part, rows in group_rows((one.part, one) for one in removed).items():
        count_chunks(part, added=-len(rows))
        sealed = group_rows((one.segment, (one.position or 0, bytes(one.terms))) for one in rows)
        remove_postings(part, {segment: dict(own) for segment, own in sealed.items()}, sizes)
        remove_vectors(group_rows((one.cell, one.number) for one in rows))
    return len(removed)


def move_in_index(chunk_ids: Sequence[UUID], collection_id: UUID | None, sizes: IndexSizes = SIZES) -> None:
    """Move chunks into the part of another collection, in the open scope, without embedding them again."""
    rows = list(
        IndexedChunk.objects.filter(chunk_id__in=chunk_ids).values_list("chunk_id", "terms", "space_id", "vector")
    )
    part = find_part(collection_id)
    for one in sorted(
        {part, *IndexedChunk.objects.filter(chunk_id__in=chunk_ids).values_list("part", flat=True)}, key=str
    ):
        lock_part(one)
    remove_from_index(chunk_ids, sizes)
    state = lock_part(part)
    IndexedChunk.objects.bulk_create(
        (
            IndexedChunk(
                id=stable_id("indexed-chunk", chunk_id),
                chunk_id=chunk_id,
                part=part,
                number=number,
                terms=terms,
                space_id=space,
                vector=vector,
            )
            for number, (chunk_id, terms, space, vector) in enumerate(rows, state.next_number)
        ),
        batch_size=500,
    )
    count_chunks(part, added=len(rows), numbers=len(rows))
    seal_full_segments(part, sizes)


def _prepare_batch(batch: Sequence[tuple[UUID, str, str]], among: Embedders) -> Iterable[IndexRow]:
    chosen = [find_embedder_for(detect_language(text), among) for _, _, text in batch]
    vectors: dict[int, bytes | None] = {}
    for embedder in {id(one): one for one in chosen if one is not None}.values():
        places = [i for i, one in enumerate(chosen) if one is embedder]
        embedded = embed_chunks(embedder, [batch[i][1:] for i in places])
        vectors |= {i: pack_vector(row) for i, row in zip(places, embedded, strict=True)}
    return [
        IndexRow(chunk_id, pack_chunk_terms(IndexWords(place, text)), chosen[i], vectors.get(i))
        for i, (chunk_id, place, text) in enumerate(batch)
    ]


def embed_chunks(
    embedder: Embedder, chunks: Sequence[tuple[str, str]], config: VectorConfig = VECTORS
) -> Sequence[Float32]:
    """Return a vector for each (place, text): that of the text, drawn towards that of where it stands. A place is
    embedded once for all chunks that stand in it."""
    places = list(dict.fromkeys(place for place, _ in chunks if place))
    rows = embedder.embed([*places, *(text for _, text in chunks)])
    of_place = dict(zip(places, rows[: len(places)], strict=True))
    own = rows[len(places) :]
    return [
        row + config.place_weight * of_place[place] if place else row
        for row, (place, _) in zip(own, chunks, strict=True)
    ]


def _make_row(part: UUID, number: int, one: IndexRow, spaces: Mapping[str, UUID]) -> IndexedChunk:
    return IndexedChunk(
        id=stable_id("indexed-chunk", one.chunk_id),
        chunk_id=one.chunk_id,
        part=part,
        number=number,
        terms=one.terms,
        space_id=spaces[one.embedder.name] if one.embedder and one.vector else None,
        vector=one.vector,
    )


def group_rows(rows: Iterable[tuple[Key | None, Row]]) -> Mapping[Key, list[Row]]:
    """Return rows by their key, without those that have none."""
    groups: dict[Key, list[Row]] = defaultdict(list)
    for key, row in rows:
        if key is not None:
            groups[key].append(row)
    return groups
