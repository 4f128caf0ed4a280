"""Vectors in cells of near ones. A cell that grows too large is split in two, so that there is nothing to train and a
small index is read whole: its search is exact.

A cell is packed as its chunks' numbers (u4 each), then their scales (f4 each), then their int8 rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from snapshots.embedding.index_row_packing import Float32, Int8, quantise
from snapshots.knowledge.index.config import CELLS, CellConfig

Numbers = npt.NDArray[np.uint32]
_NUMBER_BYTES = _SCALE_BYTES = 4
# Splits begin with the same two rows in every process.
_SEED = 20


@dataclass(frozen=True, slots=True)
class CellRows:
    """Vectors of some chunks: numbers (n,), scales (n,), int8 rows (n, d); a vector is scale times row."""

    numbers: Numbers
    scales: Float32
    rows: Int8

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def dimensions(self) -> int:
        return int(self.rows.shape[1])

    def take_rows(self, mask: npt.NDArray[np.bool_]) -> "CellRows":
        return CellRows(self.numbers[mask], self.scales[mask], self.rows[mask])

    def restore_vectors(self) -> Float32:
        return np.asarray(self.rows * self.scales[:, None], np.float32)


def pack_vector(vector: Float32) -> bytes | None:
    """Return the packed unit vector along ``vector``, scale before row; None for one that says nothing."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or not length:
        return None
    scale, row = quantise(vector / np.float32(length))
    return np.array([scale], "<f4").tobytes() + row.tobytes() if scale else None


def unpack_vectors(numbers: Sequence[int], packed: Sequence[bytes]) -> CellRows:
    """Return the rows of chunks from their packed vectors, which have one dimension."""
    table = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), -1)
    scales = np.ascontiguousarray(table[:, :_SCALE_BYTES]).view("<f4").ravel().astype(np.float32)
    rows = np.ascontiguousarray(table[:, _SCALE_BYTES:]).view(np.int8)
    return CellRows(np.array(numbers, np.uint32), scales, rows)


def pack_cell(cell: CellRows) -> bytes:
    return cell.numbers.astype("<u4").tobytes() + cell.scales.astype("<f4").tobytes() + cell.rows.tobytes()


def unpack_cell(packed: bytes, dimensions: int) -> CellRows:
    count = len(packed) // (_NUMBER_BYTES + _SCALE_BYTES + dimensions)
    numbers = np.frombuffer(packed, "<u4", count)
    scales = np.frombuffer(packed, "<f4", count, _NUMBER_BYTES * count)
    rows = np.frombuffer(packed, np.int8, count * dimensions, (_NUMBER_BYTES + _SCALE_BYTES) * count)
    return CellRows(numbers, scales, rows.reshape(count, dimensions))


def join_cells(cells: Sequence[CellRows]) -> CellRows:
    """Return the rows of all ``cells``, of which there is at least one."""
    return CellRows(
        np.concatenate([one.numbers for one in cells]),
        np.concatenate([one.scales for one in cells]),
        np.concatenate([one.rows for one in cells]),
    )


def compute_centroid(cell: CellRows) -> Float32:
    mean = cell.restore_vectors().mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, np.float32)


def split_cell(cell: CellRows, config: CellConfig = CELLS) -> Iterator[CellRows]:
    """Yield ``cell`` itself, or the parts of it that are small enough."""
    if len(cell) <= config.vectors:
        yield cell
        return
    side = _halve_vectors(cell.restore_vectors(), config)
    yield from split_cell(cell.take_rows(~side), config)
    yield from split_cell(cell.take_rows(side), config)


def _halve_vectors(vectors: Float32, config: CellConfig) -> npt.NDArray[np.bool_]:
    """Return which half each vector belongs to, by k-means with two centres; neither half is small."""
    begin = np.random.default_rng(_SEED).choice(len(vectors), 2, replace=False)
    centres = vectors[begin]
    side = np.zeros(len(vectors), np.bool_)
    for _ in range(config.rounds):
        nearer = vectors @ (centres[1] - centres[0])
        side = nearer > 0
        if not config.least_share <= side.mean() <= 1 - config.least_share:
            side = np.zeros(len(vectors), np.bool_)
            side[np.argsort(nearer, kind="stable")[len(vectors) // 2 :]] = True
        centres = np.stack([vectors[~side].mean(axis=0), vectors[side].mean(axis=0)])
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), 1e-9)
    return side
