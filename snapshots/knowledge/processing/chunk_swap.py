"""Putting the chunks of a new upload in the place of those before, all at once and with as few as possible changed.

A chunk whose place and text are as before keeps its row and its index; only its position and span may move.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from memory_platform.kernel.ids import new_id
from snapshots.knowledge.documents.quotas import reserve_chunks
from snapshots.knowledge.index.chunk_index_writes import (
    IndexRow,
    find_part,
    move_in_index,
    remove_from_index,
    store_index_rows,
)
from snapshots.knowledge.values import ChunkDraft
from snapshots.models import Chunk, Document
from tenants.isolation import current_tenant_id

MOVE_CHUNKS = """
UPDATE document_chunk c SET position = n.position, page = n.page, start = n.start, "end" = n.finish
FROM unnest(%s::uuid[], %s::int[], %s::int[], %s::int[], %s::int[]) AS n (id, position, page, start, finish)
WHERE c.tenant_id = %s AND c.id = n.id
  AND (c.position, c.start, c."end") IS DISTINCT FROM (n.position, n.start, n.finish)
"""
INSERTED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ChunkSwap:
    """``kept`` pairs a chunk's row with its draft in the new upload, ``new`` gives each other draft its row's id, and
    ``gone`` are the rows that no draft repeats."""

    kept: Sequence[tuple[UUID, ChunkDraft]]
    new: Sequence[tuple[UUID, ChunkDraft]]
    gone: Sequence[UUID]


def plan_swap(document_id: UUID, drafts: Sequence[ChunkDraft], *, anew: bool) -> ChunkSwap:
    """Compare the chunks that answer now, in the open scope, with those of the new upload. ``anew`` keeps none."""
    rows = Chunk.objects.filter(document_id=document_id).order_by("position", "id").values_list("id", "content_hash")
    free: dict[bytes, list[UUID]] = defaultdict(list)
    held = [(chunk_id, bytes(content_hash)) for chunk_id, content_hash in rows]
    for chunk_id, content_hash in [] if anew else reversed(held):
        free[content_hash].append(chunk_id)
    kept: list[tuple[UUID, ChunkDraft]] = []
    new: list[tuple[UUID, ChunkDraft]] = []
    for draft in drafts:
        same = free[draft.content_hash]
        if same:
            kept.append((same.pop(), draft))
        else:
            new.append((new_id(), draft))
    stay = {chunk_id for chunk_id, _ in kept}
    return ChunkSwap(kept, new, [chunk_id for chunk_id, _ in held if chunk_id not in stay])


def is_current(swap: ChunkSwap, document_id: UUID) -> bool:
    """Return whether the chunks that answer now, in the open scope, are those that the swap was planned with."""
    held = set(Chunk.objects.filter(document_id=document_id).order_by().values_list("id", flat=True))
    return held == {*(chunk_id for chunk_id, _ in swap.kept), *swap.gone}


def swap_chunks(document: Document, swap: ChunkSwap, rows: Sequence[IndexRow]) -> None:
    """Carry a swap out, in the open scope; the document is locked. ``rows`` are those of the index for the new chunks.

    Raises QuotaExceeded.
    """
    reserve_chunks(len(swap.new) - len(swap.gone))
    if "collection" in document.answering:  # those that go move, too: both parts are locked in the order of all writers
        move_in_index([*(chunk_id for chunk_id, _ in swap.kept), *swap.gone], document.collection_id)
    if swap.gone:
        remove_from_index(swap.gone)
        Chunk.objects.filter(id__in=swap.gone).delete()
    _move_chunks(swap.kept)
    Chunk.objects.bulk_create(
        (_make_chunk(document, chunk_id, draft) for chunk_id, draft in swap.new), batch_size=INSERTED_AT_ONCE
    )
    store_index_rows(find_part(document.collection_id), rows)


def _move_chunks(kept: Sequence[tuple[UUID, ChunkDraft]]) -> None:
    if not kept:
        return
    drafts = [draft for _, draft in kept]
    columns: list[list[Any]] = [
        [chunk_id for chunk_id, _ in kept],
        [draft.position for draft in drafts],
        [draft.page for draft in drafts],
        [draft.start for draft in drafts],
        [draft.end for draft in drafts],
    ]
    with connection.cursor() as cursor:
        cursor.execute(MOVE_CHUNKS, [*columns, current_tenant_id()])


def _make_chunk(document: Document, chunk_id: UUID, draft: ChunkDraft) -> Chunk:
    return Chunk(
        id=chunk_id,
        document=document,
        position=draft.position,
        text=draft.text,
        place=draft.place,
        heading_path=list(draft.heading_path),
        page=draft.page,
        start=draft.start,
        end=draft.end,
        token_count=draft.token_count,
        content_hash=draft.content_hash,
    )
