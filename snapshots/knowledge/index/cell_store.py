"""The cells of vectors in the database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import orjson
from django.db import connection
from pgvector import HalfVector

from memory_platform.kernel.ids import new_id
from snapshots.embedding.index_row_packing import Float32
from snapshots.knowledge.index.config import CELLS, CellConfig
from snapshots.knowledge.index.vector_cells import (
    CellRows,
    compute_centroid,
    join_cells,
    pack_cell,
    split_cell,
    unpack_cell,
    unpack_vectors,
)
from snapshots.models import VectorCell
from tenants.isolation import current_tenant_id

LOAD_CENTROIDS = """
SELECT id, centroid::text FROM vector_cell WHERE tenant_id = %s AND part = %s AND space_id = %s ORDER BY id
"""

PLACE_VECTORS = """
UPDATE indexed_chunk i SET cell = n.cell FROM unnest(%s::bigint[], %s::uuid[]) AS n(number, cell)
WHERE i.tenant_id = %s AND i.part = %s AND i.number = n.number
"""


@dataclass(frozen=True, slots=True)
class FreshVector:
    """The packed vector of a chunk that no cell holds yet."""

    number: int
    space_id: UUID
    packed: bytes


def store_vectors_in_cells(part: UUID, vectors: Sequence[FreshVector], config: CellConfig = CELLS) -> None:
    """Put vectors of a locked part into the cells that they are nearest to; cells that grow too large are split."""
    for space in sorted({one.space_id for one in vectors}, key=str):
        own = [one for one in vectors if one.space_id == space]
        fresh = unpack_vectors([one.number for one in own], [one.packed for one in own])
        places = _add_to_cells(part, space, fresh, config)
        with connection.cursor() as cursor:
            cursor.execute(PLACE_VECTORS, [list(places), list(places.values()), current_tenant_id(), part])


def remove_vectors(gone: Mapping[UUID, Collection[int]]) -> None:
    """Remove chunks' numbers from cells of a locked part; a cell that is empty then is deleted."""
    for cell in VectorCell.objects.filter(id__in=gone).order_by("id"):
        rows = unpack_cell(bytes(cell.packed), len(cell.centroid))
        kept = rows.take_rows(~np.isin(rows.numbers, list(gone[cell.id])))
        if len(kept):
            VectorCell.objects.filter(id=cell.id).update(packed=pack_cell(kept))
        else:
            VectorCell.objects.filter(id=cell.id).delete()


def _add_to_cells(part: UUID, space: UUID, fresh: CellRows, config: CellConfig) -> Mapping[int, UUID]:
    """Write ``fresh`` into cells; return the cell of each number whose cell is another now."""
    cell_ids, centroids = _load_centroids(part, space)
    if not cell_ids:
        return write_cells(part, space, list(split_cell(fresh, config)))
    nearest = (fresh.restore_vectors() @ centroids.T).argmax(axis=1)
    places: dict[int, UUID] = {}
    for place in np.unique(nearest).tolist():
        cell_id, added = cell_ids[place], fresh.take_rows(nearest == place)
        held = unpack_cell(bytes(VectorCell.objects.values_list("packed", flat=True).get(id=cell_id)), added.dimensions)
        parts = list(split_cell(join_cells([held, added]), config))
        if len(parts) == 1:
            VectorCell.objects.filter(id=cell_id).update(packed=pack_cell(parts[0]))
            places |= dict.fromkeys(added.numbers.tolist(), cell_id)
        else:
            VectorCell.objects.filter(id=cell_id).delete()
            places |= write_cells(part, space, parts)
    return places


def _load_centroids(part: UUID, space: UUID) -> tuple[list[UUID], Float32]:
    with connection.cursor() as cursor:
        cursor.execute(LOAD_CENTROIDS, [current_tenant_id(), part, space])
        rows = cursor.fetchall()
    return [cell for cell, _ in rows], np.array([orjson.loads(text) for _, text in rows], np.float32)


def write_cells(part: UUID, space: UUID, parts: Sequence[CellRows]) -> Mapping[int, UUID]:
    """Store new cells; return the cell of each number."""
    made = [
        VectorCell(
            id=new_id(), part=part, space_id=space, centroid=HalfVector(compute_centroid(one)), packed=pack_cell(one)
        )
        for one in parts
    ]
    VectorCell.objects.bulk_create(made, batch_size=100)
    return {number: cell.id for cell, one in zip(made, parts, strict=True) for number in one.numbers.tolist()}
